import Parley
import Testing

@testable import ParleyRules

/// Answers to forms, one after the other, as values.
@Suite struct FormStepTests {
    private func form(_ questions: String, _ more: String = "") throws -> FormSpec {
        let file = try BotsFile(parsing: "parley: 1\nprofiles: { a: { forms: { f: { questions: [ \(questions) ], done: { send: x }\(more) } } } }")
        return try #require(file.profiles.first?.forms["f"])
    }

    private static let order = """
        { name: size, ask: "Which size?", pattern: "^[0-9]{2}$", error: "Two digits, please." }, { name: kind, ask: "Which kind?", choices: [Margherita, Funghi, "3"] }, \
        { name: note, ask: "For {{ form.kind }} {{ form.size }}?" }
        """

    /// The answers in the end; nil if the form is not over.
    private func filledIn(_ form: FormSpec, _ answers: [String]) -> [String]? {
        var taken: [String] = []
        for answer in answers {
            switch form.step(answer, after: taken) {
            case .ask(let question, let answers):
                #expect(question == answers.count, "the next question is the one behind the answers")
                taken = answers
            case .refuse: continue
            case .done(let answers): return answers
            case .cancelled: return nil
            }
        }
        return nil
    }

    @Test func wrongAnswersAreAskedForAgainAndTheRestIsKeptInOrder() throws {
        let form = try form(Self.order)
        #expect(filledIn(form, ["small", "7", " 30 ", "Salami", "4", "0", "funghi", "", "  ", "no onions\nplease "]) == ["30", "Funghi", "no onions\nplease"])
        #expect(filledIn(form, ["30", "2"]) == nil)
        #expect(form.fields(["30", "Funghi"]) == ["size": "30", "kind": "Funghi"])
    }

    @Test(
        arguments: [
            ("1", "Margherita"), ("2", "Funghi"), ("3", "3"), ("4", nil), ("0", nil), ("-1", nil), ("1.", "Margherita"), ("(2)", "Funghi"), ("1.5", nil),
            ("99999999999999999999", nil),
            ("FUNGHI", "Funghi"),
            ("  margherita\n", "Margherita"), ("Fun", nil), ("Funghi!", nil), ("٢", "Funghi"), ("２)", "Funghi"), ("2. Funghi", "Funghi"),
        ] as [(String, String?)])
    func aChoiceIsNamedByItsTextOrItsNumber(_ answer: String, _ expected: String?) throws {
        #expect(try form(Self.order).questions[1].accepted(answer) == expected)
    }

    @Test func anAnswerHasABoundAndMustNotBeEmpty() throws {
        let question = try #require(try form("{ name: q, ask: x }").questions.first)
        let longest = String(repeating: "ü", count: FormSpec.longestAnswer / 2)
        #expect(question.accepted(longest) == longest && question.accepted("  \(longest)\n") == longest)
        #expect(question.accepted(longest + "x") == nil && question.accepted("") == nil && question.accepted(" \n\t\u{A0}") == nil)
        #expect(question.accepted("{{ text }}") == "{{ text }}", "what is answered is no template")
    }

    @Test(arguments: [
        ("", ["/cancel", " /CANCEL "], ["cancel", "/cancel now", "/cancelled"]), (", cancel: [stop, Enough]", ["STOP", "enough\n"], ["/cancel", "stop it"]),
        (", cancel: \"30\"", ["30"], ["31"]),
    ])
    func aWordEndsTheFormAtEveryQuestionAndNoPartOfOneDoes(_ more: String, _ ending: [String], _ others: [String]) throws {
        let form = try form(Self.order, more)
        for answers in [[], ["30"], ["30", "Funghi"]] {
            #expect(ending.allSatisfy { form.step($0, after: answers) == .cancelled }, "\(answers)")
            #expect(others.allSatisfy { form.step($0, after: answers) != .cancelled }, "\(answers)")
        }
    }

