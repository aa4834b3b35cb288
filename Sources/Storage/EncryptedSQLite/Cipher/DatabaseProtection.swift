internal import COpenSSL
internal import GRDBSQLite
internal import Synchronization

/// The encryption of one database: its files get their layers from here.
final class DatabaseProtection: Sendable {
    private let keys: PageKeys

    init(_ keys: PageKeys) { self.keys = keys }

    /// For a database that is not there yet.
    static func new(under key: DatabaseKey) throws(StorageError) -> DatabaseProtection {
        var salt = [UInt8](repeating: 0, count: PageKeys.saltSize)
        if let given = key.salt {
            salt = given
        } else if RAND_bytes(&salt, CInt(salt.count)) != 1 {
            throw StorageError(.unavailable, "there are no random numbers")
        }
        return DatabaseProtection(try key.pageKeys(salt: salt))
    }

    /// A cipher for one thread.
    func cipher() throws(StorageError) -> PageCipher { try PageCipher(keys) }

    /// The layer over a file of the database.
    func layer(over file: any FileLayer, _ kind: FileKind) throws(StorageError) -> any FileLayer {
        switch kind {
        case .database: EncryptedDatabase(file, try cipher())
        case .log: EncryptedLog(file, try cipher())
        case .journal: EncryptedJournal(file, try cipher())
        case .temporary, .list: try TemporaryFile(file)
        }
    }

    /// Makes files of a path be read and written through the encryption until the registration is released.
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

/// Keeps the protection of a path in force until it is released or forgotten. Files that are open stay encrypted then.
final class ProtectionRegistration: Sendable {
    /// As SQLite names it.
    let path: String
    private let isReleased = Mutex(false)

    fileprivate init(path: String) { self.path = path }

    deinit { release() }

    /// Calling it twice is harmless.
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
/// A write of less than a sector leaves the rest of it alone: without this promise SQLite splits and pads pages of the log. Atomic writes
/// are not promised, because SQLite then leaves out journals and their order.
let encryptedCharacteristics = SQLITE_IOCAP_POWERSAFE_OVERWRITE
