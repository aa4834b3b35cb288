import SMPCrypto

/// The algorithm by which an agent authorises its commands about a queue (simplex-messaging.md, "Authenticating commands").
///
/// A queue keeps the key that it was made with, so all of them work side by side.
package enum QueueKeyAlgorithm: Sendable, Hashable, CaseIterable {
    /// Authenticators, which prove nothing to third parties and, after one agreement for each session, cost a hash. Routers from SMP
    /// version 7 on know them, which is below the lowest version that is offered.
    case x25519
    /// Signatures, as the official agents make them.
    case ed25519

    /// A new key.
    func generateKey(_ random: any RandomSource) -> PrivateAuthKey {
        switch self {
        case .x25519: .x25519(X25519.generateKeyPair(random).privateKey)
        case .ed25519: .ed25519(Ed25519.generateKeyPair(random).privateKey)
        }
    }
}
