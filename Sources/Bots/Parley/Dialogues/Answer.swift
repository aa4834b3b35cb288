internal import ChatAPI
internal import Foundation

/// The kind of answer that a question of a ``Conversation`` waits for.
public struct Answer<Value: Codable & Sendable>: Sendable {
    /// The kind as part of the fingerprint of its step.
    let kind: String
    /// Lines under the question.
    var appendix = ""
    let read: @Sendable (MessageContext) throws(AnswerError) -> Value

    init(_ kind: String, _ read: @escaping @Sendable (MessageContext) throws(AnswerError) -> Value) {
        self.kind = kind
        self.read = read
    }

    func question(_ text: String) -> String { appendix.isEmpty ? text : text + "\n" + appendix }

    /// An answer of text that a closure reads.
    ///
    /// - Parameters:
    ///   - expected: completes the sentence "Please write …": `a date like 2026-11-23`.
    ///   - parse: reads the text without white space around it; nil refuses it.
    public static func custom(_ expected: String, _ parse: @escaping @Sendable (String) -> Value?) -> Self {
        Self("custom \(expected)") { message throws(AnswerError) in
            guard let value = parse(message.answerText) else { throw AnswerError(.answerExpected, ["expected": expected]) }
            return value
        }
    }
}

extension Answer where Value == String {
    /// Text that is not empty.
    ///
    /// - Parameter longest: characters at the most.
    public static func text(upTo longest: Int = 2_000) -> Self {
        Self("text") { message throws(AnswerError) in
            let text = message.answerText
            guard !text.isEmpty else { throw AnswerError(.answerText) }
            guard text.count <= longest else { throw AnswerError(.answerTooLong, ["limit": "\(longest)", "length": "\(text.count)"]) }
            return text
        }
    }

    /// One of some texts.
    static func choice(from options: [String]) -> Self {
        choice(options, kind: "choice") { $0 }
    }
}

extension Answer where Value == Int {
    /// A whole number.
    public static func integer(in range: ClosedRange<Int> = Int.min...Int.max) -> Self {
        custom("a whole number" + (range == Int.min...Int.max ? "" : " from \(range.lowerBound) to \(range.upperBound)")) {
            Int($0).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Answer where Value == Double {
    /// A number.
    public static func number(in range: ClosedRange<Double>? = nil) -> Self {
        custom("a number" + (range.map { " from \($0.lowerBound) to \($0.upperBound)" } ?? "")) {
            Double($0).flatMap { $0.isFinite && range?.contains($0) ?? true ? $0 : nil }
        }
    }
}

extension Answer where Value == Bool {
    /// Yes or no, in words or as `y` and `n`.
    public static var yesOrNo: Self {
        custom("yes or no") { text in
            switch AnswerText.bare(text) {
            case "yes", "y": true
            case "no", "n": false
            default: nil
            }
        }
    }
}

extension Answer where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of the cases of an enumeration, by its number in the list or its raw value.
    public static func choice(of type: Value.Type = Value.self) -> Self { choice(Array(Value.allCases), kind: "case", \.rawValue) }
}

extension Answer {
    fileprivate static func choice(_ options: [Value], kind: String, _ text: @escaping @Sendable (Value) -> String) -> Self {
        let texts = options.map(text)
        var answer = Self(([kind] + texts).joined(separator: "\u{0}")) { message throws(AnswerError) in
            if let index = AnswerText.choice(message.answerText, among: texts) { return options[index] }
            throw AnswerError(.answerChoice, appendix: Self.list(texts))
        }
        answer.appendix = Self.list(texts)
        return answer
    }

    private static func list(_ texts: [String]) -> String { texts.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n") }
}

/// The reason why an answer cannot be used: a sentence for the person.
struct AnswerError: Error, Hashable {
    let text: FixedText

    init(_ key: BotTexts.Key, _ values: [String: String] = [:], appendix: String = "") { text = FixedText(key, values, appendix: appendix) }
}

extension MessageContext {
    /// The text without white space around it.
    fileprivate var answerText: String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
}
