public import Parley

/// A test in the file of the rules: an event, and the expected outcome.
public struct RuleTest: Sendable {
    /// One event of a test, with the expected outcome.
    public struct Step: Sendable {
        /// Seconds since the step before.
        public let pause: Double
        /// The event.
        public let scenario: RuleScenario
        /// The rules that have to apply, in their order; nil if the test does not look at them.
        public let rules: [String]?
        /// The texts that have to be sent, in their order; nil if the test does not look at them.
        public let replies: [String]?
        /// The keys of the actions that have to be run, in their order; nil if the test does not look at them.
        public let actions: [String]?
    }

    /// The title of the test; nil if the file gives none.
    public let title: String?
    /// The position in the file.
    public let position: SourcePosition
    /// The events in order; the rules keep their state between them.
    public let steps: [Step]

    /// Steps of one test at the most.
    public static let maximumSteps = 100

    init?(_ reader: NodeReader) {
        guard let mapping = reader.mapping() else { return nil }
        title = mapping.value("title")?.nonEmptyString()
        position = reader.position
        guard let several = mapping.value("steps") else {
            guard let step = Step(mapping, schema: Schemas.test, pause: 0) else { return nil }
            steps = [step]
            return
        }
        mapping.refuseKeys(otherThan: Schemas.test)
        for key in mapping.keys where key != "steps" && key != "title" && Schemas.test.names.contains(key) {
            mapping.value(key)?.report(.badValue, "\"\(key)\" belongs in a step of a test with steps")
        }
        let items = several.list() ?? []
        if items.count > Self.maximumSteps { several.report(.tooLarge, "a test has at most \(Self.maximumSteps) steps", hint: "make two tests") }
        steps = items.prefix(Self.maximumSteps).compactMap { item in
            guard let step = item.mapping() else { return nil }
            return Step(step, schema: Schemas.step, pause: step.value("after").flatMap(TimeSpan.read) ?? 0)
        }
        guard !steps.isEmpty else { return nil }
    }

    /// Reports names of rules that are not there.
    static func check(_ reader: NodeReader, known: [String]) {
        guard let mapping = reader.mapping() else { return }
        for step in [mapping] + (mapping.value("steps")?.list()?.compactMap { $0.mapping() } ?? []) {
            for item in step.value("expect")?.listOrOne(allowsRepeats: true) ?? [] {
                guard let name = item.text, !known.contains(name) else { continue }
                item.report(
                    .badValue, "no rule has the id \"\(name.cut)\"", hint: known.isEmpty ? "give the rule an id" : Spelling.hint(for: name, among: known))
            }
        }
    }

    /// A name for the test: its title, or its first text.
    public var label: String {
        if let title { return title }
        guard let input = steps.first?.scenario.input else { return "" }
        if !input.text.isEmpty { return "\"" + String(input.text.prefix(40)) + (input.text.count > 40 ? "…" : "") + "\"" }
        return input.event.rawValue
    }

    /// Runs the test.
    ///
    /// - Parameters:
    ///   - set: the rules.
    ///   - bot: the name of the bot.
    ///   - forms: the forms of the profile.
    ///   - texts: the fixed texts of the profile.
    /// - Returns: the failed expectations, one element each; empty if all were met.
    public func run(_ set: RuleSet, bot: String, forms: [String: FormSpec] = [:], texts: BotTexts = BotTexts()) -> [RuleTestFailure] {
        var simulation = RuleSimulation(set, bot: bot, forms: forms, texts: texts)
        return steps.enumerated().flatMap { index, step in
            let result = simulation.take(step.scenario, after: step.pause)
            let prefix = steps.count > 1 ? "step \(index + 1): " : ""
            func failure(_ subject: String, _ expected: [String]?, _ actual: [String]) -> RuleTestFailure? {
                guard let expected, expected != actual else { return nil }
                return RuleTestFailure(subject: prefix + subject, expected: expected, actual: actual)
            }
            return [
                failure("rules", step.rules, result.rules), failure("replies", step.replies, result.actions.filter(\.isText).map { $0.detail ?? "" }),
                failure("actions", step.actions, result.actions.map(\.word)),
            ].compactMap(\.self)
        }
    }
}

extension RuleTest.Step {
    fileprivate init?(_ mapping: MappingReader, schema: MappingSchema, pause: Double) {
        self.pause = pause
        var rules = mapping.value("expect")?.listOrOne(allowsRepeats: true)?.compactMap { $0.nonEmptyString() }
        if let none = mapping.value("expect-none"), let value = none.bool() {
            if !value { none.report(.badValue, "leave \"expect-none\" out instead of saying false") }
            if rules != nil { none.report(.badValue, "a test expects rules or none, not both") }
            rules = []
        }
        self.rules = rules
        replies = mapping.value("replies")?.texts()
        actions = mapping.value("actions").flatMap {
            $0.isEmptyList ? [] : $0.listOrOne(allowsRepeats: true)?.compactMap { $0.word(of: $0.sink.extensions.actionWords) }
        }
        // A step may only lead to the next.
        if rules == nil, replies == nil, actions == nil, schema.name == Schemas.test.name, !mapping.hasUnknownKeys(schema) {
            mapping.reader.report(
                .missingKey, "the test expects nothing", hint: "write expect: with the id of a rule, expect-none: true, replies: or actions:")
        }
        guard let scenario = RuleScenario(mapping, schema: schema) else { return nil }
        self.scenario = scenario
    }
}

/// An expectation of a test that was not met.
public struct RuleTestFailure: Sendable, Hashable, CustomStringConvertible {
    /// The compared part: `rules`, `replies` or `actions`; with the number of the step if there are several.
    public let subject: String
    /// The expectation of the test.
    public let expected: [String]
    /// The effects of the rules.
    public let actual: [String]

    /// The difference, one element a line: `-` for a missing outcome, `+` for an unexpected one.
    public var description: String {
        var missing: Set<Int> = [], surplus: Set<Int> = []
        for step in actual.difference(from: expected) {
            switch step {
            case .remove(let offset, _, _): missing.insert(offset)
            case .insert(let offset, _, _): surplus.insert(offset)
            }
        }
        var result: [String] = []
        var index = 0, other = 0
        while index < expected.count || other < actual.count {
            if missing.contains(index) {
                result.append("-" + expected[index])
                index += 1
            } else if surplus.contains(other) {
                result.append("+" + actual[other])
                other += 1
            } else {
                result.append(" " + expected[index])
                (index, other) = (index + 1, other + 1)
            }
        }
        return "\(subject):\n" + (result.isEmpty ? "" : result.map { "  " + $0 }.joined(separator: "\n"))
    }
}

extension NodeReader {
    /// Texts of a list, or one; an empty list for none.
    fileprivate func texts() -> [String]? {
        if isEmptyList { return [] }
        return listOrOne(allowsRepeats: true)?.compactMap { $0.string() }
    }
}
