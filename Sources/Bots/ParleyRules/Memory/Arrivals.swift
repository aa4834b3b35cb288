internal import ChatProtocol
internal import UnicodeText

/// The rate that somebody may reach within a time: `"> 5 in 10s"`.
struct RateTest: Sendable, Hashable {
    /// The quantity that is added up.
    enum Unit: String, Sendable, Hashable, CaseIterable {
        case events, characters, lines
    }

    static let units: KeyValuePairs<String, Unit> = ["events": .events, "characters": .characters, "lines": .lines]

    /// The number of events.
    let count: Comparison
    /// The time in seconds.
    let window: Double
    /// The events that are counted together.
    let scope: Repetition.Scope
    /// The quantity that is added up.
    let unit: Unit

    /// The longest time: a day. Counts are kept in memory.
    static let longestWindow = 86_400.0

    init?(_ reader: NodeReader, event: RuleEvent) {
        var scope = Self.defaultScope(event), unit = Unit.events, text = reader
        if reader.keys != nil {
            guard let mapping = reader.mapping() else { return nil }
            mapping.refuseKeys(otherThan: RateCheck.mapping)
            if let value = mapping.value("per")?.word(of: Repetition.words) { scope = value }
            if let value = mapping.value("count") {
                if let word = value.word(of: Self.units) { unit = word }
                if unit != .events, !event.hasText { value.report(.badValue, "\"\(event.rawValue)\" has no text to count in") }
            }
            guard let value = mapping.required("of", hint: "write how many in what time: \"> 5 in 10s\"") else { return nil }
            text = value
        }
        guard let source = text.string() else { return nil }
        let parts = source.split(separator: " in ", maxSplits: 1).map { $0.trimmed }
        guard parts.count == 2, let count = Comparison(String(parts[0])), let window = TimeSpan.seconds(parts[1]), window > 0 else {
            text.report(.badValue, "\(text.path) cannot be \"\(source.cut)\"", hint: "write how many in what time: \"> 5 in 10s\"")
            return nil
        }
        guard window <= Self.longestWindow else {
            text.report(.badValue, "\(text.path) must be of a day at the most: counts are kept in memory")
            return nil
        }
        (self.count, self.window, self.scope, self.unit) = (count, window, scope, unit)
    }

    /// Messages are counted for their writers, joins for the group, and events of strangers for the bot.
    private static func defaultScope(_ event: RuleEvent) -> Repetition.Scope {
        switch event {
        case .message, .edited, .report, .warned, .fileReceived: .person
        case .reaction, .deleted, .member, .delivered, .deliveryFailed, .fileFailed, .relay: .chat
        case .connected, .request, .invitation: .bot
        }
    }
}

/// The times of events, to count those within a time.
struct Arrivals: Sendable {
    /// Events of one key that are counted at the most.
    static let maximumCount = 1_000
    /// Seconds by which a clock can be set back at once.
    private static let tolerance = 3_600.0
    /// Keys that are counted at the most; those that were silent longest are forgotten first.
    static let maximumKeys = 10_000

    private struct Arrival {
        let time: Double
        let amount: Int
    }

    private var times: [String: [Arrival]] = [:]

    /// Notes an event.
    ///
    /// - Parameters:
    ///   - amount: the amount that the event adds.
    ///   - window: the longest time of any rule; older events are deleted.
    mutating func note(_ key: String, _ amount: Int = 1, at now: Double, keeping window: Double) {
        if times.count >= Self.maximumKeys, times[key] == nil { forgetOldest() }
        var known = times[key] ?? []
        // Those that are far in the future were counted while the clock was wrong.
        known.removeAll { $0.time <= now - window || $0.time > now + Self.tolerance }
        if known.count >= Self.maximumCount { known.removeFirst() }
        known.append(Arrival(time: now, amount: amount))
        times[key] = known
    }

    /// The sum of the amounts within a time until now.
    func count(_ key: String, within window: Double, at now: Double) -> Int {
        times[key]?.reduce(0) { $0 + ($1.time > now - window && $1.time <= now + Self.tolerance ? $1.amount : 0) } ?? 0
    }

    /// Half of the keys go at once, so that the search for them is rare.
    private mutating func forgetOldest() {
        let kept = times.sorted { ($0.value.last?.time ?? 0) > ($1.value.last?.time ?? 0) }.prefix(Self.maximumKeys / 2)
        times = Dictionary(kept.map { ($0.key, $0.value) }) { first, _ in first }
    }
}

extension RuleSet {
    /// Counts an event, if any rule asks how many there were, and tells the input.
    ///
    /// - Parameter counted: the earlier counts of the same event, by unit: a message counts once, however often it is changed while it is typed.
    func count(
        _ input: inout RuleInput, _ scopes: MemoryScopes, _ arrivals: inout Arrivals, at now: Double, beyond counted: [RateTest.Unit: Int] = [:]
    ) {
        guard let rates = rates[input.event] else { return }
        let kind = input.event.rawValue + (input.change.map { "/\($0.rawValue)" } ?? "")
        let window = rates.map(\.window).max() ?? 0
        var noted: Set<String> = []
        for rate in rates {
            let key = "\(kind) \(rate.unit.rawValue) \(rate.scope.rawValue) \(scopes.name(rate.scope))"
            let amount = max(0, rate.unit.amount(of: input.text) - counted[rate.unit, default: 0])
            if noted.insert(key).inserted, amount > 0 || counted.isEmpty { arrivals.note(key, amount, at: now, keeping: window) }
            input.rates[RuleInput.Rate(rate)] = arrivals.count(key, within: rate.window, at: now)
        }
    }
}

extension RateTest.Unit {
    func amount(of text: String) -> Int {
        switch self {
        case .events: 1
        case .characters: TextLength.characters(Markdown.shown(text))
        case .lines: TextMeasures.lines(Markdown.shown(text), width: nil)
        }
    }
}
