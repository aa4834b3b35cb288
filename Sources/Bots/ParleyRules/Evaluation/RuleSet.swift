public import Parley

/// Rules made ready for evaluation.
///
/// Everything that rules look for in texts is compiled into one ``TextPatternSet``, so a message is read once however many
/// rules there are.
public struct RuleSet: Sendable {
    /// The rules, in their order.
    public let rules: [RuleSpec]
    private let compiled: [Compiled]
    private let search: TextPatternSet
    private let byEvent: [RuleEvent: [Int]]

    /// The patterns that a rule requires of a text: one match of each group.
    private struct Compiled: Sendable {
        var needs: [ClosedRange<Int>] = []
        var commands: Set<String>?
        var emoji: Set<String>?
    }

    /// - Throws: ``TextPatternError`` if a pattern does not compile; rules read from a file have been checked before.
    public init(_ rules: [RuleSpec]) throws(TextPatternError) {
        var sources: [String] = []
        var compiled: [Compiled] = []
        var byEvent: [RuleEvent: [Int]] = [:]
        for (index, rule) in rules.enumerated() {
            var needs: [ClosedRange<Int>] = []
            func need(_ group: [String]) {
                guard !group.isEmpty else { return }
                needs.append(sources.count...sources.count + group.count - 1)
                sources += group
            }
            if let texts = rule.when.texts { need(texts.map { "(?is)^\\s*\(Self.literal(String($0.trimmed)))\\s*$" }) }
            if let parts = rule.when.parts { need(parts.map { "(?i)\(Self.literal($0))" }) }
            if let pattern = rule.when.pattern { need([pattern.source]) }
            compiled.append(
                Compiled(
                    needs: needs, commands: rule.when.commands.map(Set.init), emoji: rule.when.emoji.map(Set.init)))
            byEvent[rule.when.event, default: []].append(index)
        }
        self.rules = rules
        self.compiled = compiled
        self.byEvent = byEvent
        search = try TextPatternSet(sources)
    }

    /// The rules that apply, in order: the first one, and those behind it as long as the one before continues.
    public func decide(_ input: RuleInput) -> [RuleDecision] {
        guard let candidates = byEvent[input.event] else { return [] }
        let command = input.event.hasText ? SlashCommand(input.text) : nil
        var found: Set<Int>?
        var decisions: [RuleDecision] = []
        for index in candidates {
            let rule = rules[index], compiled = compiled[index]
            if let kind = rule.when.content, kind != input.kind { continue }
            guard rule.when.members.holds(for: input) else { continue }
            if let senders = rule.when.senders, !(input.sender.map(senders.contains) ?? false) { continue }
            if let file = rule.when.file, !(input.file.map(file.holds) ?? false) { continue }
            if let commands = compiled.commands, !commands.contains(command?.name ?? "") { continue }
            if let emoji = compiled.emoji, !emoji.contains(input.emoji ?? "") { continue }
            if !compiled.needs.isEmpty {
                let hits = found ?? Set(search.matches(in: input.text))
                found = hits
                guard compiled.needs.allSatisfy({ $0.contains(where: hits.contains) }) else { continue }
            }
            decisions.append(RuleDecision(rule: rule, match: rule.when.pattern?.firstMatch(in: input.text), command: command))
            if !rule.continues { break }
        }
        return decisions
    }

    /// A pattern that matches the text and nothing else.
    static func literal(_ text: String) -> String {
        var pattern = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII, !scalar.properties.isAlphabetic, scalar.properties.numericType == nil, scalar != " " {
                pattern += "\\x{\(String(scalar.value, radix: 16))}"
            } else {
                pattern.unicodeScalars.append(scalar)
            }
        }
        return pattern
    }
}

extension MemberCondition {
    func holds(for input: RuleInput) -> Bool {
        guard kinds.isSuperset(of: input.chat), !mentionsBot || input.mentionsBot else { return false }
        if let roles, !(input.role.map(roles.contains) ?? false) { return false }
        if let changes, !(input.change.map(changes.contains) ?? false) { return false }
        return true
    }
}
