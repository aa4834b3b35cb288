internal import EncryptedSQLite
internal import SystemSupport

/// The contents of a data folder before any part of it is used.
struct FolderInventory: Sendable, Hashable {
    var manifest: FolderManifest?
    var parts: [FolderPart: FolderPartState]
    /// The difference between a file of the folder and the recorded identity in it; nil if none is known.
    var difference: FileIdentity.Difference?

    /// The maximum number of starts in a row at which changed numbers of inodes make a folder a copy. After that, the file system is taken for one that
    /// changes the numbers whenever it is mounted.
    static let inodeChanges = 3

    /// True if the folder is a copy of another folder, to which its parts belong.
    var isCopy: Bool {
        if manifest?.isCopy == true { return true }
        switch difference {
        case .birth: return true
        case .inode: return (manifest?.inodeChanges ?? 0) < Self.inodeChanges
        case nil: return false
        }
    }

    subscript(_ part: FolderPart) -> FolderPartState { parts[part] ?? .absent }

    /// The parts that have content.
    var present: [FolderPart] { FolderPart.allCases.filter { self[$0].isPresent } }
}

/// The reason why a data folder is refused.
struct FolderFault: Error, Hashable {
    /// The kind of fault of a part.
    enum Kind: Sendable, Hashable {
        case missing, empty, older, foreign
        /// The manifest is older than the parts.
        case manifestOlder
        /// A copy from a backup is among parts that are not from the same backup.
        case loneCopy
    }

    let kind: Kind
    /// The part; nil for the manifest.
    let part: FolderPart?

    init(_ kind: Kind, _ part: FolderPart?) {
        self.kind = kind
        self.part = part
    }

    /// The remedies for every refusal.
    static let wayOut =
        "Put back the file of the last run, or restore the folder from a backup (parley db restore). To continue without the missing data, run parley db accept"
}

/// The decision about the parts of a data folder: whether they belong together, and what the next start must do.
///
/// The identity of a folder is a random id and a generation, which each start raises by one in all parts. First, the manifest records that the
/// generation is being raised; then each part is marked; then the manifest records that the generation is raised. A process that ends in between
/// leaves a manifest that is being raised, and parts of this generation or of the previous one; the next start finishes that generation before it
/// begins another. In all other cases, a part with another generation is from another time than the rest.
enum FolderDecision: Sendable, Hashable {
    /// The folder is empty.
    case new
    /// An earlier version created the folder, or its creation was interrupted: it gets an identity.
    case adopt
    /// All parts belong together.
    case proceed(FolderManifest)
    /// The folder is a backup or a copy, or the first start of one was interrupted: it gets a new identity.
    case restore(FolderManifest)

    /// The identity to start with: the folder's own, or a new one.
    var manifest: FolderManifest {
        switch self {
        case .new, .adopt: FolderManifest(folder: FolderManifest.newID(), isRaising: true, parts: [])
        case .proceed(let manifest), .restore(let manifest): manifest
        }
    }

    /// Decides on a folder.
    ///
    /// - Throws: ``FolderFault`` for a part that does not belong to the others, or is missing.
    init(_ inventory: FolderInventory) throws(FolderFault) {
        let known = if let manifest = inventory.manifest { Optional(manifest) } else { try Self.manifest(of: inventory) }
        guard let manifest = known else {
            self = try Self.withoutIdentity(inventory)
            return
        }
        let databases = inventory.present.filter(\.isDatabase)
        let copies = databases.filter { inventory[$0].mark?.backup != nil }
        if !copies.isEmpty || manifest.backup != nil || manifest.previous != nil {
            try Self.checkCopies(copies, of: databases, manifest, inventory)
            self = .restore(manifest)
        } else {
            try Self.check(inventory, manifest)
            self = inventory.isCopy ? .restore(manifest) : .proceed(manifest)
        }
    }

    /// Decides on a folder without any identity.
    private static func withoutIdentity(_ inventory: FolderInventory) throws(FolderFault) -> FolderDecision {
        let databases: [FolderPart] = [.chat, .agent, .bots]
        guard databases.contains(where: { inventory[$0].isPresent }) else {
            // A router was set up before, or the first start has created its folder.
            return inventory.present.isEmpty ? .new : .adopt
        }
        // The core creates both databases at once, and the database of the bots can only be created after them.
        for part in [FolderPart.chat, .agent] where !inventory[part].isPresent {
            throw FolderFault(inventory[part] == .empty ? .empty : .missing, part)
        }
        if inventory[.bots] == .empty { throw FolderFault(.empty, .bots) }
        return .adopt
    }

