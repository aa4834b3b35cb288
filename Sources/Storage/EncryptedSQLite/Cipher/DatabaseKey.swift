internal import COpenSSL
internal import Dispatch
internal import Synchronization

/// The key of encrypted databases: a passphrase, or the key itself in SQLCipher's notation `x'…'`.
///
/// The keys of pages are derived from it by PBKDF2 for each database, which takes a good part of a second on purpose, and are cached as
/// long as this object lives. All keys are in memory that is wiped afterwards.
public final class DatabaseKey: Sendable {
    /// The maximum length of a passphrase in bytes.
    public static let longest = 4096

    private enum Material {
        /// Text in UTF-8, from which keys are derived.
        case passphrase(SecretMemory)
        /// The key of pages itself, 32 bytes.
        case raw(SecretMemory)
    }

    private let material: Material
    /// The salt for a new database, if it was given with the key.
    let salt: [UInt8]?
    private let derived = Mutex<[[UInt8]: PageKeys]>([:])

    /// Creates a key from the text of a person or a program.
    ///
    /// `x'` + 64 hexadecimal digits + `'` is the key itself, with 96 digits the key and the salt of the database; as with SQLCipher's
    /// `PRAGMA key`. Anything else is a passphrase.
    ///
    /// - Throws: ``StorageError`` `invalidKey` for a text that is empty, or longer than ``longest``.
    public convenience init(_ text: String) throws(StorageError) {
        try self.init(utf8: Array(text.utf8))
    }

    /// Creates a key from the bytes of its text. The array is wiped, unless another variable shares it.
    public init(utf8 bytes: consuming [UInt8]) throws(StorageError) {
        var bytes = bytes
        defer { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        guard !bytes.isEmpty, bytes.count <= Self.longest, !bytes.contains(0) else {
            throw StorageError(.invalidKey, "a key has 1 to \(Self.longest) bytes and no zero byte")
        }
        if let raw = Self.hexadecimal(bytes) {
            material = .raw(
                try SecretMemory(count: 32) { (buffer) throws(StorageError) in
                    for index in 0..<32 { buffer[index] = raw[index] }
                })
            salt = raw.count == 48 ? Array(raw[32...]) : nil
        } else {
            let count = bytes.count
            material = .passphrase(
                try SecretMemory(count: count) { (buffer) throws(StorageError) in
                    for index in 0..<count { buffer[index] = bytes[index] }
                })
            salt = nil
        }
    }

    /// Checks whether two keys are the same.
    public func equals(_ other: DatabaseKey) -> Bool {
        switch (material, other.material) {
        case (.passphrase(let one), .passphrase(let two)), (.raw(let one), .raw(let two)): one.equals(two)
        default: false
        }
    }

    /// Returns the keys for the pages of a database.
    ///
    /// Two simultaneous calls may both derive the same keys, which is harmless.
    func pageKeys(salt: [UInt8]) throws(StorageError) -> PageKeys {
        if let keys = derived.withLock({ $0[salt] }) { return keys }
        let keys =
            switch material {
            case .passphrase(let passphrase): try PageKeys(passphrase: passphrase, salt: salt)
            case .raw(let key): try PageKeys(key: key, salt: salt)
            }
        derived.withLock { derived in
            // Only tests and key changes use many databases under one key object.
            if derived.count >= 64 { derived.removeAll() }
            derived[salt] = keys
        }
        return keys
    }

    /// Derives keys for several databases in parallel.
    func derive(_ salts: [[UInt8]]) throws(StorageError) {
        let failure = Mutex<StorageError?>(nil)
        DispatchQueue.concurrentPerform(iterations: salts.count) { index in
            do throws(StorageError) {
                _ = try pageKeys(salt: salts[index])
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let error = failure.withLock(\.self) { throw error }
    }

    /// Reads the bytes of `x'…'` with 64 or 96 digits; nil for another text.
    private static func hexadecimal(_ text: [UInt8]) -> [UInt8]? {
        guard text.count == 67 || text.count == 99, text[0] == UInt8(ascii: "x") || text[0] == UInt8(ascii: "X"),
            text[1] == UInt8(ascii: "'"), text[text.count - 1] == UInt8(ascii: "'")
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(48)
        for index in stride(from: 2, to: text.count - 1, by: 2) {
            guard let high = digit(text[index]), let low = digit(text[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension DatabaseKey: CustomStringConvertible, CustomDebugStringConvertible {
    /// A textual form, for messages and logs.
    public var description: String { "DatabaseKey(…)" }
    /// A textual form for debugging.
    public var debugDescription: String { description }
}
