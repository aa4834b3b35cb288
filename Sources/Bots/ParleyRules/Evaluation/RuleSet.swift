internal import ChatProtocol
public import Parley

/// Rules made ready for evaluation.
///
/// The words that rules look for are compiled into one automaton for each form of texts, and the patterns into one ``TextPatternSet``, so a
/// message is read once however many rules there are.
///
/// Rules that moderate are tried first, then the others, both by priority and then as they stand in the file. The first rule that applies is the
/// last one that is tried, unless it continues or only audits.
public struct RuleSet: Sendable {
    /// The rules, as they stand in the file.
    public let rules: [RuleSpec]
    /// The rules in the order in which they are tried.
    let compiled: [CompiledRule]
    let searches: [WordSearch]
    private let patterns: TextPatternSet
    private let byEvent: [RuleEvent: [Int]]

    /// - Parameter lists: the lists that the rules name.
    /// - Throws: ``TextPatternError`` if a pattern does not compile; rules read from a file have been checked before.
    public init(_ rules: [RuleSpec], lists: [String: ListSpec] = [:]) throws(TextPatternError) {
        var compiler = RuleCompiler(lists: lists)
        var compiled: [CompiledRule] = []
        var byEvent: [RuleEvent: [Int]] = [:]
        for (index, rule) in RuleSpec.inOrder(rules).enumerated() {
            compiled.append(CompiledRule(rule, &compiler))
            byEvent[rule.when.event, default: []].append(index)
        }
        self.rules = rules
        self.compiled = compiled
        self.byEvent = byEvent
        searches = compiler.searches
        patterns = try TextPatternSet(compiler.patterns)
    }

    /// The rules that apply, in the order in which they are tried.
    public func decide(_ input: RuleInput) -> [RuleDecision] {
        guard let candidates = byEvent[input.event] else { return [] }
        var facts = facts(of: input)
        var decisions: [RuleDecision] = []
        for index in candidates where compiled[index].applies(&facts) {
            let rule = compiled[index].rule
            decisions.append(RuleDecision(rule: rule, match: rule.when.pattern?.firstMatch(in: input.text), command: facts.command))
            if compiled[index].isLast { break }
        }
        return decisions
    }

    func facts(of input: RuleInput) -> InputFacts { InputFacts(input, searches: searches, patterns: patterns) }
}

extension RuleSpec {
    /// True if no rule behind this one is tried when it applies.
    var isLast: Bool { !continues && mode == .enforce }

    /// True if the rule is not for the one who wrote, or whom it would act on.
    func isExempt(_ input: RuleInput) -> Bool {
        guard !exempt.isEmpty, let role = input.target ?? input.role else { return false }
        return exempt.contains(role)
    }
}
