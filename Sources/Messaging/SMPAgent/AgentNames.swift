import SMPClient
package import SMPProtocol
import SMPWire
import Synchronization

/// The names of the network, as the users of an agent have them resolved.
package struct AgentNames: Sendable {
    private let core: AgentCore

    package init(_ agent: SMPAgent) { core = agent.core }

    /// Finds out what a name stands for, by a router of the user that is meant for that.
    ///
    /// The question goes through a proxy on another host and of another operator, so that the router that learns the name does not learn who asks. A
    /// router that resolves no names is passed over; what one that does has answered is the answer, so that no more routers learn the name.
    ///
    /// - Parameter allowsDirect: true if the router may be asked directly where the user's settings of private routing say so.
    /// - Throws: `NO_NAME_SERVERS` if no router is meant for it; `NO_NAME_PROXY` if none of the user's routers can be a proxy for it; `SMP NAME
    ///   NOT_FOUND` if the name is not registered.
    package func resolve(
        _ domain: SimpleXDomain, user: AgentUserID, allowsDirect: Bool = false
    ) async throws(AgentError) -> NameRecord {
        try core.checkActive()
        guard let servers = core.users.withLock({ $0[user] }) else { throw AgentError(.noUser) }
        let candidates = servers.names(core.random)
        var policy = core.settings.withLock { $0.privateRoutingPolicy }
        if !allowsDirect { (policy.mode, policy.fallback) = (.always, .prohibit) }
        var failure = AgentError(.noNameServers)
        for server in candidates {
            let proxies = servers.separateProxies(for: server)
            guard allowsDirect || !proxies.isEmpty else {
                failure = AgentError(.noNameProxy)
                continue
            }
            do throws(AgentError) {
                let response = try await core.requestPrivately(
                    SMPRequest(command: .rslv(domain)), to: server,
                    for: SessionOwner(user: user, entity: Bytes(domain.fullName.utf8)), policy: policy,
                    proxies: proxies.isEmpty ? nil : proxies
                ).message
                guard case .rname(let record) = response else { throw AgentError(unexpected: response, to: "RSLV", server: server) }
                return record
            } catch {
                guard error.isOfRouterWithoutNames else { throw error }
                failure = error
            }
        }
        throw failure
    }
}

extension AgentError {
    /// True if the router has learnt no name: it resolves none, is too old to, or could not be reached as it is addressed.
    fileprivate var isOfRouterWithoutNames: Bool {
        if case .smp(_, .name(.noResolver)) = reason { true } else { isHostError }
    }
}
