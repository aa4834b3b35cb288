import ParleyRules
import Testing

/// Slips in a file: one error for each, at its place, with its fix.
@Suite struct FileSlipTests {
    private func errors(_ source: String) -> [String] {
        do throws(BotsFileError) {
            _ = try BotsFile(parsing: source)
            return []
        } catch {
            return error.diagnostics.map { "\($0.position) \($0.message)" }
        }
    }

    private func rule(_ rule: String, _ rest: String = "") -> String { "parley: 1\nprofiles:\n  a:\n    rules:\n      - \(rule)\n\(rest)" }

    @Test func aMisspeltKeyOfATestOrRuleHasNoErrorsThatFollow() {
        let rules = "{ id: links, when: { link: true }, then: { send: x } }"
        #expect(errors(rule(rules, "    tests:\n      - { say: x, expct: links }\n")) == ["7:19 profiles.a.tests[0] has no key \"expct\""])
        #expect(errors(rule(rules, "    tests:\n      - { sya: x, expect: links }\n")) == ["7:11 profiles.a.tests[0] has no key \"sya\""])
        let faulty = "{ id: links, when: { lnik: true }, then: { send: x } }"
        #expect(errors(rule(faulty, "    tests:\n      - { say: x, expect: links }\n")) == ["5:30 profiles.a.rules[0].when has no key \"lnik\""])
        #expect(errors(rule(rules, "    tests:\n      - { say: x, expect: lniks }\n")) == ["7:27 no rule has the id \"lniks\""])
    }

