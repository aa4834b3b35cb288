internal import ChatAPI
internal import Foundation

/// A question that a member who waits to be admitted has to answer. People answer it more easily than simple programs do.
///
/// ```swift
/// On(.memberPending) { newcomer in try await newcomer.ask(Captcha(attempts: 3, within: .seconds(3600))) }
/// On.captchaAnswers
/// ```
///
/// The group must let moderators review new members, and the bot must be an admin or owner. The question is a sum in words and digits, sent to the
/// member's conversation with the moderators. The right answer admits the member: in digits of any script or in words, alone or in a short sentence.
/// After too many wrong ones, or too late, the member is refused. A message without a number is no attempt: the question is repeated.
public struct Captcha: Sendable, Hashable {
    /// The wrong answers that a captcha can be given.
    public static let attemptRange = 1...10
    /// The longest time for an answer: a week.
    public static let longestLimit = Duration.seconds(7 * 86_400)

    /// Wrong answers after which a member is refused.
    public let attempts: Int
    /// The time within which the right answer must come.
    public let limit: Duration
    /// The texts that are sent; nil for those of Parley, in English.
    public let texts: CaptchaTexts?

    /// - Parameters:
    ///   - attempts: brought into ``attemptRange``.
    ///   - limit: brought to a second at least, and ``longestLimit`` at the most.
    public init(attempts: Int = 3, within limit: Duration = .seconds(3_600), texts: CaptchaTexts? = nil) {
        self.texts = texts
        self.attempts = min(max(attempts, Self.attemptRange.lowerBound), Self.attemptRange.upperBound)
        self.limit = min(max(limit, .seconds(1)), Self.longestLimit)
    }
}

extension MemberContext {
    /// Asks a member who waits to be admitted. ``On/captchaAnswers`` must be among the handlers of the bot.
    public func ask(_ captcha: Captcha) async throws {
        try await captchaExchange.ask(member, attempts: captcha.attempts, within: captcha.limit, texts: captcha.texts, at: client.now)
    }
}

extension On {
    /// The handlers that take the answers to captchas, and refuse members who do not answer in time.
    ///
    /// They take all messages of members who wait to be admitted, in their conversations with the moderators.
    public static var captchaAnswers: [On] {
        [
            On(.anyMessage, in: .supportChats, where: { $0.member?.isPending == true }) { try await $0.answerCaptcha() },
            On(.scheduled(CaptchaTimeout.name, CaptchaTimeout.self)) { timer in
                try await timer.value.end(timer) {
                    try await timer.state(CaptchaState.self, of: $0).progress
                } clear: {
                    try await timer.update(CaptchaState.self, of: $0) { $0.progress = nil }
                }
            },
        ]
    }
}

extension MessageContext {
    /// Admits or refuses the member, or asks again. A member who was not asked is left to the moderators.
    fileprivate func answerCaptcha() async throws {
        if let member { _ = try await captchaExchange.answer(text, by: member, at: client.now) }
    }
}

extension ChatContext {
    fileprivate var captchaExchange: CaptchaExchange {
        CaptchaExchange(client, in: chat, with: person, timer: CaptchaTimeout.name) {
            try await state(CaptchaState.self, of: .person).progress
        } store: { progress in
            try await update(CaptchaState.self, of: .person) { $0.progress = progress }
        }
    }
}

extension BotClient {
    /// The secret from which the bot's questions are derived; made if there is none.
    ///
    /// It is stored at once, and not when the handler has ended: the questions of handlers of other chats, and of another run of this one, follow of it, too.
    package func captchaSecret() async throws -> String {
        let client = BotClient(bot: bot, effects: effects.named(effects.event ?? "captcha", changes: nil))
        let stored = try await client.state(CaptchaSecret.self).secret
        guard stored.isEmpty else { return stored }
        let drawn = CaptchaSecret.draw()
        return try await client.update(CaptchaSecret.self) { state in
            if state.secret.isEmpty { state.secret = drawn }
            return state.secret
        }
    }
}

/// The question that a member has to answer.
struct CaptchaState: StoredState {
    static let stateName = "parley.captcha.member"
    /// Nil for a member who was not asked.
    var progress: CaptchaProgress?
}
