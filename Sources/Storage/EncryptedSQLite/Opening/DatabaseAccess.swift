/// The state of a database before SQLite opens it, and whether the key fits.
enum DatabaseAccess {
    /// The form of a database on disk.
    enum Format: Equatable {
        /// There is no file, or an empty one.
        case absent
        case plain
        /// An encrypted database with this salt, or not a database.
        case encrypted(salt: [UInt8])
    }

    static func format(of path: String) throws(StorageError) -> Format {
        guard let file = try RawFile(path: path) else { return .absent }
        let beginning = try file.read(PageKeys.saltSize, at: 0)
        if beginning.isEmpty { return .absent }
        if beginning == PageLayout.header { return .plain }
        guard beginning.count == PageKeys.saltSize else {
            throw StorageError(.corrupt, "\(path) is not a database: it has only \(beginning.count) bytes. Restore it from a backup")
        }
        return .encrypted(salt: beginning)
    }

    /// Inspects a database before it is opened, and derives its keys.
    ///
    /// - Returns: nil for a database without encryption.
    /// - Throws: `keyNeeded`, `notEncrypted`, `wrongKey`, `corrupt` or `foreign`, each with a fix.
    static func protection(of path: String, label: String, key: DatabaseKey?) throws(StorageError) -> DatabaseProtection? {
        switch (try format(of: path), key) {
        case (.absent, nil), (.plain, nil): return nil
        case (.absent, let key?): return try DatabaseProtection.new(under: key)
        case (.plain, .some):
            throw StorageError(
                .notEncrypted,
                "the \(label) database \(path) is not encrypted, and a key was given: encrypt it with parley db key, or give no key")
        case (.encrypted, nil):
            throw StorageError(
                .keyNeeded,
                "the \(label) database \(path) is encrypted: give its key with --key-file, PARLEY_KEY_FILE or PARLEY_KEY. If it never was, it is damaged: restore a backup"
            )
        case (.encrypted(let salt), let key?):
            let protection = DatabaseProtection(try key.pageKeys(salt: salt))
            try PageInspection(path: path, label: label, cipher: try protection.cipher()).checkKey()
            try ForeignLog.refuse(besides: path, label: label, cipher: try protection.cipher())
            return protection
        }
    }
}
