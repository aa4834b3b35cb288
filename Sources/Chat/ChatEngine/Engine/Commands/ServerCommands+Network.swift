import ChatAPI
import ChatRules
import SMPProtocol
import SMPWire

// Commands about how routers are reached.

extension ServerCommands {
    func runNetwork(_ command: ServerCommand) async throws(ChatCoreError) -> ChatResponse {
        if case .setNetworkInfo(let info) = command {
            try await core.network.setInfo(info)
            return .cmdOk(user: nil)
        }
        _ = try await query { try $0.user() }
        switch command {
        case .networkConfig: return .networkConfig(networkConfig: core.network.config)
        case .setNetworkConfig(let config):
            try await core.network.set(config)
            return .cmdOk(user: nil)
        case .changeNetwork(let options):
            var config = core.network.config
            do throws(Refusal) { try config.change(options) } catch { throw ChatCoreError(error.error) }
            try await core.network.set(config)
            return .networkConfig(networkConfig: config)
        case .reconnectAll:
            await core.agent.reconnectAll()
            return .cmdOk(user: nil)
        case .reconnect(let id, let address):
            let user = try await query { try $0.user(id) }
            let server: SMPServerWithAuth
            do { server = try SMPServerWithAuth(wireString: address) } catch {
                throw ChatCoreError(Refusal.command("not the address of a router: \(error)").error)
            }
            await core.agent.reconnect(server.server, user: try runner.agentUser(of: user))
            return .cmdOk(user: nil)
        default: return try await refuse("this command")
        }
    }
}
