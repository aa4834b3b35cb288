import SMPWire

/// Who shares sessions with a router, and so lets it know that they belong together.
public enum SessionIsolation: Sendable, Hashable, CaseIterable {
    /// All connections of a user share a session with each router.
    case user
    /// Each connection has sessions of its own: the router cannot tell by them which queues are one user's. Costs a session, about 32 KB
    /// on either side, for each connection.
    case connection
}

/// On whose behalf a router is talked to.
struct SessionOwner: Sendable, Hashable {
    let user: AgentUserID
    /// A connection's id or a link's; nil for what belongs to the user only.
    var entity: Bytes?
}

extension ConnectionRecord {
    var owner: SessionOwner { SessionOwner(user: user, entity: id.bytes) }
}
