internal import CSodium

/// HMAC (RFC 2104).
package enum HMAC {
    /// Computes the HMAC-SHA-256 of a message.
    ///
    /// - Parameter key: of any length.
    /// - Returns: 32 bytes.
    package static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        Sodium.start()
        var state = crypto_auth_hmacsha256_state()
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        crypto_auth_hmacsha256_final(&state, &code)
        sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha256_state>.size)
        return code
    }
}
