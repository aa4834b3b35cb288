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
}
