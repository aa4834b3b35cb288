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
        try await exchange.ask(member, attempts: spec.attempts, within: .seconds(spec.limit), texts: CaptchaTexts(spec.texts, texts), at: now)
    }

    /// Takes the answer of a member who was asked.
    ///
    /// - Returns: false if the member was not asked, and the rules continue with the message.
    func answerCaptcha(_ text: String) async throws -> Bool {
        guard let member = subject.member else { return false }
        return try await exchange.answer(text, by: member, at: now) {
            try await subject.client.noteCaptchaFailure(in: member.group.id, at: now.timeIntervalSince1970)
        }
    }

    private var exchange: CaptchaExchange {
        let client = subject.client, scope = StateScope.person(subject.target)
        return CaptchaExchange(client, in: subject.chat, with: subject.target, timer: CaptchaTimer.name) {
            try await client.state(RuleMemory.self, of: scope).captcha
        } store: { progress in
            try await client.update(RuleMemory.self, of: scope) { $0.apply(.asked(progress)) }
        }
    }
}

/// The end of the time for an answer.
enum CaptchaTimer {
    static let name = "parley.rules.captcha"

    static func end(_ tick: ScheduledContext<CaptchaTimeout>) async throws {
        let client = tick.client
        try await tick.value.end(tick) {
            try await client.state(RuleMemory.self, of: $0).captcha
        } clear: {
            try await client.update(RuleMemory.self, of: $0) { $0.apply(.asked(nil)) }
        } noteFailure: {
            try await client.noteCaptchaFailure(in: $0, at: client.now.timeIntervalSince1970)
        }
    }
}

extension BotClient {
    /// Counts a member who has failed the captcha.
    fileprivate func noteCaptchaFailure(in group: GroupID, at now: Double) async throws {
        try await update(CaptchaFailures.self, of: .chat(.group(group, scope: nil))) { $0.add(at: now) }
    }
}

extension CaptchaTexts {
    /// The texts of a rule, with the texts of its bot where the rule has none; nil for Parley's texts.
    fileprivate init?(_ texts: CaptchaTexts?, _ bot: BotTexts) {
        let question = texts?.question ?? bot.custom(.captchaQuestion), wrong = texts?.wrong ?? bot.custom(.captchaWrong)
        guard question != nil || wrong != nil || texts?.language != nil else { return nil }
        self.init(question: question, wrong: wrong, language: texts?.language)
    }
}
