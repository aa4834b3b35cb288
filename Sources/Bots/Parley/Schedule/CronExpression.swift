internal import Foundation

/// Times of a calendar in the five fields of cron: minute, hour, day of the month, month, day of the week.
///
/// A field is `*`, a number, a name (`jan`, `mon`), a range `1-5`, a step `*/15` or `8-18/2`, or several of them with commas. As in cron, a day
/// matches if either of the two fields of days does, when both are restricted. Sunday is 0 or 7. A range of weekdays can run over the end of the week:
/// `fri-mon`.
struct CronExpression: Sendable, Hashable {
    /// The longest expression, in bytes.
    static let longest = 200
    /// Days that are searched for a time: a 29 February can be eight years away.
    private static let searchedDays = 366 * 8 + 2

    let source: String
    private let minutes: Set<Int>
    private let hours: Set<Int>
    private let days: Set<Int>
    private let months: Set<Int>
    private let weekdays: Set<Int>
    private let restrictsDays: Bool
    private let restrictsWeekdays: Bool
    /// True if it runs through the hours, and so follows the time that passes: an hour that the clocks repeat counts twice. Fixed hours count once.
    private let followsElapsedTime: Bool

    /// - Throws: ``CronError``.
    init(_ source: String) throws(CronError) {
        guard source.utf8.count <= Self.longest else { throw CronError("a schedule has at most \(Self.longest) bytes") }
        let fields = source.split(whereSeparator: \.isWhitespace).map { String($0).lowercased() }
        guard fields.count == 5 else { throw CronError("\"\(source)\" has \(fields.count) fields, and a schedule has five: minute hour day month weekday") }
        self.source = fields.joined(separator: " ")
        minutes = try Self.values(fields[0], "minute", 0...59)
        hours = try Self.values(fields[1], "hour", 0...23)
        days = try Self.values(fields[2], "day", 1...31)
        months = try Self.values(
            fields[3], "month", 1...12, names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], first: 1)
        let weekdays = try Self.values(fields[4], "weekday", 0...7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"], first: 0, cycle: 7)
        self.weekdays = Set(weekdays.map { $0 % 7 })
        followsElapsedTime = fields[1].contains { "*/".contains($0) } || hours.count == 24
        restrictsDays = !fields[2].hasPrefix("*")
        restrictsWeekdays = !fields[4].hasPrefix("*")
    }

    /// - Parameter cycle: the number of values after which the field begins again; 0 if a range cannot run over its end. Values can be above the range by it.
    private static func values(
        _ field: String, _ name: String, _ range: ClosedRange<Int>, names: [String] = [], first: Int = 0, cycle: Int = 0
    ) throws(CronError) -> Set<Int> {
        func number(_ text: Substring) throws(CronError) -> Int {
            if let index = names.firstIndex(of: String(text)) { return index + first }
            guard let number = Int(text), range.contains(number) else {
                throw CronError("\"\(text)\" is no \(name): it is a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        var values: Set<Int> = []
        for part in field.split(separator: ",", omittingEmptySubsequences: false) {
            let steps = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            var step = 1
            if steps.count == 2 {
                guard let given = Int(steps[1]), given > 0, given <= range.upperBound else { throw CronError("\"\(steps[1])\" is not a step of a \(name)") }
                step = given
            }
            let ends = steps[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            var lower = range.lowerBound, upper = range.upperBound
            if steps[0] != "*" {
                lower = try number(ends[0])
                upper = ends.count == 2 ? try number(ends[1]) : steps.count == 2 ? range.upperBound : lower
                if upper < lower { upper += cycle }
            }
            guard lower <= upper else { throw CronError("the range \"\(steps[0])\" of a \(name) runs backwards") }
            values.formUnion(stride(from: lower, through: upper, by: step))
        }
        return values
    }

    /// The first time after another; nil if there is none, as on 30 February.
    ///
    /// A time that the clocks skip in spring counts an hour later. One that they repeat in autumn counts once if the hours are fixed, and twice if the field
    /// of the hour has a `*` or a step.
    func next(after time: Date, in zone: TimeZone) -> Date? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var day = calendar.startOfDay(for: time)
        for _ in 0..<Self.searchedDays {
            let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: day)
            if matches(parts), let found = firstTime(on: parts, after: time, calendar) { return found }
            // Some days begin at one o'clock: the middle of a day and then its start is the next day in every zone.
            guard let next = calendar.date(byAdding: .day, value: 1, to: day.addingTimeInterval(43_200)) else { return nil }
            day = calendar.startOfDay(for: next)
        }
        return nil
    }

    private func matches(_ parts: DateComponents) -> Bool {
        guard let month = parts.month, let day = parts.day, let weekday = parts.weekday, months.contains(month) else { return false }
        let isDay = days.contains(day), isWeekday = weekdays.contains(weekday - 1)
        return restrictsDays && restrictsWeekdays ? isDay || isWeekday : isDay && isWeekday
    }

    private func firstTime(on day: DateComponents, after time: Date, _ calendar: Calendar) -> Date? {
        var parts = DateComponents(year: day.year, month: day.month, day: day.day), moved: Date?
        if followsElapsedTime, let shift = repeatedTime(on: parts, calendar) { return firstTime(on: day, after: time, repeating: shift, calendar) }
        for hour in hours.sorted() {
            for minute in minutes.sorted() {
                (parts.hour, parts.minute, parts.second) = (hour, minute, 0)
                guard let date = calendar.date(from: parts), date > time else { continue }
                let clock = calendar.dateComponents([.hour, .minute], from: date)
                if clock.hour == hour, clock.minute == minute { return min(date, moved ?? date) }
                // The clocks skip it. An hour later may be after the next matching time.
                moved = min(date, moved ?? date)
            }
        }
        return moved
    }

    /// The seconds that the clocks go back on a day; nil if they do not.
    private func repeatedTime(on day: DateComponents, _ calendar: Calendar) -> TimeInterval? {
        let zone = calendar.timeZone
        guard let start = calendar.date(from: day), let change = zone.nextDaylightSavingTimeTransition(after: start.addingTimeInterval(-1)),
            change < start.addingTimeInterval(25 * 3_600)
        else { return nil }
        let back = zone.secondsFromGMT(for: change.addingTimeInterval(-1)) - zone.secondsFromGMT(for: change)
        return back > 0 ? TimeInterval(back) : nil
    }

    /// The first time on a day on which the clocks go back: a time that they repeat counts twice.
    private func firstTime(on day: DateComponents, after time: Date, repeating shift: TimeInterval, _ calendar: Calendar) -> Date? {
        var parts = DateComponents(year: day.year, month: day.month, day: day.day), first: Date?
        for hour in hours {
            for minute in minutes {
                (parts.hour, parts.minute, parts.second) = (hour, minute, 0)
                guard let date = calendar.date(from: parts) else { continue }
                for found in [date, date.addingTimeInterval(shift), date.addingTimeInterval(-shift)] where found > time {
                    let clock = calendar.dateComponents([.day, .hour, .minute], from: found)
                    if clock.day == day.day, clock.hour == hour, clock.minute == minute { first = min(found, first ?? found) }
                }
            }
        }
        return first
    }
}

/// The reason why a schedule cannot be used.
struct CronError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
