import SMPCrypto
import SMPRatchet

/// The inputs of decisions: randomness, time and constants.
struct AgentContext: Sendable {
    let configuration: AgentConfiguration
    /// Makes keys, nonces and row keys.
    let random: any RandomSource
    /// Makes the keys of ratchets, or takes them from those made ahead.
    let ratchetKeys: any RatchetKeySource
    /// Milliseconds since 1970.
    let now: Int64
    /// The connections whose ratchets may be older than what the peers have seen: what can be decrypted says nothing of what can be sent.
    var outdated: Set<ConnectionID> = []
}
