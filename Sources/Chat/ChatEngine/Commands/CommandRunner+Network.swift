import ChatAPI
import ChatProtocol

extension CommandRunner {
    func runNetwork(_ command: ServerCommand) async throws(ChatCoreError) -> ChatResponse {
        if case .setNetworkInfo = command { return .cmdOk(user: nil) }
        return try await refuse("this command")
    }
}
