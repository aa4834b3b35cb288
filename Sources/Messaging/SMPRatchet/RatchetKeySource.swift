package import SMPCrypto

/// Where the keys of new agreements and ratchet steps come from. Each must be given out once only.
package protocol RatchetKeySource: Sendable {
    /// A KEM key pair that was never used.
    ///
    /// Making one costs far more than the rest of a message. A source that keeps some ready takes that cost out of the way of a message.
    func kemKeyPair() -> SNTRUP761.KeyPair

    /// An X448 key that was never used.
    func agreementKey(_ random: any RandomSource) -> X448.PrivateKey
}

extension RatchetKeySource {
    /// Makes the key when it is asked for.
    package func agreementKey(_ random: any RandomSource) -> X448.PrivateKey { X448.generateKeyPair(random).privateKey }
}

/// The source of fresh keys for an agreement or a step. Tests replace it with recorded keys.
protocol RatchetMaterial {
    func agreementKey() -> X448.PrivateKey
    func kemKeyPair() -> SNTRUP761.KeyPair
    func encapsulation(to key: SNTRUP761.PublicKey) -> SNTRUP761.Encapsulation
}

/// Random material, with keys from the caller's source if there is one.
struct RandomMaterial: RatchetMaterial {
    let random: any RandomSource
    let source: (any RatchetKeySource)?

    func agreementKey() -> X448.PrivateKey { source?.agreementKey(random) ?? X448.generateKeyPair(random).privateKey }
    func kemKeyPair() -> SNTRUP761.KeyPair { source?.kemKeyPair() ?? SNTRUP761.generateKeyPair(random) }
    func encapsulation(to key: SNTRUP761.PublicKey) -> SNTRUP761.Encapsulation { SNTRUP761.encapsulate(to: key, random) }
}
