import Parley
import ParleyRules
import TestSupport
import Testing

@Suite struct BotsFileTests {
    @Test func aFileWithProfilesAndRulesIsRead() throws {
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  echo:
                    name: Echo
                    bio: I repeat what you say
                    address: { accept: manual, welcome: "Hello!" }
                    rules:
                      - id: help
                        when: { command: [help, /start] }
                        description: What I can do
                        then: { reply: "Try me, {{ contact.name }}" }
                      - when: { message: text }
                        then:
                          - reply: "You said: {{ text }}"
                          - react: 👍
                  other: {}
                """)
        #expect(file.profiles.map(\.name) == ["Echo", "other"])
        let echo = try #require(file.profiles.first)
        #expect(!echo.address.acceptsAutomatically)
        #expect(echo.address.welcome == "Hello!")
        #expect(echo.rules.count == 2)
        #expect(echo.rules[0].when.commands == ["help", "start"])
        #expect(echo.rules[1].then.count == 2)
    }

    @Test func anUnknownKeyIsAnsweredWithItsPlaceAndTheNearestWord() throws {
        let error = try fault(
            in: """
                parley: 1
                profiles:
                  echo:
                    nmae: Echo
                """)
        #expect(error.description.hasPrefix("bots.yaml:4:5: error: profiles.echo has no key \"nmae\" [unknown-key]"))
        #expect(error.description.contains("\n        nmae: Echo\n        ^"))
        #expect(error.description.contains("did you mean \"name\"?"))
    }

    @Test(arguments: ["reply: {name}", "reply: {{ name }}", "reply: { {name} }", "reply: {{ name }} said", "tell: { chat: Kitchen, text: {{ name }} }"])
    func aTemplateWithoutQuotesIsAnsweredWithTheFix(_ action: String) throws {
        let error = try fault(
            in:
                "parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { message: text }\n        then:\n          - \(action)\n    groups: { k: { name: Kitchen } }\n"
        )
        #expect(error.diagnostics.count == 1 && error.diagnostics.first?.position.line == 7, "\(error)")
        #expect(error.diagnostics.first?.hint?.contains("in double quotes") == true, "\(error)")
    }

    @Test func aMappingInPlaceOfTextIsNotTakenForATemplate() throws {
        let error = try fault(in: "parley: 1\nprofiles:\n  a:\n    name: { first: Ann }\n")
        #expect(error.diagnostics.map(\.hint) == [nil])
    }

    @Test(arguments: [
        ("", "missing-key", 1, 1),
        ("parley: 1", "missing-key", 1, 1),
        ("parley: 2\nprofiles: { a: {} }", "bad-value", 1, 9),
        ("parley: 1\nprofiles: {}", "bad-value", 2, 11),
        ("parley: 1\nprofiles: [a]", "wrong-type", 2, 11),
        ("parley: 1\nprofiles: { a: 3 }", "wrong-type", 2, 16),
        ("parley: 1\nprofiles:\n  a: {}\n  a: {}", "duplicate-key", 3, 3),
        ("parley: 1\nprofiles:\n\ta: {}", "yaml-syntax", 3, 1),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { pattern: \"a(b\" }, then: { reply: x } } ] } }", "bad-pattern", 2, 47),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { message: txet }, then: { reply: x } } ] } }", "bad-value", 2, 46),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { message: text }, then: { reply: \"a {{ nobody }}\" } } ] } }", "bad-template", 2, 72),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { connected: true }, then: { reply: \"{{ text }}\" } } ] } }", "bad-template", 2, 72),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { connected: true, message: any }, then: { send: x } } ] } }", "bad-value", 2, 35),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { connected: true }, then: { react: 👍 } } ] } }", "bad-value", 2, 62),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { message: any }, then: { react: 🐟 } } ] } }", "bad-value", 2, 68),
        ("parley: 1\nprofiles: { a: { rules: [ { when: {}, then: { send: x } } ] } }", "missing-key", 2, 35),
        ("parley: 1\nprofiles: { a: { rules: [ { then: { send: x } } ] } }", "missing-key", 2, 27),
        ("parley: 1\nprofiles: { a: { name: x }, b: { name: x } }", "bad-value", 2, 29),
        ("parley: 1\nnetwork: { smp-prox: always }\nprofiles: { a: {} }", "unknown-key", 2, 12),
        ("parley: 1\nnetwork: { smp-proxy: allways }\nprofiles: { a: {} }", "bad-value", 2, 23),
        ("parley: 1\nnetwork: { socks-proxy: 9050 }\nprofiles: { a: {} }", "bad-value", 2, 25),
        ("parley: 1\nnetwork:\n  tcp-timeout: 0\nprofiles: { a: {} }", "bad-value", 3, 16),
        ("parley: 1\nnetwork: { retry-pause: 0 }\nprofiles: { a: {} }", "bad-value", 2, 25),
        ("parley: 1\nnetwork: { operators: presets }\nprofiles: { a: {} }", "bad-value", 2, 23),
        ("parley: 1\nnetwork: { operators: preset, accept-conditions: maybe }\nprofiles: { a: {} }", "bad-value", 2, 50),
        ("parley: 1\nnetwork: { accept-conditions: yes }\nprofiles: { a: {} }", "bad-value", 2, 31),
        ("parley: 1\nnetwork: { operators: none, accept-conditions: yes }\nprofiles: { a: {} }", "bad-value", 2, 48),
        ("parley: 1\nprofiles: { a: { address: { welcome: \"Hi {{ contact.name }}\" } } }", "bad-template", 2, 42),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { message: any }, then: { send: {{ text }} } } ] } }", "wrong-type", 2, 67),
        ("parley: 1\nnetwork: [tor]\nprofiles: { a: {} }", "wrong-type", 2, 10),
        ("parley: [", "yaml-syntax", 2, 1),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { message: any, chat: grup }, then: { send: x } } ] } }", "bad-value", 2, 57),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { message: any, role: boss }, then: { send: x } } ] } }", "bad-value", 2, 57),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { mention: true, chat: contact }, then: { send: x } } ] } }", "bad-value", 2, 46),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { member: came }, then: { send: x } } ] } }", "bad-value", 2, 45),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { member: left }, then: { remove: true } } ] } }", "bad-value", 2, 59),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { member: joined }, then: { accept: true } } ] } }", "bad-value", 2, 61),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { message: any }, then: { block: true } } ] } }", "bad-value", 2, 59),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { message: any, chat: group }, then: { role: boss } } ] } }", "bad-value", 2, 80),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { message: any, chat: group }, then: { remove: all } } ] } }", "wrong-type", 2, 82),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { connected: true }, then: { forward: x } } ] } }", "bad-value", 2, 62),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { message: any }, then: { send: \"{{ member.name }}\" } } ] } }", "bad-template", 2, 68),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { message: any, chat: group }, then: { accept: true } } ] } }", "bad-value", 2, 72),
        ("parley: 1\nprofiles: { a: { rules: [ { when: { reaction: any, chat: group, role: admin }, then: { send: x } } ] } }", "bad-value", 2, 71),
        ("parley: 1\nprofiles: { a: { groups: { g: { link: admin } } } }", "bad-value", 2, 39),
        ("parley: 1\nprofiles: { a: { groups: { g: { preferences: { voice: maybe } } } } }", "bad-value", 2, 55),
        ("parley: 1\nprofiles: { a: { groups: { g: { preferences: { history: admin } } } } }", "bad-value", 2, 57),
        ("parley: 1\nprofiles: { a: { groups: { g: { preferences: { disappearing: 0 } } } } }", "bad-value", 2, 62),
        ("parley: 1\nprofiles: { a: { groups: { g: { review: maybe } } } }", "wrong-type", 2, 41),
        ("parley: 1\nprofiles: { a: { groups: { g: { name: x }, h: { name: x } } } }", "bad-value", 2, 44),
        ("parley: 1\nprofiles: { a: { groups: {} } }", "bad-value", 2, 26),
    ])
    func aFaultIsAnsweredWithItsPlace(_ source: String, _ code: String, _ line: Int, _ column: Int) throws {
        let error = try fault(in: source)
        let first = try #require(error.diagnostics.first)
        #expect(first.code.rawValue == code, "\(error)")
        #expect(first.position == SourcePosition(line: line, column: column), "\(error)")
    }

    @Test func whatIsSaidAboutTheNetworkIsReadInTheWordsOfTheCommandLine() throws {
        let file = try BotsFile(
            parsing: """
                parley: 1
                network:
                  socks-proxy: "@127.0.0.1:9050"
                  socks-mode: onion
                  host-mode: public
                  required-host-mode: on
                  smp-proxy: unknown
                  smp-proxy-fallback: protected
                  tcp-timeout: 20
                  retry-pause: 500
                profiles: { a: {} }
                """)
        var expected = HostNetwork()
        for (key, text) in [
            (HostNetwork.Key.socksProxy, "@127.0.0.1:9050"), (.socksMode, "onion"), (.hostMode, "public"), (.requiredHostMode, "on"),
            (.smpProxy, "unknown"), (.smpProxyFallback, "protected"), (.tcpTimeout, "20"), (.retryPause, "500"),
        ] { try expected.set(key, to: text) }
        #expect(file.network == expected)
        #expect(file.network != HostNetwork())
        #expect(try BotsFile(parsing: "parley: 1\nprofiles: { a: {} }").network == HostNetwork())
    }

    @Test(arguments: [
        ("{ when: { pattern: \"\\bhi\" }, then: { send: x } }", "control-character"),
        ("{ when: { message: any }, then: { send: x } }, { when: { text: hi }, then: { send: x } }", "unreachable"),
        ("{ when: { message: text }, then: { send: x } }, { when: { message: text, contains: a }, then: { send: x } }", "unreachable"),
        ("{ when: { request: true }, then: { accept: true } }", "unreachable"),
        ("{ when: { reaction: 🐟 }, then: { send: x } }", "unreachable"),
    ])
    func whatIsProbablyNotMeantIsAWarningWithItsPlace(_ rules: String, _ code: String) throws {
        let file = try BotsFile(parsing: "parley: 1\nprofiles: { a: { rules: [ \(rules) ] } }")
        #expect(file.warnings.diagnostics.map(\.code.rawValue) == [code])
        #expect(file.warnings.description.hasPrefix("bots.yaml:2:") && file.warnings.description.contains(": warning: "))
    }

    @Test(arguments: [
        "{ when: { pattern: '\\bhi' }, then: { send: x } }",
        "{ when: { message: any }, then: { send: x }, continue: true }, { when: { text: hi }, then: { send: x } }",
        "{ when: { message: text }, then: { send: x } }, { when: { message: any }, then: { send: x } }",
        "{ when: { reaction: 👍 }, then: { send: x } }",
    ])
    func whatIsMeantIsNone(_ rules: String) throws {
        #expect(try BotsFile(parsing: "parley: 1\nprofiles: { a: { rules: [ \(rules) ] } }").warnings.diagnostics.isEmpty)
    }

    @Test func presetOperatorsAndTheirConditionsAreNamedInTheNetworkSection() throws {
        let file = try BotsFile(parsing: "parley: 1\nnetwork: { operators: preset, accept-conditions: yes }\nprofiles: { a: {} }")
        #expect(file.network.usesPresetOperators && file.network.acceptsConditions)
        let undecided = try BotsFile(parsing: "parley: 1\nnetwork: { operators: preset }\nprofiles: { a: {} }")
        #expect(undecided.network.usesPresetOperators && !undecided.network.acceptsConditions)
    }

    @Test func aWordThatIsNearlyRightIsNamed() throws {
        let error = try fault(in: "parley: 1\nnetwork: { smp-proxy: allways }\nprofiles: { a: {} }")
        #expect(error.description.contains("never, unknown, unprotected, always"))
        #expect(error.description.contains("did you mean \"always\"?"), "\(error)")
        #expect(error.description.contains("network.smp-proxy: \"allways\" is not one of"), "one sentence: \(error)")
    }

    @Test func allFaultsAreTold() throws {
        let error = try fault(
            in: """
                parley: 1
                profiles:
                  echo:
                    bio: [1]
                    adress: {}
                    rules:
                      - when: { mesage: any }
                        then: { relpy: x }
                """)
        #expect(error.diagnostics.map(\.code) == [.wrongType, .unknownKey, .unknownKey, .unknownKey])
    }

    @Test func anAliasBombIsRefused() throws {
        var source = "parley: 1\nx0: &a0 [1,1,1,1,1,1,1,1,1,1]\n"
        for level in 1..<9 {
            source += "x\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ","))]\n"
        }
        source += "profiles: { a: { rules: *a8 } }\n"
        let error = try fault(in: source)
        #expect(!error.diagnostics.isEmpty)
    }

    @Test func garbageNeverEndsTheProcess() {
        var generator = SplitMix64(seed: 7)
        let alphabet = Array("{}[]:-,&*!|>'\"%@` \n\tparleyprofiles12#?~")
        for _ in 0..<400 {
            let text = String((0..<Int.random(in: 0..<200, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? " " })
            #expect(throws: BotsFileError.self) { try BotsFile(parsing: text) }
        }
        for bracket in ["[", "{", "- ", "? ", "a: {"] {
            #expect(throws: BotsFileError.self) { try BotsFile(parsing: String(repeating: bracket, count: 20_000)) }
        }
        #expect(throws: BotsFileError.self) { try BotsFile(parsing: String(repeating: "a", count: BotsFile.maximumSize + 1)) }
    }

    private func fault(in source: String) throws -> BotsFileError {
        try #require(throws: BotsFileError.self) { try BotsFile(parsing: source) }
    }
}
