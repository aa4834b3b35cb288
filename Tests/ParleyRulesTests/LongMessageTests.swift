import ChatProtocol
import Parley
import TestSupport
import Testing

@testable import ParleyRules

/// Templates whose values are too long for a message.
@Suite struct LongMessageTests {
    private func template(_ text: String) throws -> Template {
        let file = try BotsFile(parsing: "parley: 1\nprofiles: { a: { rules: [ { when: { message: any }, then: { send: \"\(text)\" } } ] } }")
        guard let template = file.profiles.first?.rules.first?.then.first?.template else { throw RuleParameterError("no template") }
        return template
    }

    private func filled(_ text: String, _ said: String, name: String = "Ann") throws -> String {
        try template(text).filled(with: TemplateValues(botName: "Bot", contactName: name, text: said, date: "2026-01-01", time: "12:00"))
    }

    @Test(arguments: ["x", "ü", "字", "😀", "e\u{301}", "👩‍👩‍👧"])
    func aTextIsCutBetweenCharactersAndFitsIntoAMessage(_ unit: String) throws {
        // At each place of a character that the limit can fall into.
        for offset in 0..<8 {
            for template in ["{{ text }}", "You said: {{ text }}.", "{{ contact.name }}, {{ text }}{{ text }}"] {
                let said = String(repeating: "a", count: offset) + String(repeating: unit, count: Template.maximumLength / unit.utf8.count + 1)
                let text = try filled(template, said)
                #expect(text.utf8.count <= Template.maximumLength && text.utf8.count > Template.maximumLength - 40)
                #expect(text.hasSuffix("…") && !text.unicodeScalars.contains("\u{FFFD}"), "\(text.suffix(8))")
            }
        }
    }

    @Test func aTextOfTheLargestSizeStaysAsItIs() throws {
        for said in [String(repeating: "x", count: Template.maximumLength), String(repeating: "ü", count: Template.maximumLength / 2)] {
            #expect(try filled("{{ text }}", said) == said)
            #expect(try filled("{{ text }}!", String(said.dropLast())).utf8.count <= Template.maximumLength)
        }
        #expect(try filled("{{ text }}", String(repeating: "x", count: Template.maximumLength + 1)).hasSuffix("x…"))
    }

    /// What somebody writes so long that the bot's text ends in the middle of it.
    @Test(arguments: ["*Admin*", "_x_", "~x~", "`x`", "#x#", "!1 red!", "/'pay 10'", "/start", "@'all of you'", "@all", "[home](https://x.example)"])
    func aTextThatIsCutFormatsNothing(_ markup: String) throws {
        for spare in -2..<4 {
            // The cut falls so many bytes behind the markup, which a letter follows in the whole text.
            let room = Template.maximumLength - "You said: ".utf8.count - "…".utf8.count - markup.utf8.count - spare
            let said = String(repeating: "x", count: room - 1) + " " + markup + "z" + String(repeating: "y", count: 50)
            let text = try filled("You said: {{ text }}", said), formats = Markdown.parse(text)?.compactMap(\.format) ?? []
            #expect(text.utf8.count <= Template.maximumLength && text.hasSuffix("…"))
            #expect(formats.allSatisfy { if case .uri = $0 { true } else { false } }, "\(spare) \(text.suffix(40)): \(formats)")
        }
    }

    @Test func theAuthorsFormatsStayWhereTheTextIsNotCut() throws {
        let text = try filled("*Dear* {{ contact.name }}: {{ text }}", String(repeating: "x", count: 20_000))
        #expect(text.hasPrefix("*Dear* Ann: xxx") && text.hasSuffix("x…"))
        #expect(Markdown.parse(text)?.first?.format == .bold)
    }

    @Test(arguments: [
        ("{{{{ text }}", "{{ text }}"), ("{{{{{{ text }}", "{{said"), ("{{text}}", "said"), ("{{   text\\t}}", "said"), ("{ {{ text }} }", "{ said }"),
        ("}} {{ text }}", "}} said"), ("{{ text | raw }}", "said"), ("{{ text|raw }}", "said"), ("{{{{{{{{", "{{{{"), ("a{b}c", "a{b}c"),
    ])
    func bracesAreReadInPairs(_ source: String, _ expected: String) throws { #expect(try filled(source, "said") == expected) }

    @Test(
        "a template that cannot be filled in is told with its place",
        arguments: [
            ("§{{ text", "\"{{\" has no \"}}\""), ("ü§{{ text }", "has no \"}}\""), ("a §{{ }} b", "no value is called \"\""),
            ("§{{ text | html }}", "no filter is called \"html\""), ("{{ text }} §{{ text | raw | raw }}", "no filter is called \"raw | raw\""),
            ("§{{ text raw }}", "no value is called \"text raw\""), ("§{{ Text }}", "no value is called \"Text\""),
            ("§{{{ text }}}", "no value is called \"{ text\""),
            ("§{{ match }}", "the rule has no pattern"), ("§{{ match.1 }}", "the rule has no pattern"), ("§{{ command }}", "the rule has no command"),
            ("§{{ arguments }}", "the rule has no command"), ("§{{ reaction }}", "not about a reaction"), ("§{{ points }}", "neither warns"),
            ("§{{ form.x }}", "no value is called \"form.x\""), ("§{{ group.name }}", "chats with contacts"), ("§{{ member.mention }}", "chats with contacts"),
        ])
    func whatCannotBeFilledInIsRefused(_ marked: String, _ message: String) throws {
        for quote in ["\"", "'"] {
            let source = MarkedSource(
                "parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { message: any }\n        then: { send: \(quote)\(marked)\(quote) }\n")
            let fault = try #require(faults(in: source.text).first)
            #expect(fault.code == .badTemplate && fault.position == source.position && fault.message.contains(message), "\(fault)")
        }
    }
}
