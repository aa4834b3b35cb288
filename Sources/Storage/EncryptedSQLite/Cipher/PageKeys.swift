internal import COpenSSL

/// The keys that encrypt and authenticate the pages of one database, as SQLCipher 4 derives them by default.
final class PageKeys: Sendable {
    static let saltSize = 16
    static let keySize = 32
    /// The number of rounds with which SQLCipher 4 hashes a passphrase.
    static let iterations: CInt = 256_000

    /// The salt, which is the first bytes of the database.
    let salt: [UInt8]
    /// The key of AES-256.
    let encryption: SecretMemory
    /// The key of HMAC-SHA512.
    let authentication: SecretMemory
    /// The key of AES-256 for the data beside pages in logs and journals that depends on their contents. SQLCipher has no such key.
    let surroundings: SecretMemory

    /// Derives the keys from a passphrase, which takes a good part of a second.
    convenience init(passphrase: SecretMemory, salt: [UInt8]) throws(StorageError) {
        let key = try SecretMemory(count: Self.keySize) { (key) throws(StorageError) in
            try pbkdf2(passphrase, salt: salt, iterations: Self.iterations, into: key)
        }
        try self.init(key: key, salt: salt)
    }

    /// Derives the keys from the key of pages.
    init(key: SecretMemory, salt: [UInt8]) throws(StorageError) {
        self.salt = salt
        encryption = key
        let authentication = try SecretMemory(count: Self.keySize) { (output) throws(StorageError) in
            try pbkdf2(key, salt: salt.map { $0 ^ 0x3A }, iterations: 2, into: output)
        }
        self.authentication = authentication
        surroundings = try SecretMemory(count: Self.keySize) { (output) throws(StorageError) in
            try pbkdf2(authentication, salt: Array("parley: beside pages".utf8), iterations: 1, into: output)
        }
    }
}

/// Derives a key by PBKDF2 with HMAC-SHA512.
private func pbkdf2(
    _ secret: SecretMemory, salt: [UInt8], iterations: CInt, into output: UnsafeMutableRawBufferPointer
) throws(StorageError) {
    let isDone = secret.withBytes { secret in
        PKCS5_PBKDF2_HMAC(
            secret.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(secret.count), salt, CInt(salt.count), iterations, EVP_sha512(),
            CInt(output.count), output.baseAddress?.assumingMemoryBound(to: UInt8.self)) == 1
    }
    guard isDone else { throw StorageError(.unavailable, "OpenSSL cannot derive keys with PBKDF2 and SHA-512") }
}
