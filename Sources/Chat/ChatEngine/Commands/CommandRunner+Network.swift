import ChatAPI
import ChatProtocol

// Commands about how routers are reached.

extension CommandRunner {
    func runNetwork(_ command: ServerCommand) async throws(ChatCoreError) -> ChatResponse {
        if case .setNetworkInfo = command { return .cmdOk(user: nil) }
        _ = try await query { try $0.user() }
        switch command {
        case .networkConfig: return .networkConfig(networkConfig: core.networkConfig)
        case .setNetworkConfig(let config):
            try await core.setNetworkConfig(config)
            return .cmdOk(user: nil)
        case .changeNetwork(let options):
            var config = core.networkConfig
            do throws(Refusal) { try config.change(options) } catch { throw ChatCoreError(error.error) }
            try await core.setNetworkConfig(config)
            return .networkConfig(networkConfig: config)
        default: return try await refuse("this command")
        }
    }
}
