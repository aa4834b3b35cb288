import ChatProtocol
import Foundation
import OfficialPeers
import Synchronization

/// This package's programs.
struct ParleyMake: Make {
    let name = "Parley"
    let isOurs = true
    let executable: String
    var client: OfficialClient.Program { .parley(executable) }

    /// The `parley` that was built together with this program.
    static func builtExecutable() throws -> String {
        let path = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("parley").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchFault("there is no \(path): build it first (make bench does)")
        }
        return path
    }

    func startRouter() async throws -> any BenchRouter {
        let folder = try ScratchFolder("bench-router")
        let process = try ChildProcess(
            executable, ["server", "smp", "--data", folder.path, "--port", "0", "--host", "127.0.0.1", "--json"])
        let address = try await process.output.first("the router's address", within: .seconds(30)) { line in
            (try? JSONValue(parsing: line))?["address"]?.stringValue
        }
        return Router(address: address, process: process, folder: folder)
    }

    func startBot(_ router: any BenchRouter) async throws -> any BenchBot {
        let folder = try ScratchFolder("bench-bot")
        let file = folder.path + "/bots.yaml"
        let bots = """
            parley: 1
            profiles:
              echo:
                name: Echo
                address:
                  accept: automatic
                rules:
                  - id: echo
                    when: { message: text }
                    then: { reply: "{{ text }}" }

            """
        try bots.write(toFile: file, atomically: true, encoding: .utf8)
        let bot = Bot(executable: executable, folder: folder, file: file, router: router.address)
        _ = try await bot.start()
        return bot
    }

    private struct Router: BenchRouter {
        let address: String
        let process: ChildProcess?
        let folder: ScratchFolder
        func stop() async { await process?.stop(.terminate) }
    }

    private final class Bot: BenchBot {
        private let executable: String
        private let folder: ScratchFolder
        private let file: String
        private let router: String
        private let running = Mutex<(process: ChildProcess, link: BenchLink)?>(nil)

        init(executable: String, folder: ScratchFolder, file: String, router: String) {
            self.executable = executable
            self.folder = folder
            self.file = file
            self.router = router
        }

        var link: BenchLink { running.withLock { $0?.link } ?? BenchLink(full: "", short: nil) }
        var process: ChildProcess? { running.withLock { $0?.process } }

        func start() async throws -> Duration {
            let start = ContinuousClock.now
            let process = try ChildProcess(
                executable, ["run", file, "--data", folder.path + "/data", "--server", router, "--json"],
                log: folder.path + "/bot.log")
            let (profile, time) = try await process.output.first("the bot", within: .seconds(60)) { line -> (JSONValue, Duration)? in
                guard let event = try? JSONValue(parsing: line), event["event"]?.stringValue == "ready" else { return nil }
                guard let profile = event["profiles"]?.arrayValue?.first else { return nil }
                return (profile, ContinuousClock.now - start)
            }
            guard let full = profile["address"]?.stringValue else { throw BenchFault("the bot has no address") }
            running.withLock { $0 = (process, BenchLink(full: full, short: profile["shortAddress"]?.stringValue)) }
            return time
        }

        func restart() async throws -> Duration {
            await stop()
            return try await start()
        }

        func stop() async {
            await running.withLock { running in
                defer { running = nil }
                return running?.process
            }?.stop(.terminate)
        }
    }
}
