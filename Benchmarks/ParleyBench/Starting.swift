import Foundation
import OfficialPeers

/// How long a bot's process takes to start on its data, and what memory it has then.
enum Starting {
    static func measure(_ make: any Make, runs: Int) async throws -> [Figure] {
        let router = try await make.startRouter()
        let routerMemory = memory(router.process)
        let bot = try await make.startBot(router)
        let client = try await make.startClient("Client", router)
        var figures: [Figure] = [], contacts = 0
        for wanted in [1, 50] {
            while contacts < wanted {
                let user = contacts == 0 ? 1 : try await client.createProfile("Profile \(contacts)")
                _ = try await client.connect(bot.link, user: user)
                contacts += 1
            }
            let name = "\(wanted) contact\(wanted == 1 ? "" : "s")"
            var times: [Duration] = []
            for _ in 0..<runs { times.append(try await bot.restart()) }
            figures.append(Figure("start of a bot to ready, \(name)", Samples(times).median.milliseconds, .milliseconds))
            // Idle means that what the start began has ended.
            try await Task.sleep(for: .seconds(5))
            figures.append(Figure("idle memory of a bot, \(name)", memory(bot.process), .megabytes))
        }
        figures.append(Figure("memory of a fresh router", routerMemory, .megabytes))
        await client.stop()
        await bot.stop()
        await router.stop()
        return figures
    }

    private static func memory(_ process: ChildProcess?) -> Double {
        Double(process.flatMap { ProcessFigures.residentMemory(of: $0.id) } ?? 0) / 1_048_576
    }
}
