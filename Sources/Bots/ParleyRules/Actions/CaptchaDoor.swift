internal import ChatAPI
internal import Foundation
internal import Logging
internal import Parley

// The question that members who wait have to answer.
extension RulePerformer {
    /// Asks the member, and sets the timer.
    func ask(_ spec: CaptchaSpec) async throws {
        guard let member = subject.member else { return }
        let failures = try await subject.client.state(CaptchaFailures.self, of: .chat(.group(member.group.id, scope: nil))).count(at: now.timeIntervalSince1970)
        guard failures < spec.failuresPerHour else {
            logger.warning(
                "too many have failed the captcha within an hour: who joins now waits for a moderator",
                metadata: ["code": "captcha.limit", "group": "\(member.group.id)", "failures": "\(failures)"])
            return
        }
        let deadline = now.timeIntervalSince1970 + spec.limit
        let round = try await subject.client.state(RuleMemory.self, of: .person(subject.target)).captcha?.round ?? 0
        try await ask(CaptchaProgress(round: round + 1, attempts: spec.attempts, deadline: deadline, texts: CaptchaTexts(spec.texts, texts)))
        let timeout = CaptchaTimeout(group: member.group.id.rawValue, member: member.id.rawValue, deadline: deadline)
        try await subject.client.schedule(
            CaptchaTimer.name, key: subject.target.description, after: .seconds(spec.limit), timeout, in: subject.chat.reference)
    }

    private func ask(_ progress: CaptchaProgress, isAgain: Bool = false) async throws {
        try await subject.client.update(RuleMemory.self, of: .person(subject.target)) { $0.apply(.asked(progress)) }
        let question = try await question(progress.round)
        try await subject.chat.send(isAgain ? question.text(progress.texts, attempts: progress.attempts) : question.text(progress.texts))
    }

    private func question(_ round: Int) async throws -> CaptchaQuestion {
        CaptchaQuestion(secret: try await subject.client.captchaSecret(), person: subject.target.description, round: round)
    }

    /// Takes the answer of a member who was asked.
    ///
    /// - Returns: false if the member was not asked, and the rules go on with the message.
    func answerCaptcha(_ text: String) async throws -> Bool {
        guard let member = subject.member, let progress = try await subject.client.state(RuleMemory.self, of: .person(subject.target)).captcha else {
            return false
        }
        switch progress.outcome(of: text, to: try await question(progress.round), at: now.timeIntervalSince1970) {
        case .again(let next): try await ask(next, isAgain: true)
        case .remind(let next): try await ask(next)
        case .ignored: break
        case .passed:
            try await member.accept()
            try await endCaptcha()
        case .failed:
            try await subject.client.noteCaptchaFailure(in: member.group.id, at: now.timeIntervalSince1970)
            try await member.reject()
            try await endCaptcha()
        }
        return true
    }

    private func endCaptcha() async throws {
        try await subject.client.update(RuleMemory.self, of: .person(subject.target)) { $0.apply(.asked(nil)) }
        try await subject.client.cancelScheduled(CaptchaTimer.name, key: subject.target.description)
    }
}

/// The end of the time for an answer.
enum CaptchaTimer {
    static let name = "parley.rules.captcha"

    static func end(_ tick: ScheduledContext<CaptchaTimeout>) async throws {
        let value = tick.value, group = GroupID(value.group), id = GroupMemberID(value.member)
        let scope = StateScope.person(.member(id, of: group))
        guard try await tick.client.state(RuleMemory.self, of: scope).captcha?.deadline == value.deadline else { return }
        try await tick.client.update(RuleMemory.self, of: scope) { $0.apply(.asked(nil)) }
        guard let member = try await tick.groups.group(group)?.member(id), member.isPending else { return }
        try await tick.client.noteCaptchaFailure(in: group, at: tick.client.now.timeIntervalSince1970)
        try await member.reject()
    }
}

extension BotClient {
    /// Counts a member who has failed the captcha.
    fileprivate func noteCaptchaFailure(in group: GroupID, at now: Double) async throws {
        try await update(CaptchaFailures.self, of: .chat(.group(group, scope: nil))) { $0.add(at: now) }
    }
}

extension CaptchaTexts {
    /// The texts of a rule, with those of its bot in the place of what the rule does not give; nil for those of Parley.
    fileprivate init?(_ texts: CaptchaTexts?, _ bot: BotTexts) {
        let question = texts?.question ?? bot.custom(.captchaQuestion), wrong = texts?.wrong ?? bot.custom(.captchaWrong)
        guard question != nil || wrong != nil || texts?.language != nil else { return nil }
        self.init(question: question, wrong: wrong, language: texts?.language)
    }
}
