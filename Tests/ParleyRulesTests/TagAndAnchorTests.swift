import ParleyRules
import Testing

/// Texts that YAML takes for something else at their beginning, and files with anchors.
@Suite struct TagAndAnchorTests {
    private static func errors(_ source: String) -> [String] {
        do throws(BotsFileError) {
            _ = try BotsFile(parsing: source)
            return []
        } catch {
            return error.diagnostics.map { "\($0.position) \($0.code.rawValue)" }
        }
    }

    private static func warnings(_ source: String) throws -> [String] {
        try BotsFile(parsing: source).warnings.diagnostics.map { "\($0.position) \($0.code.rawValue)" }
    }

    private static func action(_ action: String) -> String {
        "parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { text: x }\n        then: { \(action) }\n"
    }

    @Test(
        arguments: [
            ("reply: !important read this", ["6:24 tag"]), ("send: !1 red! text", ["6:23 tag"]), ("reply: ! read", ["6:24 tag"]),
            ("reply: !!binary aGVsbG8=", ["6:24 tag"]), ("reply: !!int 012", ["6:24 tag"]), ("reply: !!float 1.5", ["6:24 tag"]),
            ("reply: !!null x", ["6:24 tag"]),
            ("reply: !<tag:example.org,2026:x> hi", ["6:24 tag"]), ("!reply reply: hi", ["6:17 tag"]), ("reply: !important \"quoted\"", ["6:24 tag"]),
            ("reply: !!str hi", []), ("reply: \"!important\"", []), ("reply: '!1 red! text'", []), ("reply: read this!", []), ("reply: C!x !y", []),
            ("reply: \"&note read this\"", []), ("reply: R&D & more", []),
        ])
    func aTagIsAnErrorAtItsPlace(_ action: String, _ expected: [String]) { #expect(Self.errors(Self.action(action)) == expected) }

    @Test func aTagOfAListOrAMappingIsAnErrorToo() {
        #expect(Self.errors("parley: 1\nprofiles: !map { a: { rules: !!seq [ { when: { text: x }, then: { send: y } } ] } }\n") == ["2:11 tag", "2:30 tag"])
    }

    @Test func anAnchorThatNoAliasNamesIsAWarningAtItsPlace() throws {
        #expect(try Self.warnings(Self.action("send: &note read this")) == ["6:23 anchor"])
        #expect(
            try Self.warnings(
                "parley: 1\nprofiles:\n  a: { rules: &one [ { when: { text: x }, then: { send: y } } ] }\n  b: { name: B, rules: &one [ { when: { text: x }, then: { send: y } } ] }\n  c: { rules: *one }\n"
            ) == ["3:15 anchor"], "the second value of the name is the one that is used")
    }

    /// The recipe of the documentation, with texts that hold what a guard of characters would stumble over.
    @Test(arguments: [
        "\"{{ contact.name }}: hello\"", "\"a]: b\"", "'[x]: y'", "\"? what\"", "\"*bold*: x\"", "|\n            {{ contact.name }}: hello\n            [a]: b",
        ">-\n            ? a\n            }: b",
        "\"{ a }: & *b\"", "hello # {x}: y",
    ])
    func rulesThatProfilesShareMayHoldAnyText(_ text: String) throws {
        let source = """
            parley: 1
            profiles:
              a:
                rules: &common
                  - when: { text: hi }
                    then:
                      reply: \(text)
              b: { rules: *common }

            """
        #expect(try BotsFile(parsing: source).profiles.map(\.rules.count) == [1, 1])
    }

    @Test(arguments: ["*a : b", "? *a\n: b", "[*a]: b", "{ x: *a }: b", "{ x: [ { y: *a } ] }: b"]) func aKeyThatIsMadeOfAliasesIsRefused(_ entry: String) {
        let lines = entry.split(separator: "\n").joined(separator: "\n")
        #expect(Self.errors("x: &a [1]\n\(lines)\n").contains { $0.hasSuffix("wrong-type") })
    }

