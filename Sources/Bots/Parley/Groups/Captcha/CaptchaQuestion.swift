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

    package init(round: Int, attempts: Int, deadline: Double) { (self.round, self.attempts, self.deadline) = (round, attempts, deadline) }

    /// - Parameter isRight: whether the answer is right.
    package func outcome(isRight: Bool, at now: Double) -> CaptchaOutcome {
        guard now <= deadline else { return .failed }
        if isRight { return .passed }
        guard attempts > 1 else { return .failed }
        return .again(CaptchaProgress(round: round + 1, attempts: attempts - 1, deadline: deadline))
    }
}

/// The consequence of an answer.
package enum CaptchaOutcome: Sendable, Hashable {
    case passed
    /// Another question, with the attempts that are left.
    case again(CaptchaProgress)
    case failed
}

/// The questions of a bot: sums that follow from a secret, so that a handler that runs again after a crash asks the same.
package struct CaptchaQuestion: Sendable, Hashable {
    package let left: Int
    package let right: Int

    private static let words = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen",
        "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
    ]

    /// - Parameters:
    ///   - secret: of the bot.
    ///   - person: the one who is asked.
    package init(secret: String, person: String, round: Int) {
        let digest = Array(Hash.sha256(Array("\(secret)\u{0}\(person)\u{0}\(round)".utf8)))
        left = 2 + Int(digest[0]) % 18
        right = 2 + Int(digest[1]) % 18
    }

    /// The text that is sent: one number as a word, one in digits.
    package var text: String { "To be admitted, please answer: how much is \(Self.words[left]) plus \(right)?" }

    /// True if a text is the answer.
    package func isAnswered(by text: String) -> Bool { Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) == left + right }
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
