import ChatProtocol
import Parley
import Testing

@testable import ParleyRules

/// Escaping of people's texts, so that they format nothing in the texts of bots.
@Suite struct TemplateEscapingTests {
    private func template(_ text: String) throws -> Template {
        let file = try BotsFile(
            parsing: "parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { pattern: \"(.*)\", chat: group }\n        then:\n          - send: \"\(text)\"\n")
        guard let template = file.profiles.first?.rules.first?.then.first?.template else { throw TestFault() }
        return template
    }

    private struct TestFault: Error {}

    private func filled(_ text: String, name: String = "Ann", said: String = "") throws -> String {
        var values = TemplateValues(botName: "Bot", contactName: name, text: said, date: "2026-01-01", time: "12:00")
        values.memberName = name
        return try template(text).filled(with: values)
    }

    @Test(arguments: [
        "*Ann*", "_Ann_", "~Ann~", "`Ann`", "#Ann#", "!1 Ann!", "!- Ann!", "@everybody", "@'all of you'", "/'pay 10'", "/start", "[home](https://x.example)",
        "https://x.example", "x.example", "ann@x.example", "simplex:/contact#/?v=1", "a* b", "*a", "a\n*b*", "Ann! _x_",
        "*\u{301}*\u{301}*", "*\u{301}Ann*", "_\u{20E3}Ann_", "@\u{301}all", "x.\u{301}example", "https:\u{301}//x.example",
    ])
    func aNameFormatsNothing(_ name: String) throws {
        for text in [
            "Hello {{ member.name }}!", "*Hello {{ member.name }}, you!*", "{{ member.name }}", "{{ member.name }} *and* {{ member.name }}",
            "/help {{ member.name }}",
        ] {
            let plain = try filled(text, name: "Ann"), named = try filled(text, name: name)
            let formats = Markdown.parse(named)?.compactMap(\.format?.mark) ?? []
            #expect(formats == Markdown.parse(plain)?.compactMap(\.format?.mark) ?? [], "\(text): \(named)")
        }
    }

    @Test func whatFormatsNothingIsNotChanged() throws {
        for name in ["Ann", "Ann-Marie O'Neil", "2 * 3", "C#", "a_b", "Ünal 😀", "50 %", "Ann!"] {
            #expect(try filled("Hello *dear* {{ member.name }}.", name: name) == "Hello *dear* \(name).")
        }
    }

    @Test(arguments: ["\u{202E}", "\u{202D}", "\u{202A}", "\u{202B}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{200F}", "\u{61C}"])
    func nothingTurnsRoundTheTextBehindIt(_ control: String) throws {
        for text in [
            "Welcome, {{ member.name }}! Pay here", "{{ member.name }}", "You are {{ contact.name }}.", "You said {{ text }}.", "{{ text | raw }} is it",
            "{{ member.mention }}: hello",
        ] {
            #expect(try filled(text, name: "Ann\(control)x", said: "a\(control)b").contains(control) == false, "\(text)")
        }
        var values = TemplateValues(botName: "Bot", contactName: "Ann", date: "", time: "")
        values.memberName = "Ann\(control)"
        #expect(try template("Hi {{ member.mention }}!").filled(with: values.mentioning) == "Hi Ann!")
    }

    @Test func aTextMayHoldLinksAndNothingHidden() throws {
        #expect(try filled("You wrote: {{ text }}", said: "see https://x.example") == "You wrote: see https://x.example")
        #expect(try filled("You wrote: {{ text }}", said: "see [bank](https://x.example)") == "You wrote: see ［bank］(https:∕∕x.example)")
        #expect(try filled("You wrote: {{ text | raw }}", said: "*x*") == "You wrote: *x*")
        #expect(try filled("{{ text }}", said: "*x*") == "*x*")
        #expect(try filled("{{ text }}{{ text }}", said: "*x*") == "∗x∗∗x∗")
    }

    @Test(arguments: [
        ("Ann", "@Ann"), ("Ann Bell", "@'Ann Bell'"), ("Ann.", "@'Ann.'"), ("*Ann*", "@'*Ann*'"), ("O'Neil", "@O'Neil"),
        ("'x' y", "'x' y"), ("x' *y*", "x' ∗y∗"),
    ])
    func aMentionIsOneWhateverTheName(_ name: String, _ mention: String) throws {
        var values = TemplateValues(botName: "Bot", contactName: name, date: "2026-01-01", time: "12:00")
        values.memberName = name
        let template = try template("Hello {{ member.mention }} and {{ member.name }}")
        #expect(template.filled(with: values.mentioning).hasPrefix("Hello \(mention) and "))
        // Where nobody can be mentioned, the name stands, and formats nothing.
        let plain = template.filled(with: values)
        #expect(Markdown.parse(plain)?.compactMap(\.format?.mark) ?? [] == [])
    }

    @Test func theSignThatStandsForValuesFormatsNothingEither() throws {
        #expect(try filled("\u{10280} {{ member.name }}", name: "*x*") == "\u{10280} ∗x∗")
        #expect(throws: BotsFileError.self) { try template("{{ text | html }}") }
        #expect(throws: BotsFileError.self) { try template("{{ form.size }}") }
    }
}

extension TextFormat {
    /// Formats other than links as they stand in a text.
    fileprivate var mark: String? {
        switch self {
        case .phone, .unknown: nil
        case .hyperLink: "link"
        case .command: "command"
        case .mention: "mention"
        default: "\(self)"
        }
    }
}
