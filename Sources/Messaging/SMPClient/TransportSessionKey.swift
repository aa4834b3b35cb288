package import SMPProtocol

/// The purpose of one connection to a router. Requests with different keys never share a connection, so that the router cannot
/// tell that they come from the same person.
package struct TransportSessionKey: Hashable, Sendable {
    /// The user whose connection it is.
    package var userID: Int64
    /// The router.
    package var server: SMPServerAddress
    /// The connection's own entity when even the queues of one user are kept apart; nil otherwise.
    package var entity: EntityID?

    package init(userID: Int64, server: SMPServerAddress, entity: EntityID? = nil) {
        self.userID = userID
        self.server = server
        self.entity = entity
    }
}