    /// Makes a manifest from the marks of the parts, for a folder without one; nil if no part has an identity.
    private static func manifest(of inventory: FolderInventory) throws(FolderFault) -> FolderManifest? {
        let marked = inventory.present.compactMap { part in inventory[part].mark.map { (part, $0) } }
        guard let (_, mark) = marked.first(where: { $0.0.isDatabase }) ?? marked.first else { return nil }
        for (part, other) in marked {
            guard other.folder == mark.folder else { throw FolderFault(.foreign, part) }
            guard other.backup == mark.backup || !part.isDatabase else { throw FolderFault(.loneCopy, part) }
            // Without a manifest, it is unknown whether the generation was being raised.
            if mark.backup == nil, other.generation != mark.generation {
                throw FolderFault(.older, other.generation < mark.generation ? part : marked[0].0)
            }
        }
        var manifest = FolderManifest(
            folder: mark.folder, generation: mark.generation, isRaising: false, parts: mark.parts.compactMap(FolderPart.init(rawValue:)))
        manifest.backup = mark.backup
        return manifest
    }

    /// Checks the parts of a folder that is in use.
    private static func check(_ inventory: FolderInventory, _ manifest: FolderManifest) throws(FolderFault) {
        for part in FolderPart.allCases {
            guard let mark = try mark(of: part, inventory, manifest) else { continue }
            guard mark.folder == manifest.folder else { throw FolderFault(.foreign, part) }
            guard mark.generation <= manifest.generation else { throw FolderFault(.manifestOlder, nil) }
            let oldest = manifest.isRaising ? manifest.generation - 1 : manifest.generation
            guard mark.generation >= oldest else { throw FolderFault(.older, part) }
        }
    }

    /// Returns the mark of a part; nil for a part without a mark that the folder does not need yet.
    private static func mark(of part: FolderPart, _ inventory: FolderInventory, _ manifest: FolderManifest) throws(FolderFault) -> FolderMark? {
        let isNeeded = manifest.parts.contains(part)
        switch inventory[part] {
        case .absent: if isNeeded { throw FolderFault(.missing, part) }
        // The creation of a part that is not needed yet was interrupted.
        case .empty: if isNeeded { throw FolderFault(.empty, part) }
        case .unmarked: if isNeeded { throw FolderFault(.foreign, part) }
        case .marked(let mark): return mark
        }
        return nil
    }

    /// Checks the parts of a folder that is, or was, a backup.
    ///
    /// - Parameter copies: the databases that are marked as copies.
    private static func checkCopies(
        _ copies: [FolderPart], of databases: [FolderPart], _ manifest: FolderManifest, _ inventory: FolderInventory
    ) throws(FolderFault) {
        let backup = manifest.backup ?? copies.first.flatMap { inventory[$0].mark?.backup }
        for part in FolderPart.allCases {
            guard let mark = try mark(of: part, inventory, manifest) else { continue }
            let isMarkedAnew = manifest.previous != nil && mark.folder == manifest.folder
            guard isMarkedAnew || mark.folder == manifest.previous ?? manifest.folder else { throw FolderFault(.foreign, part) }
            guard !part.isDatabase || isMarkedAnew || mark.backup == backup else { throw FolderFault(.loneCopy, copies.first ?? part) }
        }
    }
}

extension HostError {
    /// - Parameter path: the database whose write-ahead log is refused.
    init(_ loss: LogLoss, of path: String) {
        let what =
            switch loss {
            case .missing: "is missing or empty"
            case .shorter: "is shorter than it was"
            case .older: "is not the last one"
            }
        self.init(
            loss == .missing ? .folderPartMissing : .folderPartOlder,
            "\(path)-wal \(what) when the last process ended, and transactions of that process were in it. \(FolderFault.wayOut)")
    }

    /// - Parameter data: the folder that is refused.
    init(_ fault: FolderFault, in data: DataFolder) {
        let path = fault.part.flatMap { data.location(of: $0) } ?? data.manifestPath
        switch fault.kind {
        case .missing: self.init(.folderPartMissing, "\(path) is missing, and the rest of the data folder is there. \(FolderFault.wayOut)")
        case .empty: self.init(.folderPartEmpty, "\(path) is empty, and the rest of the data folder is not. \(FolderFault.wayOut)")
        case .older: self.init(.folderPartOlder, "\(path) is older than the rest of the data folder. \(FolderFault.wayOut)")
        case .loneCopy:
            self.init(
                .folderPartOlder,
                "\(path) is a copy from a backup, and other databases of the data folder are not from the same backup. \(FolderFault.wayOut)")
        case .foreign: self.init(.folderPartForeign, "\(path) belongs to another data folder, or an earlier version made it. \(FolderFault.wayOut)")
        case .manifestOlder:
            self.init(.folderPartOlder, "\(path) is older than the rest of the data folder. \(FolderFault.wayOut)")
        }
    }
}
