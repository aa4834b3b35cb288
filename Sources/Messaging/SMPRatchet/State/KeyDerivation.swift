import SMPCrypto
import SMPWire

/// The key derivation functions of the ratchet. All keys have 32 bytes.
enum KeyDerivation {
    struct Root {
        let rootKey: SecretBytes
        let chainKey: SecretBytes
        let nextHeaderKey: SecretBytes
    }

    struct Link {
        let chainKey: SecretBytes
        let messageKey: MessageKey
        let headerIV: Bytes
    }

    /// A step of the root chain, by an X448 agreement and the secret of the KEM if it is used.
    static func root(_ rootKey: SecretBytes, agreement: SecretBytes, kem: SNTRUP761.SharedSecret?) -> Root {
        var salt = rootKey.bytes
        defer { SecretBytes.wipe(&salt) }
        let input = kem.map { agreement + $0 } ?? agreement
        let output = HKDF.derive(from: input, salt: salt, info: "SimpleXRootRatchet", count: 96)
        return Root(rootKey: output[0..<32], chainKey: output[32..<64], nextHeaderKey: output[64..<96])
    }

    /// A step of a sending or receiving chain.
    static func chain(_ chainKey: SecretBytes) -> Link {
        let output = HKDF.derive(from: chainKey, salt: [], info: "SimpleXChainRatchet", count: 96)
        return Link(
            chainKey: output[0..<32], messageKey: MessageKey(unchecked: output[32..<80]), headerIV: output[80..<96].bytes)
    }
}

/// The key of one message and the IV that goes with it.
struct MessageKey: Sendable, Equatable {
    /// Key and IV together.
    static let size = 48

    let bytes: SecretBytes

    init?(_ bytes: SecretBytes) {
        guard bytes.count == MessageKey.size else { return nil }
        self.bytes = bytes
    }

    init(unchecked bytes: SecretBytes) { self.bytes = bytes }

    var key: SecretBytes { bytes[0..<32] }
    var iv: Bytes { bytes[32..<48].bytes }
}
