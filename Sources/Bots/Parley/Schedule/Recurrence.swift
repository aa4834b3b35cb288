internal import Foundation

/// The times at which a recurring handler runs.
struct Recurrence: Sendable, Hashable {
    enum Rule: Sendable, Hashable {
        case every(Duration)
        indirect case calendar(CronExpression, TimeZone)
    }

    /// The name of the handler's timer; unique in the bot.
    let name: String
    let rule: Rule
    let missed: MissedRuns

    /// A textual form of the rule: a timer whose rule has changed is scheduled anew.
    var ruleText: String {
        switch rule {
        case .every(let interval): "every \(interval)"
        case .calendar(let expression, let zone): "\(expression.source) \(zone.identifier)"
        }
    }

    /// The time of the first run for a bot that starts.
    func first(from start: Date) -> Date? {
        switch rule {
        case .every: start
        case .calendar(let expression, let zone): expression.next(after: start, in: zone)
        }
    }

    /// The time of the run behind one; those that were missed are not made up for.
    ///
    /// - Parameter now: the time before which nothing is due any more.
    func next(after due: Date, now: Date) -> Date? {
        switch rule {
        case .every(let interval):
            let seconds = max(interval.seconds, 0.001), behind = now.timeIntervalSince(due)
            return due.addingTimeInterval(seconds * max(1, (behind / seconds).rounded(.down) + 1))
        case .calendar(let expression, let zone): return expression.next(after: max(due, now), in: zone)
        }
    }
}

/// The treatment of runs of a recurring handler that were due while the bot was not running.
public enum MissedRuns: Sendable, Hashable {
    /// The handler runs once at the start, however many were missed.
    case runOnce
    /// The handler runs at its next time.
    case skip
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
