import ChatProtocol
import OfficialPeers
import ProcessSupport

/// The official programs.
struct OfficialMake: Make {
    let name = "official"
    let isOurs = false
    var client: OfficialClient.Program { .simplexChat }

    let durabilities = [""]

    func startRouter(_: String) async throws -> any BenchRouter { try await Router(OfficialRouter.start()) }

    func startBot(_ router: any BenchRouter) async throws -> any BenchBot {
        let client = try await startClient("Echo", router, isBot: true)
        let link = try await client.createAddress()
        await client.answerEverything()
        return Bot(client: client, link: link)
    }

    private struct Router: BenchRouter {
        let router: OfficialRouter
        init(_ router: OfficialRouter) { self.router = router }
        var address: String { router.address }
        var process: ChildProcess? { router.process }
        func stop() async { await router.stop() }
        func restart() async throws {
            await router.stop()
            try await router.start()
        }
    }

    /// The program without a bot of its own: this process answers over its WebSocket, as bots for it do.
    private struct Bot: BenchBot {
        let client: BenchClient
        let link: BenchLink
        var process: ChildProcess? { client.process }

        func restart() async throws -> Duration {
            await client.stop()
            let start = ContinuousClock.now
            try await client.restart()
            return ContinuousClock.now - start
        }

        func stop() async { await client.stop() }
    }
}
