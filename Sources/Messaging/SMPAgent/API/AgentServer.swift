public import SMPProtocol

/// A router of a user, with what it is used for.
public struct AgentServer: Sendable, Hashable {
    public var server: SMPServerWithAuth
    /// The caller's id of the operator that runs the router; nil for the user's own.
    public var operatorID: Int64?
    /// True if new queues are made on it.
    public var isForStorage: Bool
    /// True if commands for the routers of others may go through it.
    public var isForProxy: Bool

    public init(_ server: SMPServerWithAuth, operatorID: Int64? = nil, isForStorage: Bool = true, isForProxy: Bool = true) {
        self.server = server
        self.operatorID = operatorID
        self.isForStorage = isForStorage
        self.isForProxy = isForProxy
    }
}
