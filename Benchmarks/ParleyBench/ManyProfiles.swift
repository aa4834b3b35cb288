import Foundation
import ProcessSupport

/// A process with many bot profiles, each with an address and a rule: how long it takes to start, and what memory it has.
enum ManyProfiles {
    /// - Parameter counts: numbers of profiles; each has a data folder of its own.
    static func measure(_ make: ParleyMake, counts: [Int], runs: Int) async throws -> [Figure] {
        var figures: [Figure] = []
        for asServices in [false, true] {
            let router = try await make.startOwnRouter()
            for count in counts { figures += try await measure(make.executable, count, asServices: asServices, runs: runs, router: router) }
            await router.stop()
        }
        return figures
    }

    /// - Parameter asServices: Whether each profile is a service to the router, which takes up all its queues by one command.
    private static func measure(
        _ executable: String, _ count: Int, asServices: Bool, runs: Int, router: ParleyMake.Router
    ) async throws -> [Figure] {
        let folder = try ScratchFolder("bench-profiles")
        let file = folder.path + "/bots.yaml"
        try bots(count).write(toFile: file, atomically: true, encoding: .utf8)
        func start() async throws -> (process: ChildProcess, time: Duration) {
            let start = ContinuousClock.now
            let process = try ChildProcess(
                executable,
                ["run", file, "--data", folder.path + "/data", "--server", router.address, "--service", asServices ? "on" : "off", "--json"],
                log: folder.path + "/bots.log")
            guard try await process.ready().profiles?.count == count else { throw BenchFault("not every profile is ready") }
            return (process, ContinuousClock.now - start)
        }
        let made = try await start()
        await made.process.stop(.terminate)
        var times: [Duration] = [], untilReady: [Duration] = [], untilIdle: [Duration] = [], resident: [Double] = [], anonymous: [Double] = []
        var commands: [Double] = [], read: [Double] = []
        let megabyte = 1_048_576.0
        for _ in 0..<runs {
            let before = try await router.load()
            let (process, time) = try await start()
            times.append(time)
            untilReady.append(ProcessFigures.processorTime(of: process.id) ?? .zero)
            untilIdle.append(try await idle(process))
            resident.append(Double(ProcessFigures.residentMemory(of: process.id) ?? 0) / megabyte)
            anonymous.append(Double(ProcessFigures.privateMemory(of: process.id) ?? 0) / megabyte)
            await process.stop(.terminate)
            let after = try await router.load()
            commands.append(Double(after.subscriptions - before.subscriptions))
            read.append(Double(after.bytesRead - before.bytesRead) / 1_024)
        }
        let name = "\(count) profiles\(asServices ? " as services" : "")"
        return [
            Figure("\(name), the first start", made.time.milliseconds, .milliseconds),
            Figure("\(name), another start", Samples(times).median.milliseconds, .milliseconds),
            Figure("\(name), another start: processor time until ready", Samples(untilReady).median.milliseconds, .milliseconds),
            Figure("\(name), another start: processor time until subscribed", Samples(untilIdle).median.milliseconds, .milliseconds),
            Figure("\(name), another start: commands that take up queues", commands.sorted()[runs / 2], .count),
            Figure("\(name), another start: read by the router", read.sorted()[runs / 2], .kilobytes),
            Figure("\(name): resident memory", resident.sorted()[runs / 2], .megabytes),
            Figure("\(name): private memory", anonymous.sorted()[runs / 2], .megabytes),
        ]
    }

    /// The processor time of a process once it uses next to none for some seconds: everything is subscribed then.
    private static func idle(_ process: ChildProcess) async throws -> Duration {
        var last = ProcessFigures.processorTime(of: process.id) ?? .zero
        for _ in 0..<60 {
            try await Task.sleep(for: .seconds(3))
            let now = ProcessFigures.processorTime(of: process.id) ?? .zero
            if now - last < .milliseconds(60) { return now }
            last = now
        }
        throw BenchFault("the process does not come to rest")
    }

    private static func bots(_ count: Int) -> String {
        (0..<count).reduce(into: "parley: 1\nprofiles:\n") { text, number in
            text += """
                  bot\(number):
                    name: Bot \(number)
                    address:
                      accept: automatic
                    rules:
                      - when: { message: text }
                        then: { reply: pong }

                """
        }
    }
}
