/// The fixed texts that people in chats read of the framework, in other words or in another language.
///
/// ```swift
/// var bot = Bot("Umfrage") { … }
/// bot.texts = BotTexts([.answerText: "Bitte antworte mit Text."])
/// ```
///
/// `texts` of a profile in bots.yaml has the same keys.
public struct BotTexts: Sendable, Hashable {
    /// A text, by its key in bots.yaml.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        /// The answer to a command or form that would have sent an empty message.
        case nothingSent = "nothing-sent"
        /// The answer to a command or form that would have posted into a channel that no relay serves.
        case nothingPosted = "nothing-posted"
        /// The answer to a broadcast to nobody.
        case broadcastNobody = "broadcast-nobody"
        /// The answer to the end of a broadcast that is under way.
        case broadcastCancelled = "broadcast-cancelled"
        /// The answer to a command that cancels a broadcast, if none is running.
        case broadcastNone = "broadcast-none"
        /// The list of cases without cases.
        case caseNone = "case-none"
        /// The answer to a command about cases where there can be none.
        case caseNotHere = "case-not-here"
        /// The answer to a command about a case whose text is no number.
        case caseNumber = "case-number"
        /// The answer to the number of no case.
        case caseUnknown = "case-unknown"
        /// The answer to a command that undoes the newest case, if there is none.
        case caseNothingToUndo = "case-nothing-to-undo"
        /// The answer to a command about a case that was taken back before.
        case caseUndoneBefore = "case-undone-before"
        /// The answer to a command about a case that cannot be taken back.
        case caseFinal = "case-final"
        /// The answer to a command about a case whose role before is not known.
        case caseRoleUnknown = "case-role-unknown"
        /// The answer after a case was taken back.
        case caseUndone = "case-undone"
        /// The note in the group that the list of cases is in the direct chat.
        case casesInDirectChat = "cases-in-direct-chat"
        /// The note in the group that the list of cases is in the chat with the moderators.
        case casesInModeratorChat = "cases-in-moderator-chat"
        /// The answer to a wrong answer to a question of a form with choices.
        case formChoices = "form-choices"
        /// The answer to a wrong answer to another question of a form.
        case formAgain = "form-again"
        /// The question of a captcha. The sum follows if the text does not contain it.
        case captchaQuestion = "captcha-question"
        /// The text after a wrong answer to a captcha. The next question follows.
        case captchaWrong = "captcha-wrong"
        /// The answer to an answer in a conversation that is of another kind.
        case answerExpected = "answer-expected"
        /// The answer to an answer in a conversation without text.
        case answerText = "answer-text"
        /// The answer to an answer in a conversation that is too long.
        case answerTooLong = "answer-too-long"
        /// The line above the choices of a question in a conversation, after a wrong answer.
        case answerChoice = "answer-choice"
        /// The answer to an answer in a conversation that cannot be stored.
        case answerNotStored = "answer-not-stored"
        /// The answer to a command without an argument that it needs.
        case argumentMissing = "argument-missing"
        /// The answer to a command with an argument of another kind.
        case argumentWrong = "argument-wrong"
        /// The answer to a command with more arguments than it takes.
        case argumentExtra = "argument-extra"
        /// The usage of a command, below the error.
        case usage

