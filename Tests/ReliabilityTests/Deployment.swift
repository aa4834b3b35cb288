import Foundation
import Parley
import ProcessSupport
import SystemSupport
import TestSupport

/// A router and a bot as processes that can be killed and started again.
actor Deployment {
    /// Where the router runs.
    enum Layout: String, Sendable, CaseIterable {
        /// In a process and a data folder of its own.
        case routerBeside
        /// In the bot's process: they die together.
        case routerInside
    }

    let layout: Layout
    let folder: ScratchFolder
    let routerAddress: String
    let botAddress: String
    private let port: LoopbackPort
    private var router: ChildProcess?
    private var bot: ChildProcess
    /// What the processes have cost that have ended.
    private(set) var toll = ProcessToll()
    /// Whether a kill is being carried out, and who waits until its victims run again.
    private var isKilling = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// What the bot answers to a message.
    static func answer(to text: String) -> String { "answer to \(text)" }

    /// Milliseconds that all leave a router alone that they could not reach: `PARLEY_RETRY_PAUSE`, or less than the product's 2,000, most of
    /// which nothing happens in.
    private static let retryPause = ProcessInfo.processInfo.environment["PARLEY_RETRY_PAUSE"] ?? "200"

    /// Opens a core of this process's own in a folder of the deployment.
    nonisolated func open(_ name: String) async throws -> CoreHost {
        var network = HostNetwork()
        try network.set(.retryPause, to: Self.retryPause)
        return try await CoreHost.open(HostConfiguration(dataFolder: folder(name), servers: [routerAddress], network: network))
    }

    /// Starts both for the first time.
    ///
    /// - Parameter ends: where the bot's process ends before; it is started again each time.
    init(_ layout: Layout, in folder: ScratchFolder, endingAt ends: [(point: FailPoint, count: Int)] = []) async throws {
        self.layout = layout
        self.folder = folder
        port = try LoopbackPort.free()
        let router = layout == .routerBeside ? try Self.startRouter(folder, port) : nil
        self.router = router
        try folder.write(
            """
            parley: 1
            network: { retry-pause: \(Self.retryPause) }
            profiles:
              echo:
                name: Echo
                address: { accept: automatic }
                rules:
                  - { when: { message: text }, then: { send: "\(Self.answer(to: "{{ text }}"))" } }

            """, to: "bots.yaml")
        let address = try await router?.ready().address
        for end in ends {
            let bot = try Self.startBot(folder, port, router: address, environment: [FailPoint.variable: "\(end.point.rawValue):\(end.count)"])
            let exitCode = try await bot.exit(within: Patience.limit + .seconds(30))
            guard exitCode == ProcessSignal.kill.exitStatus else {
                throw RunFault("the bot was to end at \(end.point.rawValue):\(end.count) of its first start, and ended with exit code \(exitCode)")
            }
        }
        bot = try Self.startBot(folder, port, router: address)
        let ready = try await bot.ready()
        guard let address = ready.servers?.first, let link = ready.profiles?.first?.shortAddress else {
            throw RunFault("the bot did not print its address")
        }
        routerAddress = address
        botAddress = link
    }

    /// Kills at a random moment, and starts again after a random while: nothing is waited for, the times are what is tested. It does not wait until what was started is ready, so that the next kill can hit it
    /// while it starts.
    func carryOut(_ kill: KillPlan.Kill) async throws {
        try await PlannedPause.pass(milliseconds: kill.delay)
        let hitsRouter = kill.victim != .bot && router != nil, hitsBot = kill.victim != .router || router == nil
        isKilling = true
        defer {
            isKilling = false
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
        if hitsBot { end(bot) }
        if hitsRouter, let router { end(router) }
        if hitsBot { try await checkKilled(bot, "bot") }
        if hitsRouter, let router { try await checkKilled(router, "router") }
        try await PlannedPause.pass(milliseconds: kill.downtime)
        if hitsRouter { router = try Self.startRouter(folder, port) }
        if hitsBot { bot = try startBot() }
    }

    /// Starts the bot anew so that it ends by itself when it comes to a place for so many times, waits for that and starts it again.
    func endBot(at point: FailPoint, count: Int) async throws {
        try await startBot(endingAt: point, count: count)
        try await replaceEndedBot()
    }

    /// Starts the bot anew so that it ends by itself when it comes to a place for so many times.
    func startBot(endingAt point: FailPoint, count: Int) async throws {
        end(bot)
        try await checkKilled(bot, "bot")
        bot = try startBot(environment: [FailPoint.variable: "\(point.rawValue):\(count)"])
    }

    /// Waits for the end of a bot that was started to end by itself, and starts it again.
    func replaceEndedBot() async throws {
        let exitCode = try await bot.exit(within: Patience.limit + .seconds(30))
        guard exitCode == ProcessSignal.kill.exitStatus else {
            throw RunFault("the bot was to end by itself, and ended with exit code \(exitCode):\n\(log("bot"))")
        }
        bot = try startBot()
    }

    /// Starts the bot anew, with the fault that it crashes when something with this text comes to a place; nil for one without the fault. The
    /// one that runs is stopped in good order.
    func startBot(crashingAt fault: (point: TrapPoint, text: String)?) async throws {
        _ = try await bot.ready()
        bot.send(.terminate)
        let exitCode = try await bot.exit()
        guard exitCode == 0 else { throw RunFault("the bot did not stop in good order: \(exitCode)") }
        bot = try startBot(environment: Self.environment(of: fault))
    }

    /// Waits until the bot has crashed, and starts it again with the same fault.
    func replaceCrashedBot(crashingAt fault: (point: TrapPoint, text: String)) async throws {
        let exitCode = try await bot.exit(within: Patience.limit + .seconds(30))
        guard exitCode == 128 + SIGILL else { throw RunFault("the bot was to crash, and ended with exit code \(exitCode):\n\(log("bot"))") }
        bot = try startBot(environment: Self.environment(of: fault))
    }

    /// Starts the bot again that was stopped.
    func restartStoppedBot() throws { bot = try startBot() }

    /// As a person has it, who says nothing about backtraces.
    private static func environment(of fault: (point: TrapPoint, text: String)?) -> [String: String] {
        guard let fault else { return [:] }
        return [TrapPoint.variable: "\(fault.point.rawValue):\(fault.text)", "SWIFT_BACKTRACE": ""]
    }

    private func startBot(environment: [String: String] = [:]) throws -> ChildProcess {
        try Self.startBot(folder, port, router: router.map { _ in routerAddress }, environment: environment)
    }

    /// Waits until the router of the moment can be used. Whether it still can when this returns is another matter.
    func waitForRouter() async {
        if isKilling { await withCheckedContinuation { waiting.append($0) } }
        // One that was killed while it started is not ready; the next question finds its successor.
        _ = try? await (router ?? bot).ready()
    }

    private func end(_ process: ChildProcess) {
        toll.add(process)
        process.kill()
    }

    /// A process that had ended before it was killed had a fault of its own.
    private func checkKilled(_ process: ChildProcess, _ name: String) async throws {
        let exitCode = try await process.exit()
        guard exitCode == ProcessSignal.kill.exitStatus else {
            throw RunFault("the \(name) had ended by itself with exit code \(exitCode):\n\(log(name))")
        }
    }

    /// Stops both as a person does.
    ///
    /// - Returns: The exit codes of the bot and, if it is a process, of the router.
    func stop() async throws -> [Int32] {
        // A bot that is asked to stop while it starts ends, too; but its end is a kind of its own.
        _ = try await bot.ready(within: Patience.limit)
        toll.add(bot)
        bot.send(.terminate)
        let botCode = try await bot.exit()
        guard let router else { return [botCode] }
        toll.add(router)
        router.send(.terminate)
        return [botCode, try await router.exit()]
    }

    /// Ends both at once, whatever they do.
    func abandon() {
        bot.kill()
        router?.kill()
    }

    /// The end of what a process said on standard error.
    nonisolated func log(_ name: String) -> String {
        let text = (try? String(contentsOfFile: folder("\(name).log"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(20).joined(separator: "\n")
    }

    private static func startRouter(_ folder: ScratchFolder, _ port: LoopbackPort) throws -> ChildProcess {
        try ParleyProgram.start(["server", "smp", "--data", folder("router"), "--port", "\(port.number)", "--json"], log: folder("router.log"))
    }

    /// - Parameter router: the router to use; without it one runs inside, on the port.
    private static func startBot(
        _ folder: ScratchFolder, _ port: LoopbackPort, router: String?, environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let place = router.map { ["--server", $0] } ?? ["--router-port", "\(port.number)"]
        return try ParleyProgram.start(
            ["run", folder("bots.yaml"), "--data", folder("bot"), "--json"] + place, environment: environment, log: folder("bot.log"))
    }
}
