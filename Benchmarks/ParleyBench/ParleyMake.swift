import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import Synchronization

/// This package's programs.
struct ParleyMake: Make {
    let name = "Parley"
    let isOurs = true
    let executable: String
    var client: OfficialClient.Program { .parley(executable) }

    /// The `parley` that was built together with this program.
    static func builtExecutable() throws -> String {
        guard ParleyProgram.isBuilt else { throw BenchFault("there is no \(ParleyProgram.path): build it first (make bench does)") }
        return ParleyProgram.path
    }

    let durabilities = ["fsync always", "fsync 1s"]

    func startRouter(_ durability: String) async throws -> any BenchRouter { try await startOwnRouter(durability) }

    /// A router whose counts can be read.
    func startOwnRouter(_ durability: String = "fsync always") async throws -> Router {
        let words = durability.split(separator: " ").map(String.init)
        let router = Router(executable: executable, folder: try ScratchFolder("bench-router"), fsync: words.last ?? "always")
        try await router.start(port: "0")
        return router
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

    final class Router: BenchRouter {
        private let executable: String
        private let folder: ScratchFolder
        private let fsync: String
        private let running = Mutex<(process: ChildProcess, address: String)?>(nil)

        fileprivate init(executable: String, folder: ScratchFolder, fsync: String) {
            self.executable = executable
            self.folder = folder
            self.fsync = fsync
        }

        var address: String { running.withLock { $0?.address } ?? "" }
        var process: ChildProcess? { running.withLock { $0?.process } }

        func start(port: String) async throws {
            let process = try ChildProcess(
                executable, ["server", "smp", "--data", folder.path, "--port", port, "--host", "127.0.0.1", "--fsync", fsync, "--json"])
            guard let address = try await process.ready().address else { throw BenchFault("the router has no address") }
            running.withLock { $0 = (process, address) }
        }

        func restart() async throws {
            let port = address.split(separator: ":").last.map(String.init) ?? "0"
            await process?.stop(.terminate)
            try await start(port: port)
        }

        func stop() async { await process?.stop(.terminate) }

        /// Commands that took up queues, and bytes that the process has read, since its start.
        func load() async throws -> (subscriptions: Int64, bytesRead: Int) {
            let question = try ChildProcess(executable, ["server", "smp", "stats", "--json", "--data", folder.path])
            let line = try await question.output.first("the router's counts", within: .seconds(60)) { $0 }
            let total = try JSONValue(parsing: Array(line.utf8))["total"]
            guard let single = total?["subscriptions"]?.intValue, let services = total?["service_subscriptions"]?.intValue,
                let read = process.flatMap({ ProcessFigures.bytesRead(of: $0.id) })
            else { throw BenchFault("the router tells no counts") }
            return (single + services, read)
        }
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
            let ready = try await process.ready()
            let time = ContinuousClock.now - start
            guard let profile = ready.profiles?.first, let full = profile.address else { throw BenchFault("the bot has no address") }
            running.withLock { $0 = (process, BenchLink(full: full, short: profile.shortAddress)) }
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
