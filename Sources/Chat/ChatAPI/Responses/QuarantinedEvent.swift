public import ChatProtocol

/// A received event that was quarantined unread, because processes crashed on it.
@JSONMembers
public struct QuarantinedEvent: JSONObjectConvertible, Hashable {
    /// The number by which commands name it.
    @JSONName("quarantineId") public var id: QuarantinedEventID
    /// The kind of event: `message`, `request`, `confirmation`, ….
    public var kind: String
    /// The agent's connection that it came by; empty for an event of none.
    @JSONName("agentConnId") public var agentConnectionID: String
    /// The local name of the contact that it came from, if there is one.
    public var contactName: String?
    /// Bytes that came.
    public var size: Int64
    /// The time of the quarantine.
    public var quarantinedAt: UTCTimestamp
}
