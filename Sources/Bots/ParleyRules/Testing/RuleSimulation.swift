internal import Parley

/// Rules in front of one event after the other, with everything that they remember, and without a network.
struct RuleSimulation {
    private let rules: RuleSet
    private let bot: String
    private let forms: [String: FormSpec]
    private let texts: BotTexts
    private var memories: [String: RuleMemory] = [:]
    private var arrivals = Arrivals()
    private var open: [String: FormState] = [:]
    private var nextCase = 1
    /// Seconds since 1970.
    private var now = 1_767_268_800.0

    /// The outcome of an event.
    struct Outcome {
        var rules: [String] = []
        var actions: [PlannedAction] = []
    }

    init(_ rules: RuleSet, bot: String, forms: [String: FormSpec] = [:], texts: BotTexts = BotTexts()) {
        self.texts = texts
        self.rules = rules
        self.bot = bot
        self.forms = forms
    }

    /// Takes an event.
    ///
    /// - Parameter pause: seconds since the event before.
    mutating func take(_ scenario: RuleScenario, after pause: Double = 0) -> Outcome {
        now += pause
        var input = scenario.input
        let scopes = scenario.scopes
        if let outcome = answerCaptcha(scenario, scopes) ?? answerForm(scenario, scopes) { return outcome }
        rules.count(&input, scopes, &arrivals, at: now)
        var turn = RuleTurn(rules, scopes, memories: memories, nextCase: nextCase, now: now)
        let decisions = turn.decide(input)
        (memories, nextCase) = (turn.memories, turn.nextCase)
        var outcome = Outcome(rules: decisions.map(\.rule.label))
        for decision in decisions {
            let values = scenario.values(bot: bot, decision)
            for action in decision.rule.then {
                // As with bots that run, an empty message is not sent, and ends the rule.
                if !decision.isAudit, action.value.text(values)?.showsNothing == true {
                    if decision.command != nil {
                        outcome.actions.append(
                            PlannedAction(rule: decision.rule.label, word: "reply", detail: texts[.nothingSent], isAudit: false))
                    }
                    break
                }
                outcome.actions.append(planned(action, values, rule: decision.rule.label, isAudit: decision.isAudit))
                if !decision.isAudit { outcome.actions += begin(action, scenario, scopes, values) }
            }
        }
        return outcome
    }

    private func planned(_ action: RuleAction, _ values: TemplateValues, rule: String, isAudit: Bool = false) -> PlannedAction {
        PlannedAction(rule: rule, word: action.word, detail: action.value.detail(values), isAudit: isAudit)
    }

    /// An action that asks something, and is answered by a later event.
    private mutating func begin(
        _ action: RuleAction, _ scenario: RuleScenario, _ scopes: MemoryScopes, _ values: TemplateValues
    ) -> [PlannedAction] {
        switch action.value {
        case let action as CaptchaAction:
            let spec = action.captcha
            let round = (memories[scopes.target]?.captcha?.round ?? 0) + 1
            memories[scopes.target, default: RuleMemory()].apply(
                .asked(CaptchaProgress(round: round, attempts: spec.attempts, deadline: now + spec.limit, texts: spec.texts)))
            return []
        case let action as BeginFormAction:
            guard let form = forms[action.form], let first = form.questions.first else { return [] }
            open[scopes.person] = FormState(form: form.id, deadline: now + form.timeout)
            return [PlannedAction(rule: form.id, word: "send", detail: first.text(values), isAudit: false)]
        default: return []
        }
    }

    private mutating func answerCaptcha(_ scenario: RuleScenario, _ scopes: MemoryScopes) -> Outcome? {
        guard let isRight = scenario.isRightAnswer, let progress = memories[scopes.person]?.captcha else { return nil }
        let outcome = progress.outcome(isRight: isRight, at: now)
        let next: CaptchaProgress? = if case .again(let next) = outcome { next } else { nil }
        memories[scopes.person, default: RuleMemory()].apply(.asked(next))
        let word = outcome == .passed ? "accept" : outcome == .failed ? "reject" : "captcha"
        return Outcome(actions: [PlannedAction(rule: "captcha", word: word, detail: nil, isAudit: false)])
    }

    private mutating func answerForm(_ scenario: RuleScenario, _ scopes: MemoryScopes) -> Outcome? {
        guard scenario.input.event == .message, let state = open[scopes.person], let form = forms[state.form] else { return nil }
        guard now <= state.deadline else {
            open[scopes.person] = nil
            return nil
        }
        var values = scenario.values(bot: bot)
        func said(_ text: String?) -> Outcome {
            Outcome(actions: text.map { [PlannedAction(rule: form.id, word: "send", detail: $0, isAudit: false)] } ?? [])
        }
        switch form.step(scenario.input.text, after: state.answers) {
        case .refuse: return said(form.questions[state.answers.count].refusal(texts))
        case .cancelled:
            open[scopes.person] = nil
            return said(form.cancelled)
        case .ask(let question, let answers):
            open[scopes.person]?.answers = answers
            values.fields = form.fields(answers)
            return said(form.questions[question].text(values))
        case .done(let answers):
            open[scopes.person] = nil
            values.fields = form.fields(answers)
            return Outcome(actions: form.done.map { planned($0, values, rule: form.id) })
        }
    }
}

extension RuleScenario {
    /// The names under which a simulation remembers.
    var scopes: MemoryScopes {
        let chat = (input.chat == .contacts ? nil : input.groupNames.first).map { "#\($0)" } ?? "@\(name)"
        let person = input.chat == .contacts ? "@\(name)" : "\(chat.isEmpty ? "" : chat)/\(name)"
        return MemoryScopes(person: person, target: input.event == .report ? "\(chat)/reported" : person, chat: chat)
    }
}
