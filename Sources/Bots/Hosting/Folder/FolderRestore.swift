internal import EncryptedSQLite
internal import Foundation
internal import RouterSupport
internal import SMPServer
internal import SystemSupport

/// The restore of a data folder from a backup, which keeps the old content. It is done completely, or not at all if the process ends before the decision.
///
/// 1. The backup is copied to `restore.partial`, which is renamed to `restoring.TIME`: from then on, the restore is decided.
/// 2. The content of the folder is moved to `replaced.TIME`. Then `restoring.TIME` is renamed to `restored.TIME`.
/// 3. The content of `restored.TIME` is moved into the folder.
///
/// ``recover(_:)`` finishes a restore that the end of the process has interrupted.
enum FolderRestore {
    private static let staged = "restore.partial"
    private static let decided = "restoring."
    private static let cleared = "restored."
    private static let aside = "replaced."

    /// Checks whether a name belongs to the content of a standard data folder, which excludes its locks, sockets and backups.
    private static func isContent(_ name: String) -> Bool {
        ["router", "file-router", "files", "parley_transfers", "parley.folder", "parley.inflight", "parley_agent.inflight", "bots.inflight", "running.json"]
            .contains(name)
            || ["parley_chat.db", "parley_agent.db", "bots.db"].contains { name == $0 || name.hasPrefix($0 + "-") }
    }

