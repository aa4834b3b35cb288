internal import Foundation
internal import SystemSupport

/// The time of day and waits, as bots see them.
struct BotTime: Sendable {
    var now: @Sendable () -> Date
    var sleep: @Sendable (Duration) async throws -> Void

    /// The system's time.
    static var system: BotTime { BotTime(clock: ContinuousClock()) }

    /// A steady time of day, with waits of a clock.
    ///
    /// Blocks, dialogues, reminders, deliveries and the days of limits end by it. A clock of the system that jumps by more than an hour is followed only when
    /// it has stood by that for a day: see ``SystemSupport/SteadyTime``.
    ///
    /// - Parameter timeOfDay: what the clock of the system says.
    init(clock: any Clock<Duration>, timeOfDay: @escaping @Sendable () -> Date = { Date() }) {
        let steady = SteadyClock(over: clock) {
            // As far as a duration goes, whatever a clock says.
            let seconds = timeOfDay().timeIntervalSince1970
            return .seconds(seconds.isNaN ? 0 : min(max(seconds, -1e15), 1e15))
        }
        now = { Date(timeIntervalSince1970: steady.now.seconds) }
        sleep = { try await clock.sleep(for: $0) }
    }

    init(now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }
}
