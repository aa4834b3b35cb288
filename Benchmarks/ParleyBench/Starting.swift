import Foundation
import OfficialPeers
import ProcessSupport

/// How long a process takes to start on its data, and what memory it has then.
enum Starting {
    static func measure(_ make: any Make, runs: Int) async throws -> [Figure] {
        let router = try await make.startRouter()
        var figures = try await memoryAtRest(router.process, "a router at rest")
        // A client that is driven through the API, since both makes have that.
        let host = try await make.startClient("Host", router, isBot: true)
        let address = try await host.createAddress()
        let bot = try await make.startBot(router)
        let client = try await make.startClient("Client", router)
        var contacts = 0, hostID: Int64 = 0
        for wanted in [1, 50] {
            while contacts < wanted {
                let user = contacts == 0 ? 1 : try await client.createProfile("Profile \(contacts)")
                let id = try await client.connect(address, user: user)
                if contacts == 0 { hostID = id }
                _ = try await client.connect(bot.link, user: user)
                contacts += 1
                await host.tally.waitForConnected(contacts)
            }
            let name = "\(wanted) contact\(wanted == 1 ? "" : "s")"
            var times: [Duration] = []
            for _ in 0..<runs {
                await host.stop()
                try await client.send("/_user 1")
                try await client.sendText("waiting", to: hostID)
                let received = host.tally.received
                let start = ContinuousClock.now
                try await host.restart()
                await host.tally.waitForReceived(received + 1)
                times.append(ContinuousClock.now - start)
            }
            figures.append(Figure("start to a message that waited, \(name)", Samples(times).median.milliseconds, .milliseconds))
            if make.isOurs {
                var ready: [Duration] = []
                for _ in 0..<runs { ready.append(try await bot.restart()) }
                figures.append(Figure("parley run to its line of readiness, \(name)", Samples(ready).median.milliseconds, .milliseconds))
            } else {
                _ = try await bot.restart()
            }
            figures += try await memoryAtRest(bot.process, "an idle bot, \(name)")
        }
        await client.stop()
        await host.stop()
        await bot.stop()
        await router.stop()
        return figures
    }

    /// Resident memory holds the pages of program files too, which processes share; private memory does not.
    private static func memoryAtRest(_ process: ChildProcess?, _ name: String) async throws -> [Figure] {
        guard let process else { return [] }
        // What the start began must have ended.
        try await Task.sleep(for: .seconds(5))
        let megabyte = 1_048_576.0
        return [
            Figure("resident memory of \(name)", Double(ProcessFigures.residentMemory(of: process.id) ?? 0) / megabyte, .megabytes),
            Figure("private memory of \(name)", Double(ProcessFigures.privateMemory(of: process.id) ?? 0) / megabyte, .megabytes),
        ]
    }
}
