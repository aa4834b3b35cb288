internal import Parley
internal import SMPCrypto

/// A question that people answer more easily than simple programs do.
public struct CaptchaSpec: Sendable, Hashable {
    /// Wrong answers after which somebody is refused.
    public let attempts: Int
    /// Seconds within which the right answer must come.
    public let limit: Double

    static let attemptRange = 1...10
    /// The longest time for an answer: a week.
    static let longestLimit = 7 * 86_400.0

    /// Reads `true` or a mapping.
    init?(_ reader: NodeReader) {
        guard reader.keys != nil else {
            guard let value = reader.bool() else { return nil }
            if !value { reader.report(.badValue, "leave the action out instead of saying false") }
            (attempts, limit) = (3, 3_600)
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.captcha)
        attempts = mapping.value("attempts")?.integer(in: Self.attemptRange) ?? 3
        let limit = mapping.value("within").flatMap(TimeSpan.read) ?? 3_600
        guard limit > 0, limit <= Self.longestLimit else {
            mapping.value("within")?.report(.badValue, "an answer takes more than nothing and a week at the most")
            return nil
        }
        self.limit = limit
    }
}

/// A question that somebody has to answer, as it is stored.
struct CaptchaProgress: Codable, Sendable, Hashable {
    /// The number of the question: a new one gets the next.
    var round: Int
    /// Wrong answers that are left.
    var attempts: Int
    /// The time after which it is too late, in seconds since 1970.
    var deadline: Double
}

/// The consequence of an answer.
enum CaptchaOutcome: Sendable, Hashable {
    case passed
    /// Another question, with the attempts that are left.
    case again(CaptchaProgress)
    case failed
}

/// The questions of a bot: sums that follow from a secret, so that a handler that runs again after a crash asks the same.
struct CaptchaQuestion: Sendable, Hashable {
    let left: Int
    let right: Int

    private static let words = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen",
        "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
    ]

    /// - Parameters:
    ///   - secret: of the bot.
    ///   - person: the one who is asked.
    init(secret: String, person: String, round: Int) {
        let digest = Array(Hash.sha256(Array("\(secret)\u{0}\(person)\u{0}\(round)".utf8)))
        left = 2 + Int(digest[0]) % 18
        right = 2 + Int(digest[1]) % 18
    }

    /// The text that is sent: one number as a word, one in digits.
    var text: String { "To be admitted, please answer: how much is \(Self.words[left]) plus \(right)?" }

    /// True if a text is the answer.
    func isAnswered(by text: String) -> Bool { Int(text.trimmed) == left + right }
}

extension CaptchaProgress {
    /// - Parameter isRight: whether the answer is right.
    func outcome(isRight: Bool, at now: Double) -> CaptchaOutcome {
        guard now <= deadline else { return .failed }
        if isRight { return .passed }
        guard attempts > 1 else { return .failed }
        return .again(CaptchaProgress(round: round + 1, attempts: attempts - 1, deadline: deadline))
    }
}

/// The secret of which the questions of a bot follow.
struct CaptchaSecret: StoredState {
    static let stateName = "parley.captcha"
    /// Empty before it has been drawn.
    var secret = ""
}
