import ChatAPI
import ChatRules
import SMPAgent
import SMPProtocol
import SMPWire

extension UserServerSet {
    /// Routers that the agent is to use, and what for.
    var usedRouters: [AgentServer] {
        smpServers.compactMap { server in
            guard server.enabled, let address = try? SMPServerWithAuth(wireString: server.server) else { return nil }
            let owner = operators.first { $0.runs(server.server) }
            guard owner?.enabled ?? true else { return nil }
            return AgentServer(
                address, operatorID: owner?.operatorID?.rawValue, isForStorage: owner?.smpRoles.storage ?? true, isForProxy: owner?.smpRoles.proxy ?? true,
                isForNames: owner.map { $0.smpRoles.names ?? false } ?? true)
        }
    }
}
