import ChatAPI
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Parley

extension HostSession {
    /// Runs the bots, and a body once all have started. The body ends them by ending their core.
    nonisolated func running<Result: Sendable>(_ body: ([HostReady.Profile]) async throws -> Result) async throws -> Result {
        let (ready, continuation) = AsyncStream.makeStream(of: [HostReady.Profile].self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try await self.run { continuation.yield($0) }
            }
            var iterator = ready.makeAsyncIterator()
            let result = try await body(try #require(await iterator.next()))
            try await group.waitForAll()
            return result
        }
    }
}

/// The difference of a clock that was set from the time that has passed.
private final class ClockOffset: Sendable {
    let seconds = Mutex(0.0)
}

/// Bots that run on a scripted core for as long as a test's body takes.
struct BotSessionRunner {
    let core: ScriptedCore
    let store: BotStateStore
    let clock = ManualClock()
    /// Seconds by which the clock of the day is off.
    private let offset = ClockOffset()
    let monitor: HostMonitor
    let logger: Logger

    /// The time of day at which every test begins.
    static let start = Date(timeIntervalSince1970: 1_767_225_600)

    init(
        core: ScriptedCore = ScriptedCore(), store: BotStateStore? = nil, monitor: HostMonitor = HostMonitor(), logger: Logger = HostSessionTests.logger
    ) throws {
        (self.monitor, self.logger) = (monitor, logger)
        self.core = core
        self.store = try store ?? BotStateStore(path: nil, logger: HostSessionTests.logger)
    }

    /// The same data after another start of the program, at the time that it is then.
    func restarted(after downtime: Duration = .zero) throws -> BotSessionRunner {
        let runner = try BotSessionRunner(core: core.restarted(), store: store)
        runner.clock.advance(by: elapsed + downtime)
        return runner
    }

    /// Sets the clock of the day, forward or back.
    func setClock(by seconds: Double) { offset.seconds.withLock { $0 += seconds } }

    private var elapsed: Duration { ManualClock().now.duration(to: clock.now) }

    var now: Date { Self.start.addingTimeInterval(elapsed.seconds) }

    /// Runs bots until the body has ended and their handlers are done.
    @discardableResult
    func run<Result: Sendable>(_ bots: Bot..., body: @Sendable ([HostReady.Profile], HostSession) async throws -> Result) async throws -> Result {
        let time = BotTime(clock: clock, timeOfDay: { [offset] in now.addingTimeInterval(offset.seconds.withLock(\.self)) })
        let session = HostSession(
            core: core, bots: bots, store: store, maxConcurrentHandlers: 8, logger: logger, clock: ImpatientClock(), time: time, monitor: monitor)
        let result = try await session.running { profiles in
            let result = try await body(profiles, session)
            await session.settle()
            core.finish()
            return result
        }
        // An event that the core had announced, and that was not taken yet, was taken before the session ended.
        await session.settle()
        try await store.flush()
        return result
    }

    /// What a contact is sent who says some texts to a bot, in order.
    static func answers(to texts: [String], of bot: Bot) async throws -> [String] {
        let runner = try BotSessionRunner(), ann = try runner.core.add(contact: 4, name: "ann")
        try await runner.run(bot) { _, _ in for text in texts { runner.core.receive(text, from: ann) } }
        return runner.core.sent(to: 4)
    }

    /// Waits until the dispatcher of timers sleeps for about a time, and lets that pass.
    func pass(_ duration: Duration) async {
        await clock.waitForSleeper((duration - .seconds(1))...(duration + .seconds(1)))
        clock.advance(by: duration)
    }
}
