import ChatAPI

// Commands about other devices and about push notifications, which this core does not have: it says that there are none.

extension UnsupportedCommands {
    func run(_ command: DeviceCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .hosts: .remoteHostList(remoteHosts: [])
        case .controllers: .remoteCtrlList(remoteCtrls: [])
        case .notificationToken:
            throw ChatCoreError(.agent(error: .command(error: .prohibited, context: "getNtfToken"), agentConnectionID: "", entity: nil))
        case .setName, .startHost, .switchHost, .stopHost, .deleteHost, .storeFile, .getFile, .connectController, .findController, .confirmController,
            .verifyController, .stopController, .deleteController:
            try await refuse("control between devices")
        }
    }
}
