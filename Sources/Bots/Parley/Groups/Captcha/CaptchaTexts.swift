internal import Foundation

/// The texts of a captcha in words of your own.
public struct CaptchaTexts: Codable, Sendable, Hashable {
    /// The placeholder for the sum: `fourteen plus 4`, or in another ``language`` `vierzehn + 4`.
    public static let sum = "{{ captcha.sum }}"
    /// The placeholder for the number of tries that are left.
    public static let attempts = "{{ captcha.attempts }}"
    /// The longest text, in bytes.
    public static let longestText = 2_000

    /// The question; nil for Parley's question. The sum follows unless the text contains ``sum``.
    public let question: String?
    /// The text after a wrong answer, which can contain ``attempts``; nil for the text of Parley. The next question follows, unless the text contains ``sum``.
    public let wrong: String?
    /// The language of the number that is written as a word, such as `de`, in which answers are read, too; nil for English.
    public let language: String?

    /// Creates the value from its parts. Texts above ``longestText`` are cut.
    public init(question: String? = nil, wrong: String? = nil, language: String? = nil) {
        let asked = question.map { Self.cut($0) }
        self.question = asked.map { $0.contains(Self.sum) ? $0 : $0 + " " + Self.sum }
        self.wrong = wrong.map { Self.cut($0) }
        self.language = language.map { String($0.prefix(20)) }
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        var cut = text[...]
        while cut.utf8.count > longestText { cut.removeLast() }
        return String(cut)
    }

    /// True if numbers can be written as words of a language.
    package static func knows(language: String) -> Bool {
        Locale.availableIdentifiers.contains(language.replacing("-", with: "_"))
    }
}
