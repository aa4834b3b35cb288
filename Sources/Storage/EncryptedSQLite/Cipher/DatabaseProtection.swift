internal import COpenSSL
internal import GRDBSQLite
internal import Synchronization

/// The encryption of one database, which provides the layers over its files.
final class DatabaseProtection: Sendable {
    private let keys: PageKeys

    init(_ keys: PageKeys) { self.keys = keys }

    /// Creates the encryption of a new database.
    static func new(under key: DatabaseKey) throws(StorageError) -> DatabaseProtection {
        var salt = [UInt8](repeating: 0, count: PageKeys.saltSize)
        if let given = key.salt {
            salt = given
        } else if RAND_bytes(&salt, CInt(salt.count)) != 1 {
            throw StorageError(.unavailable, "OpenSSL provides no random numbers")
        }
        return DatabaseProtection(try key.pageKeys(salt: salt))
    }

    /// Creates a cipher for one thread.
    func cipher() throws(StorageError) -> PageCipher { try PageCipher(keys) }

    /// Creates the layer over a file of the database.
    func layer(over file: any FileLayer, _ kind: FileKind) throws(StorageError) -> any FileLayer {
        switch kind {
        case .database: EncryptedDatabase(file, try cipher())
        case .log: EncryptedLog(file, try cipher())
        case .journal: EncryptedJournal(file, try cipher())
        case .temporary, .list: try TemporaryFile(file)
        }
    }

    /// Encrypts the files of a path until the registration is released.
    func register(_ path: String) throws(StorageError) -> ProtectionRegistration {
        try ParleyVFS.register()
        let full = try ParleyVFS.fullPath(path)
        try ParleyVFS.state.withLock { (state) throws(StorageError) in
            if let other = state.protections[full], other !== self, !other.keys.salt.elementsEqual(keys.salt) {
                throw StorageError(.locked, "\(path) is open under another key in this process")
            }
            state.protections[full] = self
            state.uses[full, default: 0] += 1
        }
        return ProtectionRegistration(path: full)
    }
}

/// A registration that keeps the encryption of a path in force until it is released or freed. Open files stay encrypted after that.
final class ProtectionRegistration: Sendable {
    /// The full path, as SQLite names it.
    let path: String
    private let isReleased = Mutex(false)

    fileprivate init(path: String) { self.path = path }

    deinit { release() }

    /// Ends the registration. May be called again.
    func release() {
        let isFirst = isReleased.withLock { isReleased in
            defer { isReleased = true }
            return !isReleased
        }
        guard isFirst else { return }
        ParleyVFS.state.withLock { state in
            let uses = (state.uses[path] ?? 1) - 1
            state.uses[path] = uses > 0 ? uses : nil
            if uses <= 0 { state.protections[path] = nil }
        }
    }
}

/// The device characteristics that all encrypted files report to SQLite, whatever the device does.
///
/// They promise that a write of less than a sector leaves the rest of it unchanged: without this promise, SQLite splits and pads pages of
/// the log. They do not promise atomic writes, because SQLite would then omit journals and their order.
let encryptedCharacteristics = SQLITE_IOCAP_POWERSAFE_OVERWRITE
