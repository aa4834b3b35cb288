public import EncryptedSQLite
internal import Foundation

/// The databases of a data folder, for work while no bot runs: checks, backups and changes of key.
public struct DataFolder: Sendable {
    /// The path of the folder.
    public let path: String
    /// The beginning of the names of the core's files. With different names, several cores can share a folder.
    let name: String

    static let standardName = "parley"

    /// Creates the data folder at a path.
    public init(path: String) { self.init(path: path, name: Self.standardName) }

    /// Creates a folder at another path with the same names of files.
    init(path: String, like other: DataFolder) { self.init(path: path, name: other.name) }

    private init(path: String, name: String) {
        self.path = path
        self.name = name
    }

    /// Creates the folder of databases with a prefix, `<prefix>_chat.db`, as official clients name theirs.
    ///
    /// - Returns: nil for a prefix that names only a folder, and no files in it.
    package init?(databasePrefix prefix: String) {
        let name = prefix.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        guard !name.isEmpty, name != ".", name != ".." else { return nil }
        let folder = prefix.dropLast(name.count + 1)
        self.init(path: folder.isEmpty ? (prefix.hasPrefix("/") ? "/" : ".") : String(folder), name: name)
    }

    /// The beginning of the names of backups.
    var baseName: String { name }

    var hasStandardName: Bool { name == Self.standardName }

    /// The prefix of the paths of a core's databases.
    var corePrefix: String { (path == "/" ? "" : path) + "/" + name }

    /// The folder of a router inside the process.
    var routerFolder: String { hasStandardName ? path + "/router" : corePrefix + "_router" }

    /// The folder of a file router inside the process.
    var fileRouterFolder: String { hasStandardName ? path + "/file-router" : corePrefix + "_file_router" }

    /// The folder of files of chats; nil where commands name it.
    package var filesFolder: String? { hasStandardName ? path + "/files" : nil }

    /// True if a core has created its databases in the folder.
    package var hasDatabases: Bool { FileManager.default.fileExists(atPath: corePrefix + "_chat.db") }

    /// The socket at which a process that runs bots on the folder answers.
    package var socket: String { hasStandardName ? path + "/bots.sock" : corePrefix + "_bots.sock" }

    /// The databases besides the core's that use the same key.
    var companions: [DatabaseSet.Member] { hasStandardName ? [.init(label: "bots", path: path + "/bots.db")] : [] }

    /// The databases of the core and of the bots.
    public var databases: DatabaseSet {
        DatabaseSet(
            folder: path, name: name,
            members: [.init(label: "chat", path: corePrefix + "_chat.db"), .init(label: "agent", path: corePrefix + "_agent.db")] + companions)
    }

    /// Locks the folder for the time of `body`.
    ///
    /// - Throws: ``HostError`` `dataFolder` when the folder does not exist, `dataFolderInUse` when another process uses it.
    public func locked<Result>(_ body: (DatabaseSet) throws -> Result) throws -> Result {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            throw HostError.noDataFolder("there is no data folder \(path): name it with --data or PARLEY_DATA")
        }
        let lock = try lock()
        defer { lock.release() }
        let core: FolderLock
        do throws(StorageError) {
            core = try FolderLock(path: corePrefix + ".lock")
        } catch {
            throw inUse(error, by: LockHolder.process(of: corePrefix + ".lock"))
        }
        defer { core.release() }
        try FolderRestore.recover(self)
        return try body(databases)
    }

    /// Checks that all parts of the folder exist and belong together. The caller holds the folder's lock.
    ///
    /// - Throws: ``HostError`` `folderPart…`; `StorageError` for a database that cannot be opened.
    package func checkParts(key: DatabaseKey?) throws { _ = try FolderIdentity.open(self, key: key) }

    /// Gives the parts of the folder a new identity, even if parts are missing, older or of another folder. The caller holds the folder's lock.
    ///
    /// - Returns: the names of the present parts.
    package func acceptParts(key: DatabaseKey?) throws -> [String] { try FolderIdentity.accept(self, key: key).map(\.rawValue) }

    /// Marks the whole folder as a copy of another one, so that its connections agree on new keys at the next start. The caller holds the folder's lock.
    ///
    /// - Throws: As ``checkParts(key:)``.
    package func noteCopy(key: DatabaseKey?) throws { try FolderIdentity.noteCopy(self, key: key) }

    /// Checks whether a folder is a backup with a mark; false for a copy of a data folder made by other means.
    ///
    /// - Throws: ``HostError`` `backup` for anything else.
    package static func isBackup(_ path: String) throws -> Bool { try FolderRestore.isMarked(DataFolder(path: path)) }

    /// Makes a backup of the whole folder. The caller holds the folder's lock.
    ///
    /// - Parameter target: the folder in which the backup's folder is created; nil for `backups` in the data folder.
    /// - Returns: the path of the backup's folder.
    package func backUp(to target: String?, key: DatabaseKey?) throws -> String {
        let manifest = try FolderIdentity.manifest(of: self, key: key)
        let backup = FolderBackup(of: self, in: target ?? path + "/backups", key: key)
        do {
            try backup.make(manifest)
        } catch let error as StorageError {
            throw error
        } catch {
            throw HostError(copying: error, "\(path) cannot be backed up to \(backup.path)")
        }
        return backup.path
    }

    /// Replaces the content of the folder by a backup, or by a copy made by other means. The old content is kept. The caller holds the folder's lock.
    ///
    /// - Returns: the path of the old content; nil if there was none.
    package func restore(_ backup: String, key: DatabaseKey?, replaces: Bool) throws -> String? {
        do {
            return try FolderRestore.restore(backup, to: self, key: key, replaces: replaces)
        } catch let error as StorageError where error.code.isInput {
            throw error
        } catch {
            throw HostError(copying: error, "the backup \(backup) cannot be restored to \(path)")
        }
    }

    /// Checks that no other process uses the folder, before this process tries to open ports that the other has.
    ///
    /// - Throws: ``HostError`` `dataFolderInUse`.
    package func requireUnused() throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try lock().release()
    }

    /// Locks the folder. This comes before any access to its files, so that a second process gets an error about the folder, not about a file in it.
    package func lock() throws -> FolderLock {
        do throws(StorageError) {
            return try FolderLock(path: lockFile)
        } catch {
            throw inUse(error, by: lockHolder)
        }
    }

    private var lockFile: String { hasStandardName ? path + "/folder.lock" : corePrefix + ".folder.lock" }

    /// The process that holds the folder's lock; nil for none, or if the system does not report it.
    var lockHolder: Int? { LockHolder.process(of: lockFile) }

    private func inUse(_ error: StorageError, by process: Int?) -> any Error {
        guard error.code == .locked else { return error }
        let holder = process.map { "process \($0)" } ?? "that one"
        return HostError(
            .dataFolderInUse,
            "another process uses the data folder \(path), which only one process may use: stop \(holder), or name another folder with --data or PARLEY_DATA")
    }
}
