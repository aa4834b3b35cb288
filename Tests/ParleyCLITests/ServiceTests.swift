import ProcessSupport
import TestSupport
import Testing

/// `parley` as systemd or another manager of services runs it.
@Suite struct ServiceTests {
    private static let bots = """
        parley: 1
        profiles:
          echo:
            name: The Echo
            address: { accept: automatic }
            rules:
              - { when: { message: text }, then: { send: "you said {{ text }}" } }

        """

    /// So `systemctl start` returns when others can connect (`Type=notify`).
    @Test(arguments: [["server", "smp", "start", "--port", "0"], ["run", "bots.yaml"]])
    func aServiceManagerIsToldWhenAllCanBeReachedAndWhenItStops(_ command: [String]) async throws {
        let folder = try ScratchFolder("service"), manager = try NotifySocket()
        defer { folder.remove() }
        try folder.write(Self.bots, to: "bots.yaml")
        let service = try ParleyProgram.start(
            command + ["--json", "--data", folder("data")], environment: ["NOTIFY_SOCKET": manager.path], in: folder.path, log: folder("log"))
        _ = try await service.ready()
        try await eventually("the manager is told") { manager.next() == "READY=1" }
        #expect(manager.next() == nil)
        service.send(.terminate)
        #expect(try await service.exit() == 0)
        #expect(manager.next() == "STOPPING=1")
        #expect(manager.next() == nil)
    }

    /// The default of the signal is to end the process.
    @Test func aRouterTakesASignalToRenewItsCertificateAsSoonAsItIsReady() async throws {
        let folder = try ScratchFolder("service"), manager = try NotifySocket()
        defer { folder.remove() }
        for round in 0..<3 {
            let router = try ParleyProgram.start(
                ["server", "smp", "start", "--port", "0", "--json", "--data", folder("data")], environment: ["NOTIFY_SOCKET": manager.path], log: folder("log"))
            try await eventually("the manager is told", every: .microseconds(100)) { manager.next() == "READY=1" }
            router.send(.hangUp)
            _ = try await router.ready()
            router.send(.terminate)
            #expect(try await router.exit() == 0, "round \(round)")
            #expect(manager.next() == "STOPPING=1")
        }
    }

    @Test func aServiceWhoseManagerIsGoneSaysSoAndWorks() async throws {
        let folder = try ScratchFolder("service")
        defer { folder.remove() }
        let router = try ParleyProgram.start(
            ["server", "smp", "start", "--port", "0", "--json", "--data", folder("data")], environment: ["NOTIFY_SOCKET": folder("nobody")], log: folder("log"))
        _ = try await router.ready()
        router.send(.terminate)
        #expect(try await router.exit() == 0)
        #expect(router.logTail().contains("NOTIFY_SOCKET="))
    }
}
