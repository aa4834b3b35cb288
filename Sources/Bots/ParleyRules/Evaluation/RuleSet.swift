internal import ChatProtocol
public import Parley

/// Rules made ready for evaluation.
///
/// The words that rules look for are compiled into one automaton for each form of texts, and the patterns into one `TextPatternSet`, so a
/// message is read once however many rules there are.
///
/// Rules that moderate are tried first, then the others, both by priority and then in the order of the file. The first rule that applies is the
/// last one that is tried, unless it continues or only audits.
public struct RuleSet: Sendable {
    /// The rules, in the order of the file.
    public let rules: [RuleSpec]
    /// The rules in the order in which they are tried.
    let compiled: [CompiledRule]
    let searches: [WordSearch]
    private let patterns: TextPatternSet
    /// The commands of several words that rules name.
    private let phrases: CommandPhrases
    private let byEvent: [RuleEvent: [Int]]
    /// The counts that rules ask for, by their events.
    let rates: [RuleEvent: [RateTest]]
    /// The memories that rules need.
    let needs: RuleNeeds
    /// The names of chats into which rules report deliveries: a report is a message that is delivered, too.
    private let reportChats: Set<String>

    /// - Parameter lists: the lists that the rules name.
    /// - Throws: `TextPatternError` if a pattern does not compile; rules read from a file have been checked before.
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
        var rates: [RuleEvent: [RateTest]] = [:]
        for rule in rules {
            for check in rule.when.tree.checks + (rule.unless?.checks ?? []) {
                if let check = check.test as? RateCheck { rates[rule.when.event, default: []].append(check.rate) }
            }
        }
        self.rates = rates
        phrases = CommandPhrases(
            rules.flatMap { rule in (rule.when.tree.checks + (rule.unless?.checks ?? [])).flatMap { ($0.test as? CommandCheck)?.names ?? [] } })
        needs = RuleNeeds(rules)
        reportChats = Set(
            rules.filter(\.when.event.isAboutDelivery).flatMap(\.then).compactMap {
                ($0.value as? TellAction).map { ChatName($0.chat).name.lowercased() }
            })
        patterns = try TextPatternSet(compiler.patterns)
    }

    /// The rules that apply, in the order in which they are tried.
    public func decide(_ input: RuleInput) -> [RuleDecision] { decide(input) { _ in true } }

    /// The rules that apply, of those that may.
    func decide(_ input: RuleInput, where mayApply: (RuleSpec) -> Bool) -> [RuleDecision] {
        guard let candidates = byEvent[input.event], !isAboutReport(input) else { return [] }
        var facts = facts(of: input)
        var decisions: [RuleDecision] = []
        for index in candidates where compiled[index].applies(&facts) {
            let rule = compiled[index].rule
            guard mayApply(rule), !input.isOfBotInGroup || rule.isAboutBots else { continue }
            decisions.append(RuleDecision(rule: rule, match: compiled[index].match(&facts, searches), command: facts.command))
            if compiled[index].isLast { break }
        }
        return decisions
    }

    /// True for the delivery of a report about a delivery: rules about it would not end.
    func isAboutReport(_ input: RuleInput) -> Bool {
        guard input.event.isAboutDelivery, !reportChats.isEmpty else { return false }
        let names = input.groupNames.isEmpty ? [input.isTrusted ? input.sender : nil].compactMap(\.self) : input.groupNames
        return names.contains { reportChats.contains($0.lowercased()) }
    }

    func facts(of input: RuleInput) -> InputFacts { InputFacts(input, searches: searches, patterns: patterns, phrases: phrases) }
}

extension RuleSpec {
    /// True if no later rule is tried when this one applies.
    var isLast: Bool { !continues && mode == .enforce }

    /// True if the rule is also about what other bots write in groups: it moderates, or names `bot`. Two bots that answer each other would not end.
    var isAboutBots: Bool {
        isModerating || (when.tree.checks + (unless?.checks ?? [])).contains { $0.test is BotCheck }
    }

    /// True if the rule exempts the author, or the member that it would act on.
    func isExempt(_ input: RuleInput) -> Bool {
        guard !exempt.isEmpty, let role = input.target ?? input.role else { return false }
        return exempt.contains(role)
    }
}

/// The parts of the memory that rules need.
struct RuleNeeds: Sendable, Hashable {
    /// Memories of people, chats and the bot.
    private(set) var scopes: Set<Repetition.Scope> = []
    /// True if warnings count.
    private(set) var warnings = false
    /// True if some rule opens cases.
    private(set) var cases = false
    /// True if somebody may have to answer a question.
    private(set) var captcha = false

    /// True if something has to be read from the store before the rules can decide.
    var isStored: Bool { !scopes.isEmpty || warnings || cases }

    init(_ rules: [RuleSpec]) {
        for rule in rules {
            if let repetition = rule.repetition { scopes.insert(repetition.scope) }
            for action in rule.then {
                if action.value is WarnAction || action.value is ForgiveAction { warnings = true }
                if action.value is CaptchaAction { captcha = true }
                if action.value.opensCase { cases = true }
            }
        }
    }
}
