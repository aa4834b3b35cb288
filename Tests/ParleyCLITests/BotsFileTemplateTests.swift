import Parley
import ParleyRules
import Testing

@testable import ParleyCLI

/// The files that `parley init` writes, whatever is answered.
@Suite struct BotsFileTemplateTests {
    private static let subsets: [[BotsFileTemplate.Feature]] = (0..<1 << BotsFileTemplate.Feature.allCases.count).map { bits in
        BotsFileTemplate.Feature.allCases.filter { bits & 1 << $0.rawValue != 0 }
    }

    @Test(arguments: subsets, [false, true])
    func everyChoiceMakesAFileWhoseTestsHold(_ features: [BotsFileTemplate.Feature], _ isPublic: Bool) throws {
        // The order in which they are chosen does not matter.
        for chosen in [features, features.reversed()] {
            let file = try BotsFile(parsing: BotsFileTemplate(name: "Helper", help: "help", features: chosen, isPublic: isPublic).text)
            #expect(file.warnings.diagnostics.isEmpty, "\(file.warnings)")
            #expect(try file.testFailures().isEmpty, "\(features)")
            #expect(file.network.usesPresetOperators == isPublic && file.network.acceptsConditions == isPublic)
            #expect(file.profiles.map(\.id) == ["helper"] && file.profiles.first?.forms.isEmpty == !features.contains(.form))
        }
    }

    /// What stands in the reply to `/help`.
    private func help(_ file: BotsFile) throws -> String {
        guard let action = file.profiles.first?.rules.first?.then.first, action.word == "reply", let template = action.template else { return "" }
        return template.filled(with: TemplateValues(botName: "Bot", contactName: "Ann", text: "said"))
    }

    @Test(arguments: [
        "Write \"help\".", "back\\slash \\n \\x41 \\\"", "{{ text }}", "{{{{", "{{{ {{ }} }}}", "{ contact.name }", "{\u{301}{", "{{\u{301}x", "a: b # c",
        "- x\n- y\n", "' \" `", "\"\u{301}quoted\"\u{301}",
        "\\\u{301}n", "tab\tand\u{A0}space", "line\r\nbreak\rreturn", "a\u{85}b\u{2028}c\u{2029}d", "byte\u{FEFF}order", "bell\u{7}escape\u{1B}[2J",
        "nul\u{1}\u{7F}\u{9F}", "👍🏽 é 山 \u{10FFFF}\u{FFFE}", "%YAML 1.1",
        "---", "*a &b !c", " spaces around ", "0", "true", "~", "},", "\u{202E}right", "}}\" ]\n  other: {}",
    ])
    func aHelpTextIsReadAsItWasGiven(_ text: String) throws {
        let file = try BotsFile(parsing: BotsFileTemplate(name: "Helper", help: text, features: [], isPublic: false).text)
        let read = try help(file)
        #expect(read.unicodeScalars.elementsEqual(text.unicodeScalars), "\(read.debugDescription)")
        #expect(file.profiles.count == 1 && file.profiles.first?.rules.count == 2)
    }

    @Test(
        arguments: [
            ("Ann's Bot", nil), ("The Helper", "the-helper"), ("Übung 7", "ubung-7"), ("Café Ülü 🎂", "cafe-ulu"), ("Straße Łódź", "strasse-lodz"),
            ("Smørrebrød", "smorrebrod"), ("7 Dwarfs", "helper"), ("山田", "helper"), ("👍", "helper"), ("A&B", "a-b"),
            ("x", "x"), ("a.b.c", "a-b-c"), ("null", "null"),
        ] as [(String, String?)])
    func aNameIsReadAsItWasGivenAndItsKeyIsAWord(_ name: String, _ key: String?) throws {
        let text = BotsFileTemplate(name: name, help: "help", features: [.echo], isPublic: false).text
        guard let key else {
            let error = #expect(throws: BotsFileError.self) { try BotsFile(parsing: text) }
            #expect(error?.description.contains("cannot be a display name") == true)
            return
        }
        let profile = try #require(try BotsFile(parsing: text).profiles.first)
        #expect(profile.name == name && profile.id == key)
    }

    @Test(arguments: ["", " ", "\"", "\\", "a\nb", "a\" }, rules: [", "#x", "@x", "a\u{202E}b", String(repeating: "x", count: 1_000)])
    func aNameThatIsNoneMakesNoFile(_ name: String) {
        let text = BotsFileTemplate(name: name, help: "help", features: [.echo], isPublic: false).text
        let error = #expect(throws: BotsFileError.self) { try BotsFile(parsing: text) }
        #expect(
            error?.diagnostics.allSatisfy { $0.message.contains("display name") || $0.message.contains("must not be empty") } == true,
            "\(error.map { "\($0)" } ?? "")")
    }

    // MARK: Packages

    @Test(
        arguments: [
            ("bot", "Bot"), ("dice-bot 2", "DiceBot2"), ("/tmp/my_bot/", "MyBot"), ("7dwarfs", "Bot7dwarfs"), ("Parley", "ParleyBot"),
            ("dice", "DiceBot"), ("robot", "RobotBot"), ("botany", "Botany"), ("über", "BerBot"), ("a.b", "ABBot"), ("--", nil), ("字", nil), ("123", "Bot123"),
            ("...", nil),
        ] as [(String, String?)])
    func aModuleIsNamedAfterItsFolder(_ folder: String, _ module: String?) {
        #expect(SwiftPackageTemplate(folder: folder, parley: "../parley", botName: "Bot")?.module == module)
    }

    @Test(arguments: [
        ("plain", "\"plain\""), ("a \"b\"", #""a \"b\"""#), ("\\(1 + 1)", #""\\(1 + 1)""#), ("a\nb\tc", #""a\u{a}b\u{9}c""#), ("\"\u{301}", "\"\\\"\u{301}\""),
        ("\u{1B}[2J", #""\u{1b}[2J""#), ("ü👍", "\"ü👍\""),
    ])
    func aTextIsALiteralWhateverIsInIt(_ text: String, _ literal: String) {
        #expect(SwiftPackageTemplate.literal(text).unicodeScalars.elementsEqual(literal.unicodeScalars))
    }
}
