public import Foundation

/// A part of the day, on all or some days of the week: `22:00-06:00` in UTC, or in another time zone.
public struct HourRange: Sendable, Hashable {
    /// Minutes from midnight to the begin.
    public let start: Int
    /// Minutes from midnight to the end, which does not belong to it.
    public let end: Int
    /// The time zone; UTC if the file gives none.
    public var zone: TimeZone?
    /// The days of the week on which it begins, 0 for Sunday to 6 for Saturday; all if the file gives none.
    public var days: Set<Int> = []

    /// The minutes of a day.
    private static let day = 1_440
    private static let dayWords = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    /// True if the minute of the day is in it. A range that ends before it begins goes over midnight.
    func contains(_ minute: Int) -> Bool {
        start <= end ? (start..<end).contains(minute) : minute >= start || minute < end
    }

    /// The answer for a time.
    ///
    /// - Parameters:
    ///   - minute: of the day in UTC.
    ///   - time: nil if only the minute is known.
    func truth(_ minute: Int, at time: Date?) -> Truth {
        guard zone != nil || !days.isEmpty else { return Truth(contains(minute)) }
        guard let time else { return .unknown }
        let local = local(time)
        guard contains(local.minute) else { return .no }
        guard !days.isEmpty else { return .yes }
        // Behind midnight it is still the range of the day before.
        let isBehindMidnight = start > end && local.minute < end
        return Truth(days.contains(isBehindMidnight ? (local.weekday + 6) % 7 : local.weekday))
    }

    private func local(_ time: Date) -> (minute: Int, weekday: Int) {
        let seconds = time.timeIntervalSince1970 + Double(zone?.secondsFromGMT(for: time) ?? 0)
        guard seconds.isFinite, abs(seconds) < 1e12 else { return (0, 0) }
        let minutes = Int((seconds / 60).rounded(.down)), minute = (minutes % Self.day + Self.day) % Self.day
        // 1 January 1970 was a Thursday.
        let weekday = (((minutes - minute) / Self.day + 4) % 7 + 7) % 7
        return (minute, weekday)
    }

    /// The time as the range sees it, for an explanation: `14:05`, `sat 15:05`.
    func description(_ minute: Int, at time: Date?) -> String {
        func clock(_ minute: Int) -> String { "\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60)" }
        guard zone != nil || !days.isEmpty, let time else { return clock(minute) }
        let local = local(time)
        return days.isEmpty ? clock(local.minute) : "\(Self.dayWords[local.weekday]) \(clock(local.minute))"
    }

    init?(_ reader: NodeReader) {
        guard reader.keys != nil else {
            guard let range = Self.range(reader, zone: " in UTC") else { return nil }
            (start, end) = range
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: HoursCheck.mapping)
        // All are read, so that each mistake is reported.
        let range = mapping.value("between").map { Self.range($0, zone: "") } ?? (0, Self.day)
        let zone = mapping.value("zone").map(ScheduleSpec.zone), days = mapping.value("days").map(Self.days)
        guard mapping.value("between") != nil || days != nil else {
            reader.report(.missingKey, "neither a time nor a day is named", hint: "write between: \"09:00-17:00\", or days: [mon, tue]")
            return nil
        }
        guard let range else { return nil }
        (start, end) = range
        if let zone {
            guard let zone else { return nil }
            self.zone = zone
        }
        if let days {
            guard let days else { return nil }
            self.days = days
        }
    }

    private static func range(_ reader: NodeReader, zone: String) -> (Int, Int)? {
        guard let text = reader.string() else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { minute($0.trimmed) }
        guard parts.count == 2, let start = parts[0], let end = parts[1], start != end else {
            reader.report(.badValue, "\(reader.path) cannot be \"\(text.cut)\"", hint: "write two times of the day\(zone): \"22:00-06:00\"")
            return nil
        }
        return (start, end)
    }

    /// Reads days, and ranges of days such as `mon-fri`.
    private static func days(_ reader: NodeReader) -> Set<Int>? {
        var days: Set<Int> = []
        for item in reader.listOrOne() ?? [] {
            guard let text = item.nonEmptyString() else { return nil }
            let ends = text.lowercased().split(separator: "-", omittingEmptySubsequences: false).map { word in
                dayWords.firstIndex(of: String(word.trimmed.prefix(3)))
            }
            guard (1...2).contains(ends.count), let first = ends.first ?? nil, let last = ends.last ?? nil else {
                item.report(
                    .badValue, "\(item.path) cannot be \"\(text.cut)\"", hint: "days are mon, tue, wed, thu, fri, sat and sun, and ranges such as mon-fri")
                return nil
            }
            var day = first
            days.insert(day)
            while day != last {
                day = (day + 1) % 7
                days.insert(day)
            }
        }
        return days.isEmpty ? nil : days
    }

    /// The minute of the day of a text such as `06:30`; nil for another text.
    static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.count) }), let hour = parts[0].digits(Int.self), let minute = parts[1].digits(Int.self),
            (0...23).contains(hour), (0...59).contains(minute)
        else { return nil }
        return hour * 60 + minute
    }
}
