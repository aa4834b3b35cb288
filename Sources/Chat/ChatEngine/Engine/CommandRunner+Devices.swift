import ChatAPI
import ChatProtocol

// Commands about other devices and about push notifications, which this core does not have: it says that there are none.

extension CommandRunner {
    func run(_ command: DeviceCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .hosts: .remoteHostList(remoteHosts: [])
        case .controllers: .remoteCtrlList(remoteCtrls: [])
        case .setName(let name):
            try await transaction { transaction in
                try transaction.db.set(.string(name), setting: "deviceName")
                return .cmdOk(user: nil)
            }
        case .notificationToken:
            throw ChatCoreError(.agent(error: .command(error: .prohibited, context: "getNtfToken"), agentConnectionID: "", entity: nil))
        case .startHost, .switchHost, .stopHost, .deleteHost, .storeFile, .getFile, .connectController, .findController, .confirmController,
            .verifyController, .stopController, .deleteController:
            try await refuse("control between devices")
        }
    }
}
