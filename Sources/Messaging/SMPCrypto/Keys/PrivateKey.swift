public import SMPWire
internal import Synchronization

/// A private key of one algorithm, in memory that is zeroed after use.
public struct AlgorithmPrivateKey<Algorithm: KeyAlgorithm>: Sendable, Equatable {
    /// The key and its cached public key. The public key costs a multiplication on the curve, and many keys are only loaded: it is
    /// computed on first use, once for all copies of the key.
    private final class Storage: Sendable {
        let secret: SecretBytes
        let publicKey: Mutex<Bytes?>
        /// The agreement that replaces the algorithm's own: see ``AlgorithmPrivateKey/init(raw:agreeingBy:)``.
        let agreement: (any AgreementAlgorithm.Type)?

        init(_ secret: SecretBytes, publicKey: Bytes?, agreement: (any AgreementAlgorithm.Type)? = nil) {
            self.secret = secret
            self.publicKey = Mutex(publicKey)
            self.agreement = agreement
        }
    }

    private let storage: Storage

    /// - Throws: ``CryptoError`` `invalidKey` if the size is wrong.
    public init(raw: SecretBytes) throws(CryptoError) {
        guard raw.count == Algorithm.privateSize else {
            throw CryptoError(
                .invalidKey, "a private \(Algorithm.name) key has \(Algorithm.privateSize) bytes, not \(raw.count)")
        }
        self.init(unchecked: raw)
    }

    /// - Throws: ``CryptoError`` `invalidKey` if the size is wrong.
    public init(raw: Bytes) throws(CryptoError) { try self.init(raw: SecretBytes(raw)) }

    /// Creates a key with its stored public key, which is not computed again.
    package init(raw: SecretBytes, publicKey: AlgorithmPublicKey<Algorithm>) throws(CryptoError) {
        _ = try AlgorithmPrivateKey(raw: raw)
        storage = Storage(raw, publicKey: publicKey.raw)
    }

    init(unchecked raw: SecretBytes) { storage = Storage(raw, publicKey: nil) }

    /// ``KeyAlgorithm/privateSize`` bytes.
    public var raw: SecretBytes { storage.secret }

    /// The public key.
    public var publicKey: AlgorithmPublicKey<Algorithm> {
        AlgorithmPublicKey(
            unchecked: storage.publicKey.withLock { known in
                if let known { return known }
                let computed = Algorithm.publicKey(of: storage.secret)
                known = computed
                return computed
            })
    }

    /// DER PrivateKeyInfo (PKCS #8), version 0.
    public var pkcs8: SecretBytes { SecretBytes(Algorithm.privatePrefix) + raw }

    /// - Throws: ``CryptoError`` `invalidKey` if it is not the DER of a key of this algorithm, with nothing after it.
    public init(pkcs8: SecretBytes) throws(CryptoError) {
        let prefix = Algorithm.privatePrefix
        guard pkcs8.count == prefix.count + Algorithm.privateSize, pkcs8.withBytes({ $0.starts(with: prefix) }) else {
            throw CryptoError(.invalidKey, "not the encoding of a private \(Algorithm.name) key")
        }
        self.init(unchecked: pkcs8[prefix.count..<pkcs8.count])
    }

    /// - Throws: ``CryptoError`` `invalidKey` if it is not the DER of a key of this algorithm, with nothing after it.
    public init(pkcs8: Bytes) throws(CryptoError) { try self.init(pkcs8: SecretBytes(pkcs8)) }

    /// Compares two values.
    public static func == (left: Self, right: Self) -> Bool { left.raw == right.raw }
}

extension AlgorithmPrivateKey: CustomStringConvertible {
    /// A textual form, for messages and logs.
    public var description: String { "(private \(Algorithm.name) key)" }
}

extension AlgorithmPrivateKey where Algorithm: AgreementAlgorithm {
    /// Creates a key that agrees by another algorithm with keys of the same sizes: for simulations, which cannot afford the curve. Both
    /// sides must have such keys. A key that is created from the bytes alone, for example from a store, uses the algorithm itself.
    ///
    /// - Throws: ``CryptoError`` `invalidKey` if a size is wrong.
    package init(raw: SecretBytes, agreeingBy agreement: any AgreementAlgorithm.Type) throws(CryptoError) {
        let publicKey = try AlgorithmPublicKey<Algorithm>(raw: agreement.publicKey(of: raw))
        _ = try AlgorithmPrivateKey(raw: raw)
        storage = Storage(raw, publicKey: publicKey.raw, agreement: agreement)
    }

    /// Computes the raw secret on which the two keys agree, which is not an encryption key yet.
    ///
    /// - Throws: ``CryptoError`` `invalidKey` if the public key is of small order, so that the secret would be known to all.
    public func sharedSecret(with publicKey: AlgorithmPublicKey<Algorithm>) throws(CryptoError) -> SecretBytes {
        let algorithm = storage.agreement ?? Algorithm.self
        guard let secret = algorithm.agree(raw, publicKey.raw) else {
            throw CryptoError(.invalidKey, "the peer's \(Algorithm.name) key gives no secret")
        }
        return secret
    }
}

extension AlgorithmPrivateKey where Algorithm: SignatureAlgorithm {
    /// Signs a message deterministically.
    public func signature(for message: Bytes) -> Bytes {
        Algorithm.sign(message, privateKey: raw, publicKey: publicKey.raw)
    }
}