    /// Replaces the content of the folder by the backup. The caller holds the folder's lock.
    ///
    /// A copy of a data folder without the mark of a backup, such as one made with `cp`, is accepted, too.
    ///
    /// - Parameter replaces: true to keep the old content; if false, a folder with content is refused.
    /// - Returns: the path of the old content; nil if the folder had none.
    /// - Throws: ``HostError`` `backup` for an incomplete backup or copy, or a folder with content; `dataFolderInUse` for a copy that a process uses.
    static func restore(_ backup: String, to data: DataFolder, key: DatabaseKey?, replaces: Bool, now: Date = Date()) throws -> String? {
        try recover(data)
        let source = DataFolder(path: backup), isMarked = try isMarked(source)
        if isMarked { try check(source, key: key) } else { try requireOther(source, than: data) }
        let content = try FileManager.default.contentsOfDirectory(atPath: data.path).filter(isContent)
        // Every start creates an empty folder for files.
        let isEmpty = !content.contains { $0 != "files" && $0 != "running.json" }
        guard replaces || isEmpty else {
            throw HostError(
                .backup,
                "\(data.path) holds data, which may be newer than the backup. With --replace it is kept in a folder next to the restored one, or name another folder with --data"
            )
        }
        let path = data.path + "/" + staged
        try? FileManager.default.removeItem(atPath: path)
        if isMarked { try FolderCopy.copy(backup, to: path) } else { try stage(source, at: path, key: key) }
        FailPoint.restoreCopied.pass()
        let stamp = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted).format(now)
        try rename(path, to: data.path + "/" + decided + stamp)
        FailPoint.restoreDecided.pass()
        return try finish(data)
    }

    /// Finishes a decided restore, and removes the remains of an undecided one. Call this before the folder is used.
    static func recover(_ data: DataFolder) throws {
        guard data.hasStandardName, FileManager.default.fileExists(atPath: data.path) else { return }
        do {
            _ = try finish(data)
            let path = data.path + "/" + staged
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        } catch {
            throw HostError(copying: error, "a restore of \(data.path) was interrupted and cannot be finished")
        }
    }

    private static func finish(_ data: DataFolder) throws -> String? {
        let manager = FileManager.default
        var names = try manager.contentsOfDirectory(atPath: data.path).sorted()
        var kept: String?
        if let name = names.first(where: { $0.hasPrefix(decided) }) {
            let stamp = name.dropFirst(decided.count), target = data.path + "/" + aside + stamp
            try manager.createDirectory(atPath: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for old in names where isContent(old) {
                try rename(data.path + "/" + old, to: target + "/" + old)
                FailPoint.restoreMoved.pass()
            }
            // If the old content is put back later, its connections have continued without it.
            let old = DataFolder(path: target)
            if var manifest = try? SmallFile.read(FolderManifest.self, from: old.manifestPath), manifest.backup == nil {
                manifest.isCopy = true
                try SmallFile.write(manifest, to: old.manifestPath)
            }
            try WholeFile.synchronizeFolder(of: target + "/.")
            try rename(data.path + "/" + name, to: data.path + "/" + cleared + stamp)
            names = try manager.contentsOfDirectory(atPath: data.path).sorted()
        }
        if let name = names.first(where: { $0.hasPrefix(cleared) }) {
            let source = data.path + "/" + name, target = data.path + "/" + aside + name.dropFirst(cleared.count)
            for new in try manager.contentsOfDirectory(atPath: source).sorted() {
                try rename(source + "/" + new, to: data.path + "/" + new)
                FailPoint.restoreMoved.pass()
            }
            try manager.removeItem(atPath: source)
            if try manager.contentsOfDirectory(atPath: target).isEmpty { try manager.removeItem(atPath: target) } else { kept = target }
            try WholeFile.synchronizeFolder(of: source)
        }
        return kept
    }

    private static func rename(_ path: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: path, toPath: other)
        try WholeFile.synchronizeFolder(of: other)
    }

    /// Checks whether a folder is a backup; false for a copy made by other means.
    ///
    /// - Throws: ``HostError`` `backup` for anything else.
    static func isMarked(_ source: DataFolder) throws(HostError) -> Bool {
        guard let manifest = try SmallFile.read(FolderManifest.self, from: source.manifestPath) else {
            throw HostError(
                .backup, "\(source.path) is neither a backup nor a copy of a data folder: parley db backup makes a backup, and prints its path")
        }
        return manifest.backup != nil
    }

    private static func check(_ source: DataFolder, key: DatabaseKey?) throws {
        let inventory = try FolderIdentity.inventory(of: source, key: key)
        do throws(FolderFault) {
            _ = try FolderDecision(inventory)
        } catch {
            throw HostError(.backup, "the backup is incomplete: " + HostError(error, in: source).message)
        }
        try requireSound(source, key: key)
    }

    private static func requireSound(_ source: DataFolder, key: DatabaseKey?) throws {
        for report in try source.databases.check(key: key) where !report.isSound {
            throw HostError(.backup, "the backup is damaged: \(report.path): \(report.problems.first ?? "")")
        }
    }

    // MARK: Copies without a mark

    private static func requireOther(_ source: DataFolder, than data: DataFolder) throws(HostError) {
        func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path }
        guard real(source.path) != real(data.path) else {
            throw HostError(.backup, "\(source.path) is the data folder itself: to mark it as a copy in its place, use parley db mark-copy")
        }
    }

    /// Copies the content of a data folder that nobody uses. Pending work, such as folding in a write-ahead log, is done in the copy, so that the source
    /// stays unchanged.
    private static func stage(_ source: DataFolder, at path: String, key: DatabaseKey?) throws {
        let lock = try requireStopped(source)
        defer { lock?.release() }
        let manager = FileManager.default
        try manager.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // `running.json` describes the process that ran on the source.
        for name in try manager.contentsOfDirectory(atPath: source.path) where isContent(name) && name != "running.json" {
            try FolderCopy.copy(source.path + "/" + name, to: path + "/" + name)
        }
        do {
            try noteCopy(DataFolder(path: path), key: key)
        } catch {
            try? manager.removeItem(atPath: path)
            func named(_ text: String) -> String { text.replacingOccurrences(of: path, with: source.path) }
            switch error {
            case let error as HostError: throw HostError(.backup, "the copy is incomplete: " + named(error.message))
            case let error as StorageError: throw StorageError(error.code, named(error.message), cause: error.cause)
            default: throw error
            }
        }
    }

    private static func noteCopy(_ staged: DataFolder, key: DatabaseKey?) throws {
        try FolderIdentity.noteCopy(staged, key: key)
        try requireSound(staged, key: key)
    }

    /// - Returns: nil if no process has ever used the folder, or none can.
    private static func requireStopped(_ source: DataFolder) throws -> FolderLock? {
        guard FileManager.default.fileExists(atPath: source.path + "/folder.lock") else { return nil }
        do {
            return try source.lock()
        } catch let error as HostError {
            throw error
        } catch {
            // No process can run on a folder that cannot be written.
            return nil
        }
    }
}

extension HostError {
    /// Creates an error of copying or moving files. An error with a code keeps its code.
    ///
    /// - Parameter what: the failed operation, as the beginning of a sentence.
    init(copying error: any Error, _ what: String) {
        switch error {
        case let error as HostError: self = error
        case let error as StorageError: self.init(.backup, "\(what): \(error.message)")
        case let error as RouterError: self.init(.backup, "\(what): \(error.message)")
        case let error as SystemError: self.init(.backup, "\(what): \(error)")
        default: self.init(.backup, "\(what): \(error.localizedDescription)")
        }
    }
}
