internal import Parley

/// A question that people answer more easily than simple programs do.
struct CaptchaSpec: Sendable, Hashable {
    /// Wrong answers after which somebody is refused.
    let attempts: Int
    /// Seconds within which the right answer must come.
    let limit: Double
    /// Members of a group who may fail within an hour before those who follow wait for moderators instead.
    let failuresPerHour: Int
    /// The texts that are sent; nil for those of Parley.
    let texts: CaptchaTexts?

    static let attemptRange = Captcha.attemptRange
    /// The longest time for an answer, in seconds.
    static let longestLimit = Double(Captcha.longestLimit.components.seconds)

    static let failureRange = 1...10_000
    static let defaultFailures = 30

    /// Reads `true` or a mapping.
    init?(_ reader: NodeReader) {
        guard reader.keys != nil else {
            guard let value = reader.bool() else { return nil }
            if !value { reader.report(.badValue, "leave the action out instead of saying false") }
            (attempts, limit, texts, failuresPerHour) = (3, 3_600, nil, Self.defaultFailures)
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: CaptchaAction.mapping)
        texts = Self.texts(mapping)
        attempts = mapping.value("attempts")?.integer(in: Self.attemptRange) ?? 3
        failuresPerHour = mapping.value("failures-per-hour")?.integer(in: Self.failureRange) ?? Self.defaultFailures
        let limit = mapping.value("within").flatMap(TimeSpan.read) ?? 3_600
        guard limit > 0, limit <= Self.longestLimit else {
            mapping.value("within")?.report(.badValue, "the time for an answer must be more than nothing and at most a week")
            return nil
        }
        self.limit = limit
    }

    private static func texts(_ mapping: MappingReader) -> CaptchaTexts? {
        let question = mapping.value("question").flatMap { text($0, mustHaveSum: true) }
        let wrong = mapping.value("wrong").flatMap { text($0, mustHaveSum: false) }
        var language: String?
        if let reader = mapping.value("language"), let code = reader.nonEmptyString() {
            if CaptchaTexts.knows(language: code) {
                language = code
            } else {
                reader.report(.badValue, "\"\(code.cut)\" is the code of no language", hint: "write a code such as de, fr or pt-BR")
            }
        }
        guard question != nil || wrong != nil || language != nil else { return nil }
        return CaptchaTexts(question: question, wrong: wrong, language: language)
    }

    private static func text(_ reader: NodeReader, mustHaveSum: Bool) -> String? {
        guard var text = reader.nonEmptyString() else { return nil }
        guard text.utf8.count <= CaptchaTexts.longestText else {
            reader.report(.tooLarge, "a text of a captcha has at most \(CaptchaTexts.longestText) bytes")
            return nil
        }
        let known = mustHaveSum ? [CaptchaTexts.sum] : [CaptchaTexts.sum, CaptchaTexts.attempts]
        // Spaces between the braces do not matter in templates.
        text = text.replacing(/\{\{\s*([^{}\s]*)\s*\}\}/) { "{{ \($0.1) }}" }
        for name in text.matches(of: /\{\{([^{}]*)\}\}/).map({ String($0.0) }) where !known.contains(name) {
            reader.report(
                .badTemplate, "\"\(name.cut)\" has no value here", hint: "this text can hold " + known.joined(separator: " and "))
            return nil
        }
        if mustHaveSum, !text.contains(CaptchaTexts.sum) {
            reader.report(.badValue, "the question does not hold the sum", hint: "write \(CaptchaTexts.sum) where the sum belongs")
            return nil
        }
        return text
    }
}