        /// The text of Parley, in English.
        public var standard: String {
            switch self {
            case .nothingSent: "Nothing was sent: there is no text."
            case .nothingPosted: "Nothing was posted: the channel has no relay at the moment. Try again later."
            case .broadcastNobody: "Nothing was sent: there is nobody to send it to."
            case .broadcastCancelled: "The broadcast is cancelled: {{ sent }} of {{ total }} chats have it."
            case .broadcastNone: "No broadcast is under way."
            case .caseNone: "No cases."
            case .caseNotHere: "There are no cases here."
            case .caseNumber: "Write the number of a case after the command."
            case .caseUnknown: "There is no case {{ number }}."
            case .caseNothingToUndo: "There is no case to undo."
            case .caseUndoneBefore: "Case {{ number }} was undone before, by {{ name }}."
            case .caseFinal: "Case {{ number }} cannot be undone: {{ action }} is final."
            case .caseRoleUnknown: "Case {{ number }} cannot be undone: the role before is not known."
            case .caseUndone: "Case {{ number }} is undone: {{ action }} {{ name }}."
            case .casesInDirectChat: "The list is in our direct chat."
            case .casesInModeratorChat: "The list is in your chat with the moderators."
            case .formChoices: "Please answer with one of: {{ choices }}"
            case .formAgain: "I did not understand that answer. Please try again."
            case .captchaQuestion: "To be admitted, please answer: how much is {{ captcha.sum }}?"
            case .captchaWrong: "That is not right. {{ captcha.attempts }} tries are left."
            case .answerExpected: "Please write {{ expected }}."
            case .answerText: "Please answer with text."
            case .answerTooLong: "Please write at most {{ limit }} characters. Yours has {{ length }}."
            case .answerChoice: "Please choose one of these, by its number or in words:"
            case .answerNotStored: "That cannot be stored. Please answer something else."
            case .argumentMissing: "{{ name }} is missing"
            case .argumentWrong: "\"{{ word }}\" is not {{ expected }}"
            case .argumentExtra: "\"{{ word }}\" is too much"
            case .usage: "Usage: {{ usage }}"
            }
        }

        /// The placeholders that the text can have: those of ``standard``.
        public var placeholders: [String] { BotTexts.placeholders(in: standard) }

        /// The placeholders without which the text helps nobody.
        package var needed: [String] {
            switch self {
            case .formChoices, .answerExpected, .usage: placeholders
            default: []
            }
        }
    }

    /// The longest text, in bytes. Longer ones are refused in bots.yaml and cut otherwise.
    public static let longestText = 2_000

    private var texts: [Key: String] = [:]

    /// Texts by their keys. Those of Parley are used for the other keys.
    public init(_ texts: [Key: String] = [:]) {
        for (key, text) in texts { self[key] = text }
    }

    /// The text of a key, with its placeholders.
    public subscript(key: Key) -> String {
        get { texts[key] ?? key.standard }
        set { texts[key] = newValue.prefix(bytes: Self.longestText) }
    }

    /// The text that replaces the one of Parley; nil for none.
    package func custom(_ key: Key) -> String? { texts[key] }

    /// The text with values in the place of its placeholders. A value is not searched for placeholders.
    package func filled(_ key: Key, _ values: [String: String] = [:]) -> String {
        var rest = self[key][...], result = ""
        while let match = rest.firstMatch(of: Self.placeholder) {
            result += rest[..<match.range.lowerBound]
            result += values[String(match.1)] ?? String(match.0)
            rest = rest[match.range.upperBound...]
        }
        return result + rest
    }

    /// The names of the placeholders of a text, in their order.
    package static func placeholders(in text: String) -> [String] { text.matches(of: placeholder).map { String($0.1) } }

    private static var placeholder: Regex<(Substring, Substring)> { /\{\{ *([A-Za-z_.-]+) *\}\}/ }
}

extension String {
    /// The beginning of a text, of at most so many bytes.
    fileprivate func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var cut = self[...]
        while cut.utf8.count > limit { cut.removeLast() }
        return String(cut)
    }
}

/// A fixed text with its values, as a part of the framework that knows no bot states it.
struct FixedText: Hashable, Sendable {
    var key: BotTexts.Key
    var values: [String: String] = [:]
    /// Lines below the text.
    var appendix = ""

    init(_ key: BotTexts.Key, _ values: [String: String] = [:], appendix: String = "") {
        (self.key, self.values, self.appendix) = (key, values, appendix)
    }

    /// The text for people of a bot.
    func text(in texts: BotTexts) -> String { texts.filled(key, values) + (appendix.isEmpty ? "" : "\n" + appendix) }
}
