internal import Foundation
internal import SMPCrypto

/// A question that somebody has to answer, as it is stored.
package struct CaptchaProgress: Codable, Sendable, Hashable {
    /// The number of the question: a new one gets the next.
    package var round: Int
    /// Wrong answers that are left.
    package var attempts: Int
    /// The time after which it is too late, in seconds since 1970.
    package var deadline: Double
    /// The texts that are sent; nil for those of Parley.
    package var texts: CaptchaTexts?
    /// Messages without a number that were answered with the same question; nil for none.
    package var reminders: Int?

    /// The messages without a number that are answered. Later ones are not, so that two programs do not write to each other for ever.
    static let reminderLimit = 3

    package init(round: Int, attempts: Int, deadline: Double, texts: CaptchaTexts? = nil) {
        (self.round, self.attempts, self.deadline, self.texts) = (round, attempts, deadline, texts)
    }

    /// - Parameter isRight: whether the answer is right.
    package func outcome(isRight: Bool, at now: Double) -> CaptchaOutcome {
        guard !ImplausibleTime.isOver(deadline, at: now) else { return .failed }
        if isRight { return .passed }
        guard attempts > 1 else { return .failed }
        var next = self
        (next.round, next.attempts, next.reminders) = (round + 1, attempts - 1, nil)
        return .again(next)
    }

    /// The consequence of a text. A text without a number is not an attempt.
    package func outcome(of text: String, to question: CaptchaQuestion, at now: Double) -> CaptchaOutcome {
        switch question.reading(of: text, language: texts?.language) {
        case .number(let number): return outcome(isRight: number == question.sum, at: now)
        case .unclear: return outcome(isRight: false, at: now)
        case .none:
            guard !ImplausibleTime.isOver(deadline, at: now) else { return .failed }
            var next = self
            next.reminders = min(reminders ?? 0, Self.reminderLimit) + 1
            return (reminders ?? 0) < Self.reminderLimit ? .remind(next) : .ignored
        }
    }
}

/// The consequence of an answer.
package enum CaptchaOutcome: Sendable, Hashable {
    case passed
    /// Another question, with the attempts that are left.
    case again(CaptchaProgress)
    /// The same question, because the text was no answer.
    case remind(CaptchaProgress)
    /// Nothing, because the question was repeated often enough.
    case ignored
    case failed
}

/// The questions of a bot: sums that follow from a secret, so that a handler that runs again after a crash asks the same.
package struct CaptchaQuestion: Sendable, Hashable {
    package let left: Int
    package let right: Int

    /// The number that is shown as a word.
    static let leftRange = 2...19
    /// The number that is shown in digits. The sums are spread so widely that the likeliest of them is right once in 98 times.
    static let rightRange = 2...99

    private static let words = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen",
        "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
    ]

    /// - Parameters:
    ///   - secret: of the bot.
    ///   - person: the person who is asked.
    package init(secret: String, person: String, round: Int) {
        let digest = Array(Hash.sha256(Array("\(secret)\u{0}\(person)\u{0}\(round)".utf8)))
        left = Self.leftRange.lowerBound + Int(digest[0]) % Self.leftRange.count
        right = Self.rightRange.lowerBound + (Int(digest[1]) << 8 | Int(digest[2])) % Self.rightRange.count
    }

    package var sum: Int { left + right }

    /// The text that is sent: one number as a word, one in digits.
    package var text: String { "To be admitted, please answer: how much is \(Self.words[left]) plus \(right)?" }

    /// The text that is sent first.
    package func text(_ texts: CaptchaTexts?) -> String { texts?.question.map { filled($0, texts, attempts: nil) } ?? text }

    /// The text that is sent after a wrong answer.
    ///
    /// - Parameter attempts: that are left.
    package func text(_ texts: CaptchaTexts?, attempts: Int) -> String {
        let notice = texts?.wrong ?? (attempts == 1 ? "That is not right. One try is left." : "That is not right. \(CaptchaTexts.attempts) tries are left.")
        let first = filled(notice, texts, attempts: attempts)
        return notice.contains(CaptchaTexts.sum) ? first : first + " " + text(texts)
    }

    private func filled(_ template: String, _ texts: CaptchaTexts?, attempts: Int?) -> String {
        template.replacing(CaptchaTexts.sum, with: sum(in: texts?.language)).replacing(CaptchaTexts.attempts, with: attempts.map(String.init) ?? "")
    }

    /// The sum in the question: `fourteen plus 4`, or in another language `vierzehn + 4`.
    private func sum(in language: String?) -> String {
        guard let language, let word = NumberWords.spelled(left, in: language) else { return "\(Self.words[left]) plus \(right)" }
        return "\(word.unicodeScalars.filter { !AnswerText.isUnseen($0) }.reduce(into: "") { $0.unicodeScalars.append($1) }) + \(right)"
    }

    /// True if a text is the answer.
    package func isAnswered(by text: String) -> Bool { reading(of: text, language: nil) == .number(sum) }

    /// The number that a text gives as the answer.
    func reading(of text: String, language: String?) -> NumberAnswer {
        let least = Self.leftRange.lowerBound + Self.rightRange.lowerBound
        return NumberAnswer(text, given: [left, right], least: least, languages: [language, "en"].compactMap { $0 })
    }
}

/// The secret of which the questions of a bot follow.
package struct CaptchaSecret: StoredState {
    package static let stateName = "parley.captcha"
    /// Empty before it has been drawn.
    package var secret = ""

    package init() {}

    /// A new secret.
    package static func draw() -> String { "\(UUID().uuidString)\(UUID().uuidString)" }
}
