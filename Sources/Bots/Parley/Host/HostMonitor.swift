internal import CoreMetrics
internal import Foundation
internal import Logging
internal import Synchronization

/// The state of a process that runs bots, as others see it: its phase, its disks, its last errors and the counts of its bots.
final class HostMonitor: Sendable {
    enum Phase: String, Sendable {
        case starting, ready, stopping
    }

    /// A failure that an operator may look into. It holds no text of anybody.
    struct Failure: Sendable, Hashable {
        let time: Date
        let bot: String
        let code: String
        /// The source position of the handler; empty for none.
        let place: String
    }

    private struct State {
        var phase = Phase.starting
        var failures: [Failure] = []
        var bots: [String: BotMetrics] = [:]
        var relay: (@Sendable () async -> RelayReport?)?
        /// The channels of each bot that no relay serves.
        var channelsWithoutRelay: [String: [String]] = [:]
    }

    /// Failures that are remembered.
    static let failureLimit = 20

    let started = ContinuousClock.now
    /// The health of the data folder.
    let health = HostHealth()
    private let factory: any MetricsFactory
    private let state = Mutex(State())

    init(factory: any MetricsFactory = NOOPMetricsHandler.instance) { self.factory = factory }

    var phase: Phase { state.withLock(\.phase) }
    /// The last failures, the newest first.
    var failures: [Failure] { state.withLock { $0.failures.reversed() } }

    func enter(_ phase: Phase) { state.withLock { $0.phase = phase } }

    func metrics(of bot: String) -> BotMetrics {
        state.withLock { state in
            if let known = state.bots[bot] { return known }
            let metrics = BotMetrics(bot: bot, factory: factory)
            state.bots[bot] = metrics
            return metrics
        }
    }

    /// The names of the channels of a bot that no relay serves.
    func channelsWithoutRelay(of bot: String) -> [String] { state.withLock { $0.channelsWithoutRelay[bot] ?? [] } }

    func setChannelsWithoutRelay(_ names: [String], of bot: String) { state.withLock { $0.channelsWithoutRelay[bot] = names.isEmpty ? nil : names } }

    /// Counts an action of a bot that failed outside of its handlers. The caller logs it.
    func noteFailure(of bot: String, _ code: String, at place: String, time: Date) {
        metrics(of: bot).actionFailed(code)
        note(Failure(time: time, bot: bot, code: code, place: place))
    }

    func note(_ failure: Failure) {
        state.withLock { state in
            if state.failures.count >= Self.failureLimit { state.failures.removeFirst() }
            state.failures.append(failure)
        }
    }

    /// Sets the source of the report of the relay.
    func attachRelay(_ source: @escaping @Sendable () async -> RelayReport?) { state.withLock { $0.relay = source } }

    /// - Parameter session: nil before the bots are started.
    func status(of session: HostSession?) async -> HostStatus {
        let work = await session?.status() ?? (profiles: [], routers: [], running: 0)
        return HostStatus(
            phase: phase, isStorageFailing: health.isStorageFailing, isTakenOver: health.isTakenOver, hasLostConnections: health.hasLostConnections,
            uptime: started.duration(to: .now), profiles: work.profiles, routers: work.routers,
            running: work.running, relay: await state.withLock(\.relay)?(), failures: failures, residentBytes: HostStatus.residentBytes)
    }
}
