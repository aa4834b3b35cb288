package import SMPWire

/// A public key with which a server checks the sender of a command: a signature key, or an X25519 key for authenticators.
package enum PublicAuthKey: Hashable, Sendable {
    case x25519(X25519.PublicKey)
    case ed25519(Ed25519.PublicKey)
    case ed448(Ed448.PublicKey)

    /// DER SubjectPublicKeyInfo.
    package var spki: Bytes {
        switch self {
        case .x25519(let key): key.spki
        case .ed25519(let key): key.spki
        case .ed448(let key): key.spki
        }
    }

    /// - Throws: ``CryptoError`` `invalidKey` if it is not the DER of a key of one of the three algorithms.
    package init(spki: Bytes) throws(CryptoError) {
        switch KeyEncoding.identifier(inPublic: spki) {
        case X25519.identifier: self = .x25519(try X25519.PublicKey(spki: spki))
        case Ed25519.identifier: self = .ed25519(try Ed25519.PublicKey(spki: spki))
        case Ed448.identifier: self = .ed448(try Ed448.PublicKey(spki: spki))
        default: throw CryptoError(.invalidKey, "not the encoding of a key that can authorise commands")
        }
    }

    /// Checks whether a signature belongs to the message; false for an X25519 key, which signs nothing.
    package func isValidSignature(_ signature: Bytes, for message: Bytes) -> Bool {
        switch self {
        case .x25519: false
        case .ed25519(let key): key.isValidSignature(signature, for: message)
        case .ed448(let key): key.isValidSignature(signature, for: message)
        }
    }
}

extension PublicAuthKey: WireCodable, StringCodable, CustomStringConvertible {
    /// Appends the DER, after a one-byte length.
    package func encode(to writer: inout WireWriter) { writer.write(short: spki) }

    package init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        try self.init(spki: try parser.short(), at: start)
    }

    /// Appends the base64url form of the DER.
    package func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(spki)) }

    package init(fromString parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        try self.init(spki: try parser.base64URL(), at: start)
    }

    private init(spki: Bytes, at offset: Int) throws(WireError) {
        do {
            try self.init(spki: spki)
        } catch {
            throw WireError(.invalidValue, error.message, at: offset)
        }
    }

    package var description: String { wireString }
}

/// The private half of ``PublicAuthKey``.
package enum PrivateAuthKey: Sendable, Equatable {
    case x25519(X25519.PrivateKey)
    case ed25519(Ed25519.PrivateKey)
    case ed448(Ed448.PrivateKey)

    package var publicKey: PublicAuthKey {
        switch self {
        case .x25519(let key): .x25519(key.publicKey)
        case .ed25519(let key): .ed25519(key.publicKey)
        case .ed448(let key): .ed448(key.publicKey)
        }
    }

    /// The raw key, without its algorithm.
    package var raw: SecretBytes {
        switch self {
        case .x25519(let key): key.raw
        case .ed25519(let key): key.raw
        case .ed448(let key): key.raw
        }
    }

    /// DER PrivateKeyInfo (PKCS #8), which includes the algorithm.
    package var pkcs8: SecretBytes {
        switch self {
        case .x25519(let key): key.pkcs8
        case .ed25519(let key): key.pkcs8
        case .ed448(let key): key.pkcs8
        }
    }

    /// - Throws: ``CryptoError`` `invalidKey` if it is not the DER of a key of one of the three algorithms.
    package init(pkcs8: SecretBytes) throws(CryptoError) {
        if let key = try? X25519.PrivateKey(pkcs8: pkcs8) {
            self = .x25519(key)
        } else if let key = try? Ed25519.PrivateKey(pkcs8: pkcs8) {
            self = .ed25519(key)
        } else if let key = try? Ed448.PrivateKey(pkcs8: pkcs8) {
            self = .ed448(key)
        } else {
            throw CryptoError(.invalidKey, "not the encoding of a key that can authorise commands")
        }
    }

    /// - Throws: ``CryptoError`` `invalidKey` if it is not the DER of a key of one of the three algorithms.
    package init(pkcs8: Bytes) throws(CryptoError) { try self.init(pkcs8: SecretBytes(pkcs8)) }
}