    @Test func namesOfFormsRelaysAndProfilesAreReportedWhereTheyStand() {
        #expect(errors(rule("{ when: { text: x }, then: { form: ordr } }")) == ["5:44 there is no form \"ordr\""])
        #expect(errors(rule("{ when: { text: x }, then: { forward: { to: b, through: c } } }")) == ["5:65 there is no profile \"c\""])
        #expect(
            errors("parley: 1\nprofiles:\n  a:\n    channels: { n: { relays: [ tower ] } }\n") == [
                "4:32 a channel names the relay \"tower\", and no profile of that key has \"relay: true\""
            ])
    }

    @Test(
        "what is probably not meant is warned of at its place",
        arguments: [
            ("reply: Join #team now", "comment", 22, "double quotes"), ("reply: Join  # a comment", "", 0, ""), ("reply: \"Join #team\"", "", 0, ""),
            ("reply: C# is fine", "", 0, ""), ("reply: \u{201E}Hello\u{201C}", "quotes", 17, "write \" or '"),
            ("reply: \u{201C}Hello\u{201D}", "quotes", 17, "write \" or '"), ("reply: it\u{2019}s \u{201C}so\u{201D}", "", 0, ""),
            ("reply: \"\u{201C}so\u{201D}\"", "", 0, ""), ("reply: \"Hi { contact.name }!\"", "braces", 21, "{{ contact.name }}"),
            ("reply: \"Hi {contact.name}!\"", "braces", 21, "{{ contact.name }}"), ("reply: \"Hi { stranger }!\"", "", 0, ""),
            ("reply: \"Hi {{ contact.name }}!\"", "", 0, ""), ("tell: { chat: lobby, text: x }", "unknown-chat", 24, "\"The Lobby\""),
            ("tell: { chat: the lobby, text: x }", "unknown-chat", 24, "\"The Lobby\""),
            ("tell: { chat: The Loby, text: x }", "unknown-chat", 24, "\"The Lobby\""),
            ("tell: { chat: The Lobby, text: x }", "", 0, ""), ("tell: { chat: Staff, text: x }", "unknown-chat", 24, "trusted-contacts"),
            ("tell: { chat: \"#The Lobby\", text: x }", "", 0, ""), ("tell: { chat: \"@The Lobby\", text: x }", "unknown-chat", 24, "\"The Lobby\""),
            ("forward: \"@Anna\"", "", 0, ""), ("forward: \"#Anna\"", "unknown-chat", 19, "\"Anna\""),
            ("post: { channel: The Lobby, text: x }", "unknown-chat", 27, "channels"),
            ("post: { channel: Nwes, text: x }", "unknown-chat", 27, "\"News\""), ("forward: Anne", "unknown-chat", 19, "\"Anna\""),
        ])
    func warnings(_ action: String, _ code: String, _ column: Int, _ hint: String) throws {
        let source = """
            parley: 1
            profiles:
              a:
                relay: true
                trusted-contacts: Anna
                groups: { lobby: { name: The Lobby, moderators: Anna } }
                channels: { n: { name: News, relays: a } }
                rules:
                  - when: { text: x }
                    then:
                    - \(action)
            """
        let errors = faults(in: source), found = errors.isEmpty ? try BotsFile(parsing: source).warnings.diagnostics : errors
        #expect(errors.isEmpty == (code != "unknown-chat"), "a name that anybody can take is an error")
        #expect(found.map(\.code.rawValue) == (code.isEmpty ? [] : [code]), "\(found)")
        if let warning = found.first {
            #expect(warning.position == SourcePosition(line: 11, column: column + 1) && warning.hint?.contains(hint) == true, "\(warning)")
        }
    }

    @Test(
        "usual mistakes in YAML have a hint",
        arguments: [
            ("parley: 1\nprofiles:\n\ta: {}", "indent with spaces: line 3 begins with a tab"),
            ("parley: 1\nprofiles:\n  a:\n \u{A0}\u{A0}\u{A0}name: X\n", "U+A0 in line 4"),
            ("parley: 1\nprofiles:\n  a:\n    name:\u{A0}X\n    bio: Y\n", "U+A0 in line 4"),
            ("parley: 1\nprofiles:\n  a:\n    rules:\n      -\u{3000}when: { text: x }\n        then: { send: y }\n", "U+3000 in line 5"),
            ("parley: 1\nprofiles:\n  a:\n    name:\u{200B} X\n    bio: Y\n", "U+200B in line 4"),
            ("parley: 1\nprofiles:\n  a:\n    rules:\n      -id: x\n       when: { text: x }\n", "line 5: put a space after the \"-\""),
            ("parley: 1\nprofiles:\n  a:\n    rules:\n      -id: x\n", "put a space after the \"-\""),
            ("parley: 1\nprofiles:\n  a: { rules: [ { when: { pattern: \"\\d\" }, then: { send: x } } ] }\n", "single quotes"),
            ("parley: 1\nprofiles:\n  a:\n    bio: Hours: 9 to 5\n", "put text that holds \": \" in double quotes"),
            ("parley: 1\nprofiles:\n  a:\n    name x\n    bio: y\n", "a key needs a \":\" after it"),
            ("parley: 1\nprofiles:\n  a:\n    bio: x\n   name: y\n", "check the indentation"),
            ("parley: 1\nprofiles:\n  a: { bio: x\n  b: {}\n", "close each { and ["),
            ("parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { text: x }\n       then: { send: y }\n", "indent the keys of an element alike"),
        ])
    func hints(_ source: String, _ hint: String) {
        let error = #expect(throws: BotsFileError.self) { try BotsFile(parsing: source) }
        #expect(error?.diagnostics.first?.hint?.contains(hint) == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func aLongNameAndItsLineAreCut() throws {
        let source = "parley: 1\nprofiles:\n  a: { name: \"" + String(repeating: "x", count: 300) + "\\n\" }\n"
        let error = try #require(throws: BotsFileError.self) { try BotsFile(parsing: source) }
        #expect(error.diagnostics.first?.message.count ?? 0 < 120 && error.diagnostics.first?.hint?.count ?? 0 < 120)
        #expect("\(error)".split(separator: "\n").allSatisfy { $0.count < 250 } && "\(error)".contains("a: { name:"), "\(error)")
    }
}
