/// Databases in one folder that share a key, such as those of a data folder.
///
/// Operations on the set run while no database is open: the caller holds the folder's lock.
public struct DatabaseSet: Sendable {
    /// A database of the set. Its file may be missing.
    public struct Member: Sendable, Hashable {
        /// The name of the database in errors and reports.
        public let label: String
        /// The path of the database.
        public let path: String

        /// Creates a member.
        public init(label: String, path: String) {
            self.label = label
            self.path = path
        }
    }

    /// The databases of the folder.
    public let members: [Member]
    /// The file that records that a change of key is decided and must be finished.
    let decision: String

    /// - Parameter name: distinguishes the set from others in the folder.
    public init(folder: String, name: String, members: [Member]) {
        self.members = members
        decision = folder + "/" + name + ".rekey"
    }

    /// The databases that exist.
    public var present: [Member] {
        get throws(StorageError) {
            var present: [Member] = []
            for member in members where try DatabaseAccess.format(of: member.path) != .absent { present.append(member) }
            return present
        }
    }

    /// True if a database is encrypted, or is not a plain database.
    public var isEncrypted: Bool {
        get throws(StorageError) {
            for member in members {
                if case .encrypted = try DatabaseAccess.format(of: member.path) { return true }
            }
            return false
        }
    }

    /// Checks that the key, or none, opens each database.
    ///
    /// - Throws: ``StorageError`` `keyNeeded`, `wrongKey`, `notEncrypted`, `corrupt` or `foreign`.
    public func checkKey(_ key: DatabaseKey?) throws(StorageError) {
        try recover()
        try deriveKeys(key)
        for member in try present { _ = try DatabaseAccess.protection(of: member.path, label: member.label, key: key) }
    }

    /// Derives the keys of all existing databases in parallel: from a passphrase, each takes a good part of a second.
    public func deriveKeys(_ key: DatabaseKey?) throws(StorageError) {
        guard let key else { return }
        var salts: [[UInt8]] = []
        for member in members {
            if case .encrypted(let salt) = try DatabaseAccess.format(of: member.path) { salts.append(salt) }
        }
        try key.derive(salts)
    }

    /// Checks each existing database; see ``DatabaseCheck``.
    public func check(key: DatabaseKey?) throws(StorageError) -> [DatabaseReport] {
        try recover()
        try deriveKeys(key)
        var reports: [DatabaseReport] = []
        for member in try present { reports.append(DatabaseCheck(member, key: key).run()) }
        return reports
    }

    /// Copies each existing database, with its key, into a folder.
    ///
    /// - Returns: the paths of the copies, which are on disk. If one cannot be made, none is left.
    public func backUp(to folder: String, key: DatabaseKey?) throws(StorageError) -> [String] {
        try checkKey(key)
        let members = try present
        return try BackupSet(of: members, in: folder, key: key).make { member, copy in
            try KeyChange.opened(member, key: key) { db in try copy.make(from: db) }
        }
    }
}
