package import SMPProtocol

/// A router of a user, with its uses.
package struct AgentServer: Sendable, Hashable {
    package var server: SMPServerWithAuth
    /// The caller's id of the operator that runs the router; nil for the user's own.
    package var operatorID: Int64?
    /// True if new queues are made on it.
    package var isForStorage: Bool
    /// True if commands for the routers of others may go through it.
    package var isForProxy: Bool
    /// True if names are resolved by it. Only routers that are meant for it are asked: they see who is looked for.
    package var isForNames: Bool

    package init(
        _ server: SMPServerWithAuth, operatorID: Int64? = nil, isForStorage: Bool = true, isForProxy: Bool = true, isForNames: Bool = false
    ) {
        self.server = server
        self.operatorID = operatorID
        self.isForStorage = isForStorage
        self.isForProxy = isForProxy
        self.isForNames = isForNames
    }
}