    /// A form that somebody fills in while its file is replaced.
    @Test func aFormThatHasFewerQuestionsNowIsDone() throws {
        let shorter = try form("{ name: size, ask: x }")
        #expect(shorter.step("more", after: ["30", "Funghi"]) == .done(answers: ["30", "Funghi"]))
        #expect(shorter.fields(["30", "Funghi"]) == ["size": "30"])
    }

    @Test func aQuestionShowsItsChoicesAndTheAnswersBefore() throws {
        let form = try form(Self.order)
        var values = TemplateValues(botName: "Bot", contactName: "Ann")
        #expect(form.questions[1].text(values) == "Which kind?\n1. Margherita\n2. Funghi\n3. 3")
        values.fields = ["size": "*30*", "kind": "Funghi"]
        #expect(form.questions[2].text(values) == "For Funghi ∗30∗?", "an answer formats nothing")
        #expect(
            form.questions.map { $0.refusal(BotTexts()) } == [
                "Two digits, please.", "Please answer with one of: Margherita, Funghi, 3", "I did not understand that answer. Please try again.",
            ])
    }

    @Test(
        "a form that cannot be filled in is refused with its place",
        arguments: [
            ("{ questions: §[], done: { send: x } }", "must not be empty"), ("§{ done: { send: x } }", "needs the key \"questions\""),
            ("§{ questions: [ { name: a, ask: b } ] }", "needs the key \"done\""),
            ("{ questions: [ { name: a, ask: b }, §{ name: a, ask: c } ], done: { send: x } }", "two questions have the name \"a\""),
            ("{ questions: [ { name: §1a, ask: b } ], done: { send: x } }", "cannot be the name of an answer"),
            ("{ questions: [ { name: §\(String(repeating: "a", count: 41)), ask: b } ], done: { send: x } }", "cannot be the name of an answer"),
            ("{ questions: [ { name: a, ask: b, choices: [x], pattern: §y } ], done: { send: x } }", "choices or a pattern, not both"),
            ("{ questions: [ { name: a, ask: \"§{{ form.a }}\" } ], done: { send: x } }", "there is no answer \"a\" here"),
            ("{ questions: [ { name: a, ask: b } ], done: { send: \"§{{ form.b }}\" } }", "there is no answer \"b\" here"),
            ("{ questions: [ { name: a, ask: b } ], done: { send: \"§{{ match.1 }}\" } }", "there is no pattern"),
            ("{ questions: [ { name: a, ask: b } ], done: { send: \"§{{ text }}\" } }", "a form has its answers"),
            ("{ questions: [ { name: a, ask: b } ], done: §{ send: x, tell: { chat: c, text: x } } }", "one action"),
            ("{ questions: [ { name: a, ask: b } ], done: { §moderate: true } }", "has no key \"moderate\""),
            ("{ questions: [ { name: a, ask: b } ], done: { send: x }, timeout: §25h }", "a day at the most"),
            ("{ questions: [ { name: a, ask: b } ], done: { send: x }, timeout: §0s }", "must be more than nothing"),
            ("{ questions: [ { name: a, ask: b } ], done: { send: x }, cancel: §[] }", "must not be empty"),
            ("{ questions: [ { name: a, ask: b, pattern: \"§(\" } ], done: { send: x } }", "bad pattern"),
        ])
    func whatIsNoFormIsRefused(_ marked: String, _ message: String) {
        let source = MarkedSource("parley: 1\nprofiles:\n  a:\n    forms:\n      f: \(marked)\n"), found = faults(in: source.text)
        #expect(found.contains { $0.position == source.position && $0.message.contains(message) }, "\(found)")
    }

    @Test func theLongestNameAndTimeAreTaken() throws {
        let name = String(repeating: "a", count: 40)
        #expect(try form("{ name: \(name), ask: x }", ", timeout: 24h").timeout == 86_400)
    }
}
