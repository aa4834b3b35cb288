/// The version of Parley and the versions of the protocols that it speaks.
public struct ParleyVersion: Sendable {
    /// One protocol.
    public struct ProtocolRange: Sendable {
        public let name: String
        /// `min-max`.
        public let range: String
    }

    public let parley: String
    public let protocols: [ProtocolRange]

    public static let current = ParleyVersion(
        parley: "0.1.0",
        protocols: [
            ProtocolRange(name: "smp", range: "9-18"), ProtocolRange(name: "smp-client", range: "1-4"),
            ProtocolRange(name: "agent", range: "2-7"), ProtocolRange(name: "ratchet", range: "2-3"),
            ProtocolRange(name: "chat", range: "1-17"),
        ])
}
