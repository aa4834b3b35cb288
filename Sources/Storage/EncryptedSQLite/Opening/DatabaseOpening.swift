internal import GRDB
internal import GRDBSQLite
internal import Logging
internal import Synchronization
internal import SystemSupport

/// The opening of a database file: inspects it, activates its encryption, and lets SQLite open it.
struct DatabaseOpening {
    let path: String
    let label: String
    let key: DatabaseKey?
    let registration: ProtectionRegistration?

    /// Inspects the file, and creates an empty one if there is none.
    init(path: String, label: String, key: DatabaseKey?) throws(StorageError) {
        self.label = label
        self.key = key
        self.path = path
        // Registered for plain databases, too: copies made from them use the same VFS, and may have a key.
        try ParleyVFS.register()
        let protection = try DatabaseAccess.protection(of: path, label: label, key: key)
        // SQLite creates the main file with the process's umask; the log files get the mode of the main file.
        FolderLock.makePrivateFile(path)
        registration = try protection?.register(path)
        if registration == nil, try ParleyVFS.isProtected(path) {
            throw StorageError(.locked, "\(path) is open under a key in this process")
        }
    }

    /// Makes a configuration whose connections keep temporary data in memory and leave room for the encryption on each page.
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
            // The first connection checks the database before any write, including the change to a write-ahead log.
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

    /// Records the extent of the opened database's log from now on.
    ///
    /// - Returns: nil if it cannot be recorded.
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
            // A process may have ended, or the disk may have failed, between the creation of the table of migrations and the first migration.
            // SQLite's index of that table may exist, too.
            let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE tbl_name NOT IN ('grdb_migrations', 'grdb_issue_102')") ?? 0
            guard tables == 0 else {
                throw StorageError(
                    .foreign, "another program created the file of the \(label) database: use another data folder, or move the file away")
            }
        } else if try hasBeenSuperseded(db) {
            throw StorageError(
                .newerDatabase, "the \(label) database was written by a newer version: update, or use another data folder")
        }
    }

    /// Returns the last applied migration of a database with pending migrations; nil for a new or an up-to-date one.
    fileprivate func versionBeforeMigration(_ db: Database) throws -> String? {
        let applied = try appliedMigrations(db)
        return applied.count == migrations.count ? nil : applied.last
    }
}

extension Database {
    /// Leaves room on each page of a new database for the vector and the authentication code, and checks that SQLite can keep temporary data in memory.
    func reserveRoomForEncryption() throws {
        var reserved = CInt(PageLayout.reserved)
        let code = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
        guard code == SQLITE_OK, sqlite3_compileoption_used("TEMP_STORE=0") == 0 else {
            throw StorageError(.unavailable, "this SQLite cannot keep encrypted databases (\(code)): it was built without the necessary options")
        }
    }
}
