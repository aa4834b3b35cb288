public import ChatProtocol

/// A received event that was set aside, unread, because processes died of it.
public struct QuarantinedEvent: JSONObjectConvertible, Hashable {
    /// The number by which commands name it.
    public var id: Int64
    /// The kind of event: `message`, `request`, `confirmation`, ….
    public var kind: String
    /// The agent's connection that it came by; empty for an event of none.
    public var agentConnectionID: String
    /// The local name of the contact that it came from, if there is one.
    public var contactName: String?
    /// Bytes that came.
    public var size: Int64
    /// When it was set aside.
    public var quarantinedAt: UTCTimestamp

    /// Makes the value from its parts.
    public init(id: Int64, kind: String, agentConnectionID: String, contactName: String?, size: Int64, quarantinedAt: UTCTimestamp) {
        self.id = id
        self.kind = kind
        self.agentConnectionID = agentConnectionID
        self.contactName = contactName
        self.size = size
        self.quarantinedAt = quarantinedAt
    }
}

extension QuarantinedEvent {
    public init(object: JSONObject) throws(JSONError) {
        id = try object.required("quarantineId")
        kind = try object.required("kind")
        agentConnectionID = try object.required("agentConnId")
        contactName = try object.optional("contactName")
        size = try object.required("size")
        quarantinedAt = try object.required("quarantinedAt")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["quarantineId"] = id
        object["kind"] = kind
        object["agentConnId"] = agentConnectionID
        object["contactName"] = contactName
        object["size"] = size
        object["quarantinedAt"] = quarantinedAt
    }
}
