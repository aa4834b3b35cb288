internal import CSodium
package import SMPWire

/// HKDF with SHA-512 (RFC 5869).
package enum HKDF {
    /// Derives key material.
    ///
    /// - Parameters:
    ///   - secret: the input key material.
    ///   - salt: any length; empty means 64 zero bytes.
    ///   - info: text that separates the uses of one secret.
    ///   - count: at most 16,320 bytes.
    package static func derive(from secret: SecretBytes, salt: Bytes, info: StaticString, count: Int) -> SecretBytes {
        derive(from: secret, salt: salt, info: info.withUTF8Buffer { Bytes($0) }, count: count)
    }

    /// Derives key material with `info` that is computed at run time.
    package static func derive(from secret: SecretBytes, salt: Bytes, info: Bytes, count: Int) -> SecretBytes {
        precondition(count <= 255 * Authentication.size, "HKDF gives at most 16,320 bytes")
        // Setting a key costs as much as a short message: it is done once, and not at all without a salt.
        var extraction = salt.isEmpty ? Authentication(like: .unkeyed) : Authentication(key: salt, count: salt.count)
        secret.withBytes { extraction.update($0) }
        var keyed = extraction.finish().withPointer { Authentication(key: $0, count: Authentication.size) }
        defer { keyed.wipe() }
        return SecretBytes(count: count) { output in
            var block = SecretBytes([])
            var counter: UInt8 = 1
            for start in stride(from: 0, to: output.count, by: Authentication.size) {
                var expansion = Authentication(like: keyed)
                block.withBytes { expansion.update($0) }
                info.withUnsafeBytes { expansion.update($0) }
                withUnsafeBytes(of: counter) { expansion.update($0) }
                block = expansion.finish()
                let end = min(start + Authentication.size, output.count)
                block.withBytes {
                    UnsafeMutableRawBufferPointer(rebasing: output[start..<end])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<(end - start)]))
                }
                counter &+= 1
            }
        }
    }
}

/// HMAC-SHA-512 in pieces.
private struct Authentication: ~Copyable {
    static let size = 64
    /// An authentication with an empty key and no input.
    static let unkeyed = Authentication(key: [], count: 0)

    private var state = crypto_auth_hmacsha512_state()

    init(key: UnsafePointer<UInt8>, count: Int) {
        Sodium.start()
        crypto_auth_hmacsha512_init(&state, key, count)
    }

    /// Copies an authentication with its key and its input so far.
    init(like other: borrowing Authentication) { state = other.state }

    mutating func update(_ piece: UnsafeRawBufferPointer) {
        guard let start = piece.bindMemory(to: UInt8.self).baseAddress else { return }
        crypto_auth_hmacsha512_update(&state, start, UInt64(piece.count))
    }

    /// Returns the code of all pieces. No call may follow: libsodium wipes the state.
    mutating func finish() -> SecretBytes {
        SecretBytes(count: Authentication.size) { output in _ = crypto_auth_hmacsha512_final(&state, output) }
    }

    /// Wipes the key of an unfinished authentication. A `deinit` cannot do this: it could only change a copy of the state.
    mutating func wipe() { sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha512_state>.size) }
}
