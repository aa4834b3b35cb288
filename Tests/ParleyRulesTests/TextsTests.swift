import Foundation
import Parley
import ParleyTesting
import Testing

@testable import ParleyRules

/// The fixed texts of the framework in other words.
@Suite(.timeLimit(.minutes(5))) struct TextsTests {
    private func profile(_ texts: String) throws -> ProfileSpec {
        try #require(try BotsFile(parsing: "parley: 1\nprofiles:\n  a:\n    texts: \(texts)\n").profiles.first)
    }

    @Test func aTextIsReplacedAndTheOthersStay() throws {
        let texts = try profile("{ case-unknown: \"Fall {{ number }} gibt es nicht.\" }").texts
        #expect(texts.filled(.caseUnknown, ["number": "7"]) == "Fall 7 gibt es nicht.")
        #expect(texts.filled(.caseFinal, ["number": "7", "action": "remove"]) == "Case 7 cannot be undone: remove is final.")
        // What somebody has written is no template.
        #expect(BotTexts().filled(.caseUndone, ["number": "1", "action": "block", "name": "{{ action }}"]) == "Case 1 is undone: block {{ action }}.")
        for key in BotTexts.Key.allCases { #expect(texts[key] == key.standard || key == .caseUnknown) }
    }

    @Test(arguments: [
        ("{ §case-unknwon: x }", "profiles.a.texts has no key \"case-unknwon\""),
        ("{ case-unknown: §\"Fall {{ nummer }}\" }", "profiles.a.texts.case-unknown has no value \"nummer\""),
        ("{ nothing-sent: §\"{{ contact.name }}: nichts\" }", "profiles.a.texts.nothing-sent has no value \"contact.name\""),
        ("{ usage: §\" \" }", "profiles.a.texts.usage must not be empty"),
        ("{ usage: §[] }", "profiles.a.texts.usage must be text, not a list"), ("§{}", "profiles.a.texts says nothing"),
        ("§x", "profiles.a.texts must be a mapping of keys to values, not \"x\""),
        ("{ form-again: §\(String(repeating: "x", count: 2_001)) }", "the text has 2001 bytes, more than 2000"),
    ]) func aMistakeIsReportedAtItsPlace(_ texts: String, _ message: String) {
        let source = MarkedSource("parley: 1\nprofiles:\n  a:\n    texts: \(texts)\n"), found = faults(in: source.text)
        #expect(found.count == 1 && found.first?.position == source.position && found.first?.message == message, "\(found)")
    }

    @Test func aTextThatDoesNotSayWhatIsExpectedIsWarnedOf() throws {
        let file = try BotsFile(parsing: "parley: 1\nprofiles:\n  a:\n    texts: { form-choices: Falsch. }\n")
        #expect(file.warnings.diagnostics.map(\.message) == ["without {{ choices }} the text does not say what is expected"])
    }

    @Test func theGuideListsEachTextAsItIs() throws {
        let page = try String(contentsOf: URL(fileURLWithPath: #filePath).appending(path: "../../../docs/bots-yaml.md").standardized, encoding: .utf8)
        for key in BotTexts.Key.allCases { #expect(page.contains("| `\(key.rawValue)` | \(key.standard) |\n"), "\(key.rawValue)") }
        #expect(Set(Schemas.texts.names) == Set(BotTexts.Key.allCases.map(\.rawValue)))
    }

    @Test func peopleReadTheTextsOfTheirBot() async throws {
        let bots = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  a:
                    texts:
                      form-choices: "Bitte eins von: {{ choices }}"
                      form-again: "Wie bitte?"
                      nothing-sent: "Der Text fehlt."
                    forms:
                      f:
                        questions:
                          - { name: colour, ask: "Farbe?", choices: [ rot, blau ] }
                          - { name: size, ask: "Zahl?", pattern: "^[0-9]+$" }
                        done: { send: "{{ form.colour }} {{ form.size }}" }
                    rules:
                      - { when: { command: form }, then: { form: f } }
                      - { when: { command: echo }, then: { send: "{{ arguments }}" } }
                """
        ).makeBots()
        try await withBots(bots) { room in
            let ann = try await room.person("Ann")
            try await ann.say("/echo")
            try await ann.expect("Der Text fehlt.")
            try await ann.say("/form")
            try await ann.expect("Farbe?\n1. rot\n2. blau")
            try await ann.say("grün")
            try await ann.expect("Bitte eins von: rot, blau")
            try await ann.say("rot")
            try await ann.expect("Zahl?")
            try await ann.say("viele")
            try await ann.expect("Wie bitte?")
            try await ann.say("3")
            try await ann.expect("rot 3")
        }
    }

    @Test func commandsAndConversationsOfProgramsHaveTheTextsToo() async throws {
        var bot = Bot("Umfrage") {
            On(.command("add", "Addieren", .integer("Zahl"))) { command in try await command.message.reply("\(command.arguments)") }
            Conversation("ask", on: .command("ask")) { talk in _ = try await talk.ask("Wie alt?", .integer()) }
        }
        bot.texts = BotTexts([
            .argumentMissing: "{{ name }} fehlt", .usage: "So geht es: {{ usage }}", .answerExpected: "Bitte schreibe {{ expected }}!",
        ])
        try await withBots([bot]) { room in
            let ann = try await room.person("Ann")
            try await ann.say("/add")
            try await ann.expect("Zahl fehlt\nSo geht es: /add <Zahl>")
            try await ann.say("/ask")
            try await ann.expect("Wie alt?")
            try await ann.say("alt")
            try await ann.expect("Bitte schreibe a whole number!")
        }
    }
}
