import SMPWire

/// On whose behalf a router is talked to.
struct SessionOwner: Sendable, Hashable {
    let user: AgentUserID
    /// A connection's id or a link's; nil for what belongs to the user only.
    var entity: Bytes?
}

extension ConnectionRecord {
    var owner: SessionOwner { SessionOwner(user: user, entity: id.bytes) }
}
