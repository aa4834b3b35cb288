internal import Parley

/// One event for the rules: from the memory, it decides which rules apply, and how the memory changes.
///
/// It has no effects: its user performs its decisions and stores its changes.
struct RuleTurn {
    let rules: RuleSet
    let scopes: MemoryScopes
    /// Seconds since 1970.
    let now: Double
    /// The number that the next case gets.
    private(set) var nextCase: Int
    private(set) var memories: [String: RuleMemory]
    /// The changes by the names of their scopes, in their order.
    private(set) var changes: [(scope: String, change: MemoryChange)] = []

    init(_ rules: RuleSet, _ scopes: MemoryScopes, memories: [String: RuleMemory], nextCase: Int = 1, now: Double) {
        self.rules = rules
        self.scopes = scopes
        self.memories = memories
        self.nextCase = nextCase
        self.now = now
    }

    /// The rules that apply, in the order in which their actions are run.
    ///
    /// A rule that warns is followed by the rules about its warning.
    ///
    /// - Parameter typed: the message, if it is or was typed live.
    mutating func decide(_ input: RuleInput, typed: TypedMessage? = nil) -> [RuleDecision] {
        var decisions: [RuleDecision] = []
        for var decision in applying(input, but: typed?.applied ?? []) where typed?.isFor(decision.rule) ?? true {
            note(decision.rule)
            guard !decision.isAudit, !decision.rule.isExempt(input) else {
                decisions.append(decision)
                continue
            }
            let isWarning = openCases(of: &decision)
            if isWarning || decision.rule.when.event == .warned { decision.points = points }
            decisions.append(decision)
            if isWarning { decisions += escalation(of: input) }
        }
        return decisions
    }

    /// The present points of the member of the actions.
    private var points: Int { memories[scopes.target]?.points(at: now) ?? 0 }

    /// - Parameter applied: the rules that have applied to the same message before: they end the search as they did then.
    private func applying(_ input: RuleInput, but applied: Set<String> = []) -> [RuleDecision] {
        rules.decide(input) { rule in
            guard !applied.contains(rule.memoryKey), let repetition = rule.repetition else { return true }
            return memories[scopes.name(repetition.scope)]?.admits(rule, at: now) ?? true
        }
    }

    /// Gives numbers to the cases of a decision, and notes its warnings and what takes them back, in the order of the actions.
    ///
    /// - Returns: true if the rule warns.
    private mutating func openCases(of decision: inout RuleDecision) -> Bool {
        var isWarning = false
        for action in decision.rule.then {
            if action.value is ForgiveAction { apply(.forgiven(memories[scopes.target]?.warnings ?? []), scopes.target) }
            guard action.value.opensCase else { continue }
            decision.cases.append(nextCase)
            if let warn = (action.value as? WarnAction)?.warning {
                let warning = RuleMemory.Warning(points: warn.points, expires: warn.expiry.map { now + $0 }, number: nextCase, time: now)
                apply(.warned(warning, at: now), scopes.target)
                isWarning = true
            }
            nextCase += 1
        }
        return isWarning
    }

    private mutating func escalation(of input: RuleInput) -> [RuleDecision] {
        var warned = input
        warned.event = .warned
        warned.points = points
        var decisions: [RuleDecision] = []
        for var decision in applying(warned) {
            note(decision.rule)
            if !decision.isAudit { _ = openCases(of: &decision) }
            decision.points = warned.points
            decisions.append(decision)
        }
        return decisions
    }

    private mutating func note(_ rule: RuleSpec) {
        guard let repetition = rule.repetition else { return }
        apply(.ran(rule.memoryKey, at: now), scopes.name(repetition.scope))
    }

    private mutating func apply(_ change: MemoryChange, _ scope: String) {
        memories[scope, default: RuleMemory()].apply(change)
        changes.append((scope, change))
    }
}
