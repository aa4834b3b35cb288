/// A test that stands beside the rules: what happens, and what the rules make of it.
public struct RuleTest: Sendable {
    /// The title of the test; nil if the file gives none.
    public let title: String?
    /// The position in the file.
    public let position: SourcePosition
    /// The event.
    public let scenario: RuleScenario
    /// The rules that have to apply, in their order; nil if the test does not look at them.
    public let rules: [String]?
    /// The texts that have to be sent, in their order; nil if the test does not look at them.
    public let replies: [String]?
    /// The keys of the actions that have to be run, in their order; nil if the test does not look at them.
    public let actions: [String]?

    init?(_ reader: NodeReader) {
        guard let mapping = reader.mapping() else { return nil }
        title = mapping.value("title")?.nonEmptyString()
        position = reader.position
        var rules = mapping.value("expect")?.listOrOne()?.compactMap { $0.nonEmptyString() }
        if let none = mapping.value("expect-none"), let value = none.bool() {
            if !value { none.report(.badValue, "leave \"expect-none\" out instead of saying false") }
            if rules != nil { none.report(.badValue, "a test expects rules or none, not both") }
            rules = []
        }
        self.rules = rules
        replies = mapping.value("replies")?.texts()
        actions = mapping.value("actions").flatMap { $0.isEmptyList ? [] : $0.listOrOne()?.compactMap { $0.word(of: Schemas.actionWords) } }
        if rules == nil, replies == nil, actions == nil {
            reader.report(.missingKey, "the test expects nothing", hint: "write expect: with the id of a rule, expect-none: true, replies: or actions:")
        }
        guard let scenario = RuleScenario(mapping, schema: Schemas.test) else { return nil }
        self.scenario = scenario
    }

    /// Reports names of rules that are not there.
    func check(_ reader: NodeReader, known: [String]) {
        guard let mapping = reader.mapping() else { return }
        for item in mapping.value("expect")?.listOrOne() ?? [] {
            guard let name = item.text, !known.contains(name) else { continue }
            item.report(
                .badValue, "no rule has the id \"\(name)\"", hint: known.isEmpty ? "give the rule an id" : Spelling.hint(for: name, among: known))
        }
    }

    /// A name for the test: its title, or what is said.
    public var label: String {
        if let title { return title }
        let text = scenario.input.text
        if !text.isEmpty { return "\"" + String(text.prefix(40)) + (text.count > 40 ? "…" : "") + "\"" }
        return scenario.input.event.rawValue
    }

    /// Runs the test.
    ///
    /// - Returns: what was expected and did not happen, one element for each expectation; empty if all did.
    public func run(_ set: RuleSet, bot: String) -> [RuleTestFailure] {
        let decided = set.decide(scenario.input).map(\.rule.label)
        let planned = set.plan(scenario, bot: bot)
        var failures: [RuleTestFailure] = []
        func compare(_ what: String, _ expected: [String]?, _ actual: [String]) {
            if let expected, expected != actual { failures.append(RuleTestFailure(subject: what, expected: expected, actual: actual)) }
        }
        compare("rules", rules, decided)
        compare("replies", replies, planned.filter(\.isText).map { $0.detail ?? "" })
        compare("actions", actions, planned.map(\.word))
        return failures
    }
}

/// An expectation of a test that was not met.
public struct RuleTestFailure: Sendable, Hashable, CustomStringConvertible {
    /// What was compared: `rules`, `replies` or `actions`.
    public let subject: String
    /// What the test expects.
    public let expected: [String]
    /// What the rules do.
    public let actual: [String]

    /// The difference, one element a line: `-` for what is missing, `+` for what is too much.
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
        return listOrOne()?.compactMap { $0.string() }
    }
}
