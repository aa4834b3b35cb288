public import SMPCrypto

/// Where the KEM key pairs of new agreements and ratchet steps come from.
///
/// Making a key pair costs far more than the rest of a message. A source that keeps some ready takes that cost out of the way of a
/// message. Each pair must be given out once only.
public protocol KEMKeySource: Sendable {
    /// A key pair that was never used.
    func keyPair() -> SNTRUP761.KeyPair
}

/// Makes each key pair when it is asked for.
public struct ImmediateKEMKeys: KEMKeySource {
    private let random: any RandomSource

    public init(_ random: any RandomSource) { self.random = random }

    public func keyPair() -> SNTRUP761.KeyPair { SNTRUP761.generateKeyPair(random) }
}

/// What is new in an agreement or a step. Tests put recorded keys in its place.
protocol RatchetMaterial {
    func agreementKey() -> X448.PrivateKey
    func kemKeyPair() -> SNTRUP761.KeyPair
    func encapsulation(to key: SNTRUP761.PublicKey) -> SNTRUP761.Encapsulation
}

/// Random material, with KEM key pairs from the caller's source if there is one.
struct RandomMaterial: RatchetMaterial {
    let random: any RandomSource
    let kemKeys: (any KEMKeySource)?

    func agreementKey() -> X448.PrivateKey { X448.generateKeyPair(random).privateKey }
    func kemKeyPair() -> SNTRUP761.KeyPair { kemKeys?.keyPair() ?? SNTRUP761.generateKeyPair(random) }
    func encapsulation(to key: SNTRUP761.PublicKey) -> SNTRUP761.Encapsulation { SNTRUP761.encapsulate(to: key, random) }
}
