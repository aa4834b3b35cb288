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
        switch test {
        case .words(let groups, let withFileName):
            for (search, group) in groups {
                if let entry = facts.hit(search, group, withFileName: withFileName) { return "\"\(searches[search].entry(entry))\" is found" }
            }
            return "nothing is found"
        case .pattern(_, let withFileName):
            guard case .pattern(let pattern) = check.test, let match = facts.firstMatch(of: pattern, withFileName: withFileName) else { return "no match" }
            return "matches \"\(match.text.prefix(60))\""
        case .other: return check.test.reason(&facts)
        }
    }
}

extension Check.Test {
    fileprivate func reason(_ facts: inout InputFacts) -> String {
        let input = facts.input
        switch self {
        case .command: return facts.command.map { "the command is /\($0.name)" } ?? "the text is no command"
        case .link, .domains:
            let hosts = facts.links.hosts.prefix(5).map(DomainName.readable).joined(separator: ", ")
            let simplex = facts.links.hasSimplexLink ? "a SimpleX link" : ""
            return facts.links.isEmpty && facts.links.hosts.isEmpty ? "no link" : "links: " + [hosts, simplex].filter { !$0.isEmpty }.joined(separator: ", ")
        case .length, .wordCount, .lines, .capitals, .emoji, .repeated, .blank:
            return facts.hasText ? measure(&facts) : "the message has no text"
        case .marks: return "\(Int(facts.marks)) marks on a letter at the most"
        case .invisible: return facts.hasInvisible ? "there are invisible characters" : "there are none"
        case .mentions: return "\(input.mentions) mentions"
        case .kind: return input.kind.map { "the kind is \($0.rawValue)" } ?? "no message"
        case .reaction: return input.emoji ?? "no reaction"
        case .change: return input.change?.rawValue ?? "no change"
        case .forwarded: return input.isForwarded ? "forwarded" : "not forwarded"
        case .comment: return input.isComment ? "a comment" : "no comment"
        case .file: return input.file.map { "\($0.name), \($0.size) bytes" } ?? "no file"
        case .mention: return input.mentionsBot ? "the bot is mentioned" : "the bot is not mentioned"
        case .from: return input.sender ?? "the writer is not known"
        case .name: return input.displayName ?? "the name is not known"
        case .bot: return input.isFromBot ? "a bot" : "no bot"
        case .role: return input.role.map { "the role is \($0.code)" } ?? "no role"
        case .age: return input.memberAge.map { "for \(TimeSpan.text($0))" } ?? "not known since when"
        case .group: return input.groupNames.first ?? "no group"
        case .points: return input.points.map { "\($0) points" } ?? "nobody was warned"
        case .rate(let rate):
            return input.rates[RuleInput.Rate(rate)].map { "\($0) within \(TimeSpan.text(rate.window))" } ?? "not counted"
        case .custom: return ""
        case .hours(let range): return input.minuteOfDay.map { range.description($0, at: input.time) } ?? "the time is not given"
        default: return ""
        }
    }

    private func measure(_ facts: inout InputFacts) -> String {
        switch self {
        case .length: "\(Int(facts.length)) characters"
        case .wordCount: "\(Int(facts.wordCount)) words"
        case .lines(_, let width): "\(TextMeasures.lines(facts.shown, width: width)) lines"
        case .capitals: facts.capitals.map { "\(Int($0)) %" } ?? "fewer than \(TextMeasures.minimumLetters) letters"
        case .emoji: "\(Int(facts.emoji)) emoji"
        case .blank: facts.isBlank ? "nothing can be seen" : "there is something to see"
        default: ""
        }
    }
}
