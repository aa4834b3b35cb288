internal import GRDB
internal import GRDBSQLite
internal import Logging
internal import Synchronization
internal import SystemSupport

/// Opens one database file: looks at it, puts its encryption in force, and lets SQLite open it.
struct DatabaseOpening {
    let path: String
    let label: String
    let key: DatabaseKey?
    let registration: ProtectionRegistration?

    /// Looks at the file, and makes an empty one if there is none.
    init(path: String, label: String, key: DatabaseKey?) throws(StorageError) {
        self.label = label
        self.key = key
        self.path = path
        // Also for plain databases: those that are made from one are opened as it was, and may have a key.
        try ParleyVFS.register()
        let protection = try DatabaseAccess.protection(of: path, label: label, key: key)
        // SQLite makes its files with the process's mask; the log files take the mode of the main one.
        FolderLock.makePrivateFile(path)
        registration = try protection?.register(path)
        if registration == nil, try ParleyVFS.isProtected(path) {
            throw StorageError(.locked, "\(path) is open under a key in this process")
        }
    }

    /// A configuration whose connections keep temporary things in memory and leave room for the encryption on each page.
    static func configuration(
        label: String, readers: Int, isEncrypted: Bool = false, prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) -> Configuration {
        var configuration = Configuration()
        configuration.label = label
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = readers
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            if isEncrypted { try db.reserveRoomForEncryption() }
            try prepare(db)
        }
        return configuration
    }

    func open(
        migrator: DatabaseMigrator, readers: Int, logger: Logger, prepare: @escaping @Sendable (Database) throws -> Void
    ) throws -> DatabasePool {
        let isChecked = Mutex(false), label = label
        let configuration = Self.configuration(label: label, readers: readers, isEncrypted: registration != nil) { db in
            // The first connection looks before anything is written, the change to a write-ahead log included.
            let isFirst = isChecked.withLock { isChecked in
                defer { isChecked = true }
                return !isChecked
            }
            if isFirst {
                try db.rewriteLog()
                try migrator.refuseOthers(db, label: label)
            }
            try prepare(db)
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        // GRDB lowers `synchronous` while it sets the journal mode, after `prepareDatabase`.
        try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        if let version = try pool.read(migrator.versionBeforeMigration) {
            let backup = try Backups(of: path).make(version: version, key: key, from: pool)
            logger.notice(
                "a new version changes the database: it was backed up",
                metadata: ["database": "\(label)", "code": "storage.backup", "backup": "\(backup)"])
        }
        FailPoint.databaseMigrate.pass()
        try migrator.migrate(pool)
        FailPoint.databaseMigrated.pass()
        return pool
    }

    /// Notes from now on how much is in the log of a database that was opened.
    ///
    /// - Returns: nil if that cannot be noted.
    func extent(of pool: DatabasePool) throws -> LogExtent? {
        guard let extent = LogExtent(of: path) else { return nil }
        try pool.writeWithoutTransaction { try extent.follow($0) }
        return extent
    }
}

extension DatabaseMigrator {
    /// Refuses a database that a newer version or another program has written.
    fileprivate func refuseOthers(_ db: Database, label: String) throws {
        let applied = try appliedIdentifiers(db)
        if applied.isEmpty {
            // A process may have ended, or the disk have failed, behind the table of migrations and before the first of them. SQLite's index of
            // that table is there, too.
            let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE tbl_name NOT IN ('grdb_migrations', 'grdb_issue_102')") ?? 0
            guard tables == 0 else {
                throw StorageError(
                    .foreign, "another program made the file of the \(label) database: use another data folder, or move the file away")
            }
        } else if try hasBeenSuperseded(db) {
            throw StorageError(
                .newerDatabase, "the \(label) database was written by a newer version: update, or use another data folder")
        }
    }

    /// The last migration that a database has, if there are more to come; nil for a new or an up-to-date one.
    fileprivate func versionBeforeMigration(_ db: Database) throws -> String? {
        let applied = try appliedMigrations(db)
        return applied.count == migrations.count ? nil : applied.last
    }
}

extension Database {
    /// Leaves room on each page of a new database for the vector and the authentication code, and makes sure that nothing is spilled.
    func reserveRoomForEncryption() throws {
        var reserved = CInt(PageLayout.reserved)
        let code = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
        guard code == SQLITE_OK, sqlite3_compileoption_used("TEMP_STORE=0") == 0 else {
            throw StorageError(.unavailable, "this SQLite cannot keep encrypted databases (\(code)): it was built without what that needs")
        }
    }
}
