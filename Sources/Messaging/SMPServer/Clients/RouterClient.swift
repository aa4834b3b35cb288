import SMPTransport

/// A client by which limits for one client count, so that none takes the share of others.
enum RouterClient: Hashable, Sendable {
    case address(NetworkPrefix)
    /// A client on the router's own machine.
    case session(SessionID)
}
