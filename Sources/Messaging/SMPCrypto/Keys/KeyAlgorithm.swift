public import SMPWire

/// One of the four elliptic-curve algorithms (RFC 7748, RFC 8032), with the encoding of its keys (RFC 8410).
public protocol KeyAlgorithm: Sendable {
    /// The common name of the algorithm.
    static var name: String { get }
    /// Bytes of a raw public key.
    static var publicSize: Int { get }
    /// Bytes of a raw private key; for signatures this is the seed.
    static var privateSize: Int { get }
    /// The last byte of the algorithm's object identifier 1.3.101.x.
    static var identifier: UInt8 { get }
    /// Computes the raw public key of a raw private key.
    static func publicKey(of privateKey: SecretBytes) -> Bytes
}

/// An algorithm by which two keys agree on a secret.
public protocol AgreementAlgorithm: KeyAlgorithm {
    /// Computes the raw secret; nil if the public key is of small order.
    static func agree(_ privateKey: SecretBytes, _ publicKey: Bytes) -> SecretBytes?
}

/// An algorithm of signatures.
public protocol SignatureAlgorithm: KeyAlgorithm {
    /// Bytes of a signature.
    static var signatureSize: Int { get }
    static func sign(_ message: Bytes, privateKey: SecretBytes, publicKey: Bytes) -> Bytes
    static func verify(_ signature: Bytes, message: Bytes, publicKey: Bytes) -> Bool
}

/// The two keys of one party.
public struct AlgorithmKeyPair<Algorithm: KeyAlgorithm>: Sendable {
    /// The private key.
    public let privateKey: AlgorithmPrivateKey<Algorithm>
    /// The public key.
    public var publicKey: AlgorithmPublicKey<Algorithm> { privateKey.publicKey }

    /// Creates the pair of a private key.
    public init(_ privateKey: AlgorithmPrivateKey<Algorithm>) { self.privateKey = privateKey }
}

extension KeyAlgorithm {
    /// A public key of the algorithm.
    public typealias PublicKey = AlgorithmPublicKey<Self>
    /// A private key of the algorithm.
    public typealias PrivateKey = AlgorithmPrivateKey<Self>
    /// A key pair of the algorithm.
    public typealias KeyPair = AlgorithmKeyPair<Self>

    /// Generates a key pair from the next ``privateSize`` random bytes.
    public static func generateKeyPair(_ random: any RandomSource) -> KeyPair {
        let key = PrivateKey(unchecked: random.secret(privateSize))
        _ = key.publicKey
        return KeyPair(key)
    }
}
