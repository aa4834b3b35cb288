import ChatProtocol

/// The version of Parley and the versions of the protocols that it speaks.
public struct ParleyVersion: Sendable {
    /// One protocol.
    public struct ProtocolRange: Sendable {
        /// The name.
        public let name: String
        /// `min-max`.
        public let range: String
    }

    /// The version of Parley.
    public let parley: String
    /// The protocols that it speaks, with their versions.
    public let protocols: [ProtocolRange]

    /// The version of this build.
    public static let current = ParleyVersion(
        parley: "0.1.0",
        protocols: [
            ProtocolRange(name: "smp", range: "9-20"), ProtocolRange(name: "smp-client", range: "1-4"),
            ProtocolRange(name: "agent", range: "2-7"), ProtocolRange(name: "ratchet", range: "2-3"),
            ProtocolRange(name: "chat", range: "1-19"), ProtocolRange(name: "api", range: APIVersion.range),
        ])
}
