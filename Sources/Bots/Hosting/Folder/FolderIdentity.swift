internal import EncryptedSQLite
internal import Foundation
internal import SystemSupport

/// The identity of a data folder whose lock this process holds.
///
/// A start calls ``open(_:key:)``, which refuses a folder whose parts do not belong together and changes nothing then; ``raise()``, before any part of the
/// folder is used; and ``establish(_:)`` for parts that were created or adopted since.
actor FolderIdentity {
    private let data: DataFolder
    private let key: DatabaseKey?
    private var manifest: FolderManifest
    private var inventory: FolderInventory
    private let decision: FolderDecision

    private init(_ data: DataFolder, _ key: DatabaseKey?, _ manifest: FolderManifest, _ inventory: FolderInventory, _ decision: FolderDecision) {
        (self.data, self.key, self.manifest, self.inventory, self.decision) = (data, key, manifest, inventory, decision)
    }

    /// Inspects a folder. Changes nothing, except for the remains of an interrupted change of key.
    ///
    /// - Throws: ``HostError`` `folderPart…` for a folder whose parts do not belong together; `StorageError` for a database that cannot be opened.
    static func open(_ data: DataFolder, key: DatabaseKey?) throws -> FolderIdentity {
        let inventory = try inventory(of: data, key: key), decision = try decide(inventory, data)
        return FolderIdentity(data, key, decision.manifest, inventory, decision)
    }

    private static func decide(_ inventory: FolderInventory, _ data: DataFolder) throws(HostError) -> FolderDecision {
        do throws(FolderFault) {
            return try FolderDecision(inventory)
        } catch {
            throw HostError(error, in: data)
        }
    }

    static func inventory(of data: DataFolder, key: DatabaseKey?) throws -> FolderInventory {
        // First, because a loss can no longer be found after a database has been opened.
        for member in data.databases.members {
            if let loss = try member.logLoss() { throw HostError(loss, of: member.path) }
        }
        try data.databases.checkKey(key)
        var inventory = FolderInventory(manifest: try readManifest(of: data), parts: [:])
        for part in data.possibleParts { inventory.parts[part] = try data.state(of: part, key: key) }
        inventory.difference = difference(of: data, inventory)
        return inventory
    }

    /// Finds the difference between a file and its recorded identity.
    private static func difference(of data: DataFolder, _ inventory: FolderInventory) -> FileIdentity.Difference? {
        var noted: [(file: FileIdentity?, path: String?)] = [(inventory.manifest?.file, data.manifestPath)]
        for (part, state) in inventory.parts { noted.append((state.mark?.file, data.location(of: part))) }
        let differences = noted.compactMap { noted in noted.file.flatMap { file in noted.path.flatMap(FileIdentity.init(path:))?.difference(from: file) } }
        return differences.contains(.birth) ? .birth : differences.first
    }

    private struct Format: Decodable {
        let format: Int
    }

    private static func readManifest(of data: DataFolder) throws(HostError) -> FolderManifest? {
        if let format = try SmallFile.read(Format.self, from: data.manifestPath), format.format > FolderManifest.currentFormat {
            throw HostError(.dataFolder, "a newer version of Parley wrote \(data.manifestPath): update, or use another data folder")
        }
        return try SmallFile.read(FolderManifest.self, from: data.manifestPath)
    }

    /// Returns the present manifest of a folder, for its backup.
    ///
    /// - Throws: As ``open(_:key:)``.
    static func manifest(of data: DataFolder, key: DatabaseKey?) throws -> FolderManifest {
        var manifest = try decide(try inventory(of: data, key: key), data).manifest
        manifest.isCopy = nil
        return manifest
    }

    /// The present identity.
    var current: FolderManifest { manifest }

    /// True if the connections must agree on new keys before anything is sent.
    var mustSynchronize: Bool { manifest.mustSynchronize }
    /// True if the folder is a copy, and not from a backup, until all parts have the identity of a separate folder.
    var isCopy: Bool { manifest.previous != nil && manifest.backup == nil }
    /// True if the numbers of inodes change at every start, without a copy.
    var hasUnsteadyInodes: Bool { inventory.difference == .inode && !inventory.isCopy }
    /// The time at which the folder was last restored from a backup or found to be a copy, in seconds since 1970.
    var restoredAt: Int64? { manifest.restoredAt }

    private func write() throws(HostError) { try SmallFile.write(manifest, to: data.manifestPath) }

    /// Raises the generation in all present parts.
    func raise() throws {
        switch decision {
        case .new, .adopt: break
        case .proceed:
            if !manifest.isRaising { manifest.generation += 1 }
            if inventory.difference == nil { manifest.inodeChanges = nil }
        case .restore:
            if manifest.previous == nil {
                manifest.previous = manifest.folder
                manifest.backup = manifest.backup ?? FolderPart.allCases.lazy.compactMap { [inventory] in inventory[$0].mark?.backup }.first
                manifest.folder = FolderManifest.newID()
                manifest.generation += 1
                manifest.restoredAt = Int64(Date().timeIntervalSince1970)
                manifest.inodeChanges = inventory.difference == .inode ? (manifest.inodeChanges ?? 0) + 1 : nil
            }
            manifest.mustSynchronize = true
        }
        manifest.isRaising = true
        try write()
        FailPoint.folderProposed.pass()
        switch decision {
        // Copied parts get their new mark later, when the databases record that connections must be synchronized.
        case .new, .adopt, .restore: break
        case .proceed:
            for part in FolderPart.allCases where inventory[part].mark != nil {
                try data.write(manifest.mark, to: part, key: key)
                inventory.parts[part] = .marked(manifest.mark)
                FailPoint.folderMarked.pass()
            }
            manifest.isRaising = false
            try write()
        }
        FailPoint.folderRaised.pass()
    }

    /// Writes the identity to all present parts, open or not, that do not have it.
    ///
    /// - Parameter open: the open databases, by the name of their part. All other parts are not open.
    func establish(_ open: [String: DatabaseFile]) async throws {
        let databases = Dictionary(uniqueKeysWithValues: open.compactMap { name, file in FolderPart(rawValue: name).map { ($0, file) } })
        var found: [FolderPart] = []
        for part in data.possibleParts {
            // This does not open a database that another part of the process has open.
            if databases[part] != nil || inventory[part].isPresent {
                found.append(part)
            } else if try !part.isDatabase && data.state(of: part, key: key).isPresent {
                found.append(part)
            }
        }
        guard manifest.isRaising || manifest.mustSynchronize || found.contains(where: { !manifest.parts.contains($0) }) else { return }
        var next = manifest
        for part in found { next.add(part) }
        for part in found where inventory[part].mark.map({ $0.folder != next.folder || $0.backup != nil || $0.generation < next.generation }) ?? true {
            if let file = databases[part] {
                try await file.write(next.mark)
            } else {
                try data.write(next.mark, to: part, key: key)
            }
            inventory.parts[part] = .marked(next.mark)
            FailPoint.folderMarked.pass()
        }
        next.isRaising = false
        next.previous = nil
        next.backup = nil
        next.isCopy = nil
        next.mustSynchronize = false
        manifest = next
        try write()
        FailPoint.folderRaised.pass()
    }

    /// Records that a whole folder is a copy of another one: its next start gives it a new identity, and its connections agree on new keys before
    /// anything is sent.
    ///
    /// - Throws: As ``open(_:key:)``.
    static func noteCopy(_ data: DataFolder, key: DatabaseKey?) throws {
        var manifest = try decide(try inventory(of: data, key: key), data).manifest
        manifest.isCopy = true
        try SmallFile.write(manifest, to: data.manifestPath)
    }

    /// Gives all parts in a folder a new identity, whatever folder they were part of.
    ///
    /// At the next start, connections agree on new keys before anything is sent, because a database may be older than the last one.
    ///
    /// - Returns: the present parts.
    static func accept(_ data: DataFolder, key: DatabaseKey?) throws -> [FolderPart] {
        for member in data.databases.members { try member.acceptLogLoss() }
        try data.databases.checkKey(key)
        var found: [FolderPart] = []
        for part in data.possibleParts {
            let state: FolderPartState
            do {
                state = try data.state(of: part, key: key)
            } catch let error as HostError where !part.isDatabase && error.code != .folderPartUnreadable {
                // The unreadable mark is replaced.
                state = .unmarked
            }
            if state.isPresent { found.append(part) }
        }
        var manifest = FolderManifest(folder: FolderManifest.newID(), isRaising: false, parts: found)
        manifest.mustSynchronize = true
        manifest.restoredAt = Int64(Date().timeIntervalSince1970)
        for part in found {
            try data.write(manifest.mark, to: part, key: key)
            FailPoint.folderMarked.pass()
        }
        try SmallFile.write(manifest, to: data.manifestPath)
        FailPoint.folderRaised.pass()
        return found
    }
}
