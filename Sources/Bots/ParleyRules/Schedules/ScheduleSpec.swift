public import Foundation
internal import Parley

/// A message that is sent at times.
public struct ScheduleSpec: Sendable, Hashable {
    /// The times.
    public enum Times: Sendable, Hashable {
        /// Once.
        case at(Date)
        /// Again and again, from the first start on.
        case every(seconds: Double)
        /// Times of the calendar.
        case cron(String, TimeZone)
    }

    /// The chats that it is sent into.
    public enum Target: Sendable, Hashable {
        /// Chats with these names.
        case chats([String])
        /// All contacts.
        case contacts
    }

    /// The name under which it is remembered; unique in the profile.
    public let id: String
    /// The times.
    public let times: Times
    /// The time zone of its times, and of the date and the time in its message.
    public let zone: TimeZone
    /// The chats.
    public let target: Target
    /// True if a time that was missed is made up for at the next start.
    public let runsMissed: Bool
    /// The message.
    let message: RuleMessage

    /// The shortest interval, in seconds.
    static let shortestInterval = 60.0
    static let missedWords: KeyValuePairs<String, Bool> = ["run": true, "skip": false]

    init?(_ reader: NodeReader) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.schedule)
        let id = mapping.required("id", hint: "add \"id\": Parley remembers sent messages by it")?.nonEmptyString()
        let message = mapping.required("send", hint: "write the text").flatMap { RuleMessage($0, .schedule) }
        let named = ["at", "every", "cron"].filter { mapping.value($0) != nil }
        if named.count != 1 {
            reader.report(
                named.isEmpty ? .missingKey : .badValue, named.isEmpty ? "there is no time" : "one kind of time, not \(named.joined(separator: " and "))",
                hint: "write one of: at, every, cron")
        }
        let times = named.count == 1 ? mapping.value(named[0]).flatMap { Self.times($0, mapping) } : nil
        runsMissed = mapping.value("missed")?.word(of: Self.missedWords) ?? true
        let target: Target? = mapping.required("to", hint: "name a chat, or write: to: contacts").flatMap(Self.target)
        if named.first != "cron", named.first != "at" { mapping.value("zone")?.report(.badValue, "\"zone\" goes with \"at\" and \"cron\"") }
        guard let id, let message, let times, let target, named.count == 1 else { return nil }
        (self.id, self.message, self.times, self.target) = (id, message, times, target)
        zone = mapping.value("zone")?.text.flatMap { TimeZone(identifier: $0) } ?? .gmt
    }

    /// Reads `contacts`, or names of chats.
    static func target(_ reader: NodeReader) -> Target? {
        reader.text == "contacts" ? .contacts : reader.listOrOne().map { .chats($0.compactMap { $0.name(of: .chat) }) }
    }

    private static func times(_ reader: NodeReader, _ mapping: MappingReader) -> Times? {
        if mapping.value("every") != nil {
            guard let seconds = TimeSpan.read(reader) else { return nil }
            guard seconds >= shortestInterval else {
                reader.report(.badValue, "\(reader.path) must be a minute or more")
                return nil
            }
            return .every(seconds: seconds)
        }
        guard let zone = zone(mapping.value("zone")), let text = reader.nonEmptyString() else { return nil }
        if mapping.value("cron") != nil {
            if let fault = CronCheck.fault(in: text, zone) {
                reader.report(.badValue, fault, hint: "five fields: minute hour day month weekday, as in \"30 8 * * mon-fri\"")
                return nil
            }
            return .cron(text, zone)
        }
        guard let date = date(text, zone) else {
            let isSkipped = Self.date(text, .gmt) != nil
            reader.report(
                .badValue, "\(reader.path) cannot be \"\(text.cut)\"",
                hint: isSkipped
                    ? "the clocks of \(zone.identifier) skip this time: write the time an hour later" : "write a date and a time: \"2026-12-24 18:00\"")
            return nil
        }
        if date < Date() {
            reader.warn(.unreachable, "\(reader.path) is over: a bot that does not know the schedule yet sends nothing", hint: "write a time to come")
        }
        return .at(date)
    }

    static func zone(_ reader: NodeReader?) -> TimeZone? {
        guard let reader else { return TimeZone(secondsFromGMT: 0) }
        guard let name = reader.nonEmptyString() else { return nil }
        if let zone = TimeZone(identifier: name) { return zone }
        let nearest = nearestZone(name).map { "did you mean \"\($0)\"?" }
        reader.report(.badValue, "\"\(name.cut)\" is not a time zone", hint: nearest ?? "a name such as Europe/Berlin; UTC without it")
        return nil
    }

    /// The zone of a city, or of a name in other letters.
    private static func nearestZone(_ name: String) -> String? {
        let wanted = name.lowercased().replacing(" ", with: "_"), known = TimeZone.knownTimeZoneIdentifiers
        return known.first { $0.lowercased() == wanted } ?? known.first { $0.lowercased().hasSuffix("/" + wanted) } ?? Spelling.nearest(to: name, among: known)
    }

    private static func date(_ text: String, _ zone: TimeZone) -> Date? {
        guard let match = text.wholeMatch(of: /([0-9]{4})-([0-9]{2})-([0-9]{2})[ T]([0-9]{1,2}):([0-9]{2})/) else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = DateComponents(year: Int(match.1), month: Int(match.2), day: Int(match.3), hour: Int(match.4), minute: Int(match.5))
        guard let date = calendar.date(from: parts) else { return nil }
        // A calendar makes 3 March of 31 February.
        let read = calendar.dateComponents([.month, .day, .hour, .minute], from: date)
        return read.month == parts.month && read.day == parts.day && read.hour == parts.hour && read.minute == parts.minute ? date : nil
    }
}

/// Validates calendar times with the framework's own reader.
private enum CronCheck {
    static func fault(in text: String, _ zone: TimeZone) -> String? {
        let bot = Bot("schedule") { On(.cron(text, "schedule", in: zone)) { _ in } }
        return bot.validationErrors.first?.message
    }
}

/// The schedules of one time that were sent, by their ids with their times.
struct SentSchedules: StoredState {
    static let stateName = "parley.schedules"
    /// Those that are remembered at the most; the oldest are forgotten first.
    static let maximumCount = 500
    private(set) var sent: [String] = []

    func contains(_ key: String) -> Bool { sent.contains(key) }

    mutating func add(_ key: String) {
        guard !sent.contains(key) else { return }
        sent.append(key)
        if sent.count > Self.maximumCount { sent.removeFirst() }
    }
}
