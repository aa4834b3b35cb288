public import Parley

/// A form of a profile: questions that somebody answers one after the other, and what happens with the answers.
public struct FormSpec: Sendable {
    /// One question.
    public struct Question: Sendable {
        /// The name by which templates find the answer.
        public let name: String
        /// The text that is sent.
        let ask: Template
        /// The answers that are taken, ignoring case; nil for any.
        public let choices: [String]?
        /// The pattern that an answer must match; nil for any.
        public let pattern: TextPattern?
        /// The text that is sent after a wrong answer; nil for Parley's text.
        public let error: String?
    }

    /// The key of the form in the file.
    public let id: String
    /// The questions, in their order.
    public let questions: [Question]
    /// Words that end the form, without regard to case.
    public let cancel: [String]
    /// The text after such a word; nil for none.
    public let cancelled: String?
    /// Seconds after which an unfinished form ends.
    public let timeout: Double
    /// The actions at the end.
    public let done: [RuleAction]
    /// True if the answers are sent to many.
    var broadcasts: Bool { done.contains { $0.value is BroadcastAction } }

    /// Questions of one form at the most.
    public static let maximumQuestions = 30
    /// The longest answer that is kept, in bytes.
    public static let longestAnswer = 2_000
    /// The longest time for a form: a day.
    static let longestTimeout = 86_400.0

    init?(id: String, _ reader: NodeReader) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.form)
        self.id = id
        let items = mapping.required("questions", hint: "write the questions: [ { name: size, ask: \"Which size?\" } ]")?.list() ?? []
        if items.count > Self.maximumQuestions { reader.report(.tooLarge, "a form has at most \(Self.maximumQuestions) questions", hint: "make two forms") }
        var questions: [Question] = []
        for item in items.prefix(Self.maximumQuestions) {
            guard let question = Question(item, earlier: questions.map(\.name)) else { continue }
            if questions.contains(where: { $0.name == question.name }) { item.report(.badValue, "two questions have the name \"\(question.name)\"") }
            questions.append(question)
        }
        self.questions = questions
        cancel = mapping.value("cancel")?.listOrOne()?.compactMap { $0.nonEmptyString()?.lowercased() } ?? ["/cancel"]
        cancelled = mapping.value("cancelled")?.nonEmptyString()
        timeout = mapping.value("timeout").flatMap(TimeSpan.positive) ?? Self.longestTimeout
        if timeout > Self.longestTimeout { mapping.value("timeout")?.report(.badValue, "a form ends after a day at the most") }
        let scope = TemplateScope.form(questions.map(\.name))
        done =
            mapping.required("done", hint: "say what happens with the answers, for example: done: { send: \"Thank you.\" }")?.listOrOne()?
            .compactMap { RuleAction(formAction: $0, scope) } ?? []
        guard questions.count == items.count, !questions.isEmpty else { return nil }
    }
}

extension FormSpec.Question {
    fileprivate init?(_ reader: NodeReader, earlier: [String]) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.question)
        var name = mapping.required("name", hint: "templates find the answer by it: {{ form.name }}")?.nonEmptyString()
        if let given = name, given.wholeMatch(of: /[A-Za-z][A-Za-z0-9_-]{0,39}/) == nil {
            mapping.value("name")?.report(
                .badValue, "\"\(given.cut)\" cannot be the name of an answer", hint: "letters, digits, - and _, at most 40")
            name = nil
        }
        let ask = mapping.required("ask", hint: "write the question").flatMap { Template($0, .form(earlier)) }
        let items = mapping.value("choices")?.list() ?? []
        choices = mapping.value("choices").map { _ in items.compactMap { $0.nonEmptyString() } }
        for (index, item) in items.enumerated() {
            guard let text = item.text, items[..<index].contains(where: { $0.text.map { AnswerText.folded($0) } == AnswerText.folded(text) }) else { continue }
            item.report(.badValue, "the choice \"\(text.cut)\" is there twice: an answer cannot tell them apart", hint: "remove one")
        }
        var compiled: TextPattern?
        if let pattern = mapping.value("pattern") {
            guard let read = pattern.pattern() else { return nil }
            compiled = read
        }
        pattern = compiled
        error = mapping.value("error")?.nonEmptyString()
        if choices != nil, let pattern = mapping.value("pattern") { pattern.report(.badValue, "a question has choices or a pattern, not both") }
        guard let name, let ask else { return nil }
        (self.name, self.ask) = (name, ask)
    }

    /// The stored form of the answer; nil for a wrong answer.
    func accepted(_ text: String) -> String? {
        let answer = String(text.trimmed)
        guard !answer.isEmpty, answer.utf8.count <= FormSpec.longestAnswer else { return nil }
        if let choices { return AnswerText.choice(answer, among: choices).map { choices[$0] } }
        if let pattern { return pattern.matches(answer) ? answer : nil }
        return answer
    }

    /// The question with its choices.
    func text(_ values: TemplateValues) -> String {
        let question = ask.filled(with: values)
        guard let choices else { return question }
        return question + choices.enumerated().map { "\n\($0 + 1). \($1)" }.joined()
    }

    /// The answer to a wrong answer.
    func refusal(_ texts: BotTexts) -> String {
        if let error { return error }
        if let choices { return texts.filled(.formChoices, ["choices": choices.joined(separator: ", ")]) }
        return texts[.formAgain]
    }
}

/// The consequence of an answer to a form.
enum FormStep: Sendable, Hashable {
    /// The next question, with the answers so far.
    case ask(question: Int, answers: [String])
    /// The same question once more.
    case refuse
    /// All questions are answered.
    case done(answers: [String])
    case cancelled
}

extension FormSpec {
    /// Takes the answer to the first unanswered question.
    func step(_ text: String, after answers: [String]) -> FormStep {
        if cancels(text) { return .cancelled }
        guard questions.indices.contains(answers.count) else { return .done(answers: answers) }
        guard let answer = questions[answers.count].accepted(text) else { return .refuse }
        let answers = answers + [answer]
        return answers.count < questions.count ? .ask(question: answers.count, answers: answers) : .done(answers: answers)
    }

    /// Checks whether a text is a word that ends the form, as people write it: `/Cancel`, `cancel.`
    private func cancels(_ text: String) -> Bool {
        let folded = AnswerText.folded(text), command = SlashCommand(text)
        return cancel.contains { word in
            if let wanted = SlashCommand(word) { return command == wanted }
            return folded == AnswerText.folded(word) || AnswerText.bare(text) == AnswerText.bare(word) && !AnswerText.bare(word).isEmpty
        }
    }

    /// The answers by the names of their questions.
    func fields(_ answers: [String]) -> [String: String] {
        Dictionary(zip(questions.map(\.name), answers)) { first, _ in first }
    }
}

/// The stored state of a form that a person is filling in.
struct FormState: DialogueState {
    static let dialogueName = "parley.form"
    /// The key of the form.
    var form: String
    var answers: [String] = []
    /// The time after which it has ended, in seconds since 1970.
    var deadline: Double
}
