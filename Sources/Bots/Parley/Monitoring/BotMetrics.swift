internal import ChatAPI
internal import CoreMetrics
internal import Foundation
internal import Synchronization

/// The counts of one bot, and its metrics.
final class BotMetrics: Sendable {
    enum Outcome: String {
        case completed, failed, interrupted
    }

    /// The counts since the start.
    struct Counts: Sendable, Hashable {
        var events = 0
        var dropped = 0
        var completed = 0
        var failed = 0
        var interrupted = 0
        var effects = 0
        var refusedEffects = 0
        /// The durations of handlers.
        var durations: Histogram?
    }

    private struct State {
        var counts = Counts()
        /// Made when they are first needed: most bots have few kinds of event.
        var counters: [String: Counter] = [:]
        var timer: CoreMetrics.Timer?
    }

    private let bot: String
    private let factory: any MetricsFactory
    private let state = Mutex(State())

    init(bot: String, factory: any MetricsFactory) {
        self.bot = bot
        self.factory = factory
    }

    var counts: Counts { state.withLock(\.counts) }

    /// An event came to the bot.
    func event(_ kind: EventKind) {
        state.withLock { state in
            state.counts.events += 1
            counter("parley_events", "kind", kind.metricsName, &state).increment()
        }
    }

    /// An event was not given to any handler, because too many wait in its chat.
    func dropped() {
        state.withLock { state in
            state.counts.dropped += 1
            counter("parley_events_dropped", nil, "", &state).increment()
        }
    }

    /// A handler ran.
    func handler(_ outcome: Outcome, for duration: Duration) {
        state.withLock { state in
            switch outcome {
            case .completed: state.counts.completed += 1
            case .failed: state.counts.failed += 1
            case .interrupted: state.counts.interrupted += 1
            }
            var durations = state.counts.durations ?? Histogram()
            durations.record(duration.seconds)
            state.counts.durations = durations
            counter("parley_handlers", "outcome", outcome.rawValue, &state).increment()
            let timer = state.timer ?? CoreMetrics.Timer(label: "parley_handler_duration_seconds", dimensions: [("bot", bot)], factory: factory)
            state.timer = timer
            timer.recordNanoseconds(Int64(min(duration.seconds, 1e9) * 1e9))
        }
    }

    /// An action failed, and its handler went on.
    func actionFailed(_ code: String) {
        state.withLock { state in
            state.counts.failed += 1
            counter("parley_actions_failed", "code", code, &state).increment()
        }
    }

    /// The bot did something.
    func effect(_ name: String) {
        state.withLock { state in
            state.counts.effects += 1
            counter("parley_effects", "effect", name, &state).increment()
        }
    }

    /// The core refused what the bot wanted to do.
    func effectRefused(_ code: String) {
        state.withLock { state in
            state.counts.refusedEffects += 1
            counter("parley_effects_failed", "code", code, &state).increment()
        }
    }

    private func counter(_ name: String, _ label: String?, _ value: String, _ state: inout State) -> Counter {
        let key = name + "/" + value
        if let counter = state.counters[key] { return counter }
        let dimensions = [("bot", bot)] + (label.map { [($0, value)] } ?? [])
        let counter = Counter(label: name + "_total", dimensions: dimensions, factory: factory)
        state.counters[key] = counter
        return counter
    }
}

extension EventKind {
    /// The value of the label `kind`; stable.
    var metricsName: String { self == .any ? "other" : "\(self)" }
}
