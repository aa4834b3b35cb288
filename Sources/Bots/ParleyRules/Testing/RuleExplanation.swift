internal import ChatProtocol
internal import Parley
internal import UnicodeText

/// The reason why a rule applies to an event or does not.
public struct RuleExplanation: Sendable {
    /// The end of it.
    public enum Verdict: String, Sendable, Hashable {
        /// The rule applies.
        case applies
        /// The rule applies, and its actions are only logged.
        case audits
        /// A check does not hold, or is not known to.
        case doesNotApply
        /// The rule is not for the kind of chat.
        case otherChat
        /// The rule is not for members of the role.
        case exempt
        /// Another bot wrote in a group, and the rule neither moderates nor asks for bots.
        case otherBot
        /// A rule before it was the last.
        case notTried
    }

    /// A check or a group of checks with its answer.
    public struct Step: Sendable {
        /// The key in the file.
        public let key: String
        /// The position in the file.
        public let position: SourcePosition
        /// True if it holds, false if it does not, nil if the event does not tell.
        public let holds: Bool?
        /// The finding; empty for groups of checks.
        public let reason: String
        /// The checks of a group.
        public let steps: [Step]
    }

    /// The rule.
    public let rule: RuleSpec
    /// The end of it.
    public let verdict: Verdict
    /// `when`, and `unless` if there is one. Empty for rules that are not tried or not for the chat.
    public let steps: [Step]
    /// The effects that the rule would have.
    public let actions: [PlannedAction]
}

extension RuleSet {
    /// The explanation of each rule about the event, in the order in which they are tried.
    public func explain(_ scenario: RuleScenario, bot: String) -> [RuleExplanation] {
        var input = scenario.input, arrivals = Arrivals()
        // As if nothing had come before.
        count(&input, scenario.scopes, &arrivals, at: 0)
        var facts = facts(of: input)
        let planned = plan(scenario, bot: bot)
        var isOver = false
        return compiled.filter { $0.rule.when.event == scenario.input.event }.map { compiled in
            let rule = compiled.rule
            guard !isOver else { return RuleExplanation(rule: rule, verdict: .notTried, steps: [], actions: []) }
            guard compiled.kinds.isSuperset(of: scenario.input.chat), !isAboutReport(scenario.input) else {
                return RuleExplanation(rule: rule, verdict: .otherChat, steps: [], actions: [])
            }
            var steps = [compiled.when.step("when", rule.when.tree, &facts, searches)]
            if let unless = compiled.unless, let tree = rule.unless { steps.append(unless.step("unless", tree, &facts, searches)) }
            let holds = compiled.when.evaluate(&facts) == .yes && compiled.unless.map { $0.evaluate(&facts) == .no } ?? true
            let verdict: RuleExplanation.Verdict =
                !holds
                ? .doesNotApply
                : rule.isExempt(input) ? .exempt : input.isOfBotInGroup && !rule.isAboutBots ? .otherBot : rule.mode == .audit ? .audits : .applies
            isOver = verdict == .applies && compiled.isLast
            return RuleExplanation(
                rule: rule, verdict: verdict, steps: steps,
                actions: verdict == .applies || verdict == .audits ? planned.filter { $0.rule == rule.label } : [])
        }
    }
}

extension CompiledCheck {
    /// All checks with their answers: those that evaluation would not reach too.
    func step(_ name: String, _ tree: CheckTree, _ facts: inout InputFacts, _ searches: [WordSearch]) -> RuleExplanation.Step {
        func step(_ key: String, _ position: SourcePosition, reason: String = "", _ facts: inout InputFacts, _ steps: [RuleExplanation.Step] = [])
            -> RuleExplanation.Step
        {
            let truth = evaluate(&facts)
            return RuleExplanation.Step(
                key: key, position: position, holds: truth == .unknown ? nil : truth == .yes, reason: reason, steps: steps)
        }
        switch (self, tree) {
        case (.leaf(let leaf), .check(let check)):
            return step(check.key, check.position, reason: leaf.reason(&facts, searches), &facts)
        case (.all(let checks), .all(let trees, let position)):
            let steps = zip(checks, trees).map { $0.step("all", $1, &facts, searches) }
            return step(name, position, &facts, steps)
        case (.any(let checks), .any(let trees, let position)):
            let steps = zip(checks, trees).map { $0.step("all", $1, &facts, searches) }
            return step(name == "unless" ? name : "any", position, &facts, steps)
        case (.not(let check), .not(let inner, let position)):
            return step("not", position, &facts, [check.step("all", inner, &facts, searches)])
        default: return step(name, SourcePosition(line: 1, column: 1), &facts)
        }
    }
}

extension CompiledLeaf {
    /// The finding, in a few words.
    func reason(_ facts: inout InputFacts, _ searches: [WordSearch]) -> String {
        switch search {
        case .words(let groups, let withFileName):
            for (search, group) in groups {
                if let entry = facts.hit(search, group, withFileName: withFileName) { return "\"\(searches[search].entry(entry))\" is found" }
            }
            return "nothing is found"
        case .pattern(_, let pattern, let withFileName):
            guard let match = facts.firstMatch(of: pattern, withFileName: withFileName) else { return "no match" }
            return "matches \"\(match.text.prefix(60))\""
        case nil: return check.test.reason(&facts)
        }
    }
}