    @Test(
        arguments: [
            ("reply: *bold* text", "double quotes"), ("reply: { Price #1 is best } }", "begins a comment"), ("reply: {name} x", "quotes"),
        ])
    func aHintNamesTheFix(_ action: String, _ hint: String) throws {
        do {
            _ = try BotsFile(parsing: Self.action(action))
            Issue.record("the file is accepted")
        } catch { #expect(error.diagnostics.first?.hint?.contains(hint) == true, "\(error)") }
    }

    private static func hints(_ source: String) -> [String] {
        do throws(BotsFileError) {
            return try BotsFile(parsing: source).warnings.diagnostics.map { $0.hint ?? "" }
        } catch {
            return error.diagnostics.map { $0.hint ?? "" }
        }
    }

    @Test(
        arguments: [
            ("when: { pattern: [a, b] }, then: { send: x }", "any:"), ("when: { keyword: a }, then: { send: x }", "\"words\""),
            ("when: { text: a }, then: { respond: x }", "\"reply\""), ("when: { text: a }, then: { ban: true }", "\"block\""),
            ("when: { text: a, chat: group }, then: { moderate: True }", "write true"), ("when: { link: yes }, then: { send: x }", "expected one of"),
            ("when: { text: a }, then: { send: \"{{ user.name }}\" }", "\"contact.name\""),
            ("when: { text: a }, then: { send: \"{{ name }}\" }", "\"contact.name\""),
            ("when: { text: a, chat: group }, then: { send: \"{{ sender }}\" }", "\"member.name\""),
            ("when: { text: a }, then: { send: \"Hi ${user}\" }", "{{ contact.name }}"), ("when: { text: a }, then: { send: \"Hi {stranger}\" }", "two braces"),
            ("when: { text: a }, <<: *base, then: { send: x }", "double quotes"),
        ])
    func aSlipHasAHint(_ rule: String, _ hint: String) {
        #expect(Self.hints("parley: 1\nprofiles:\n  a:\n    rules:\n      - { \(rule) }\n").contains { $0.contains(hint) }, "\(Self.hints(rule))")
    }

    @Test func namesOfMembersHaveNoValueWhereContactsWrite() {
        for name in ["member.name", "member.mention", "group.name"] {
            let text = "parley: 1\nprofiles: { a: { rules: [ { when: { text: hi, chat: any }, then: { send: \"{{ \(name) }}\" } } ] } }"
            #expect(Self.errors(text).count == 1 && Self.errors(text)[0].hasSuffix("bad-template"))
            #expect(Self.errors(text.replacing("chat: any", with: "chat: [group, support]")).isEmpty)
        }
    }

    @Test func aCommandBelowEveryTextIsUnreachable() throws {
        let rules = "{ when: { message: text }, then: { send: x } }, { when: { command: help }, then: { send: y } }"
        #expect(try Self.warnings("parley: 1\nprofiles: { a: { rules: [ \(rules) ] } }") == ["2:75 unreachable"])
    }

    @Test(arguments: [("Berlin", "Europe/Berlin"), ("europe/berlin", "Europe/Berlin"), ("new york", "America/New_York")])
    func aZoneThatIsNearlyOneIsNamed(_ zone: String, _ meant: String) {
        let source = "parley: 1\nprofiles: { a: { schedules: [ { id: x, cron: \"0 8 * * *\", zone: \(zone), to: contacts, send: hi } ] } }"
        #expect(Self.hints(source) == ["did you mean \"\(meant)\"?"])
    }

    @Test func aTimeThatTheClocksSkipIsNamed() {
        let source = "parley: 1\nprofiles: { a: { schedules: [ { id: x, at: \"2027-03-28 02:30\", zone: Europe/Berlin, to: contacts, send: hi } ] } }"
        #expect(Self.hints(source).first?.contains("skip") == true)
    }
}
