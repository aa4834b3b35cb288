import Parley
import ParleyRules
import Testing

@Suite struct RuleSetTests {
    @Test func theFirstRuleThatAppliesWins() throws {
        let rules = try ruleSet(
            """
            - id: exact
              when: { text: [hi, "good day"] }
              then: { reply: a }
            - id: part
              when: { contains: Price? }
              then: { reply: b }
            - id: number
              when: { pattern: "^(?P<n>\\\\d+)$" }
              then: { reply: "{{ match.n }}/{{ match.1 }}/{{ match }}" }
            - id: any
              when: { message: any }
              then: { reply: c }
            """)
        #expect(decided(rules, "  GOOD day ") == ["exact"])
        #expect(decided(rules, "what is the PRICE? tell me") == ["part"])
        #expect(decided(rules, "price") == ["any"])
        #expect(decided(rules, "42") == ["number"])
        #expect(decided(rules, "") == ["any"])
    }

    @Test func aCommandIsAnyTextBehindASlash() throws {
        let rules = try ruleSet(
            """
            - { id: ticket, when: { command: [new ticket, /Neues Ticket] }, then: { reply: "{{ command }}|{{ arguments }}" } }
            - { id: new, when: { command: new }, then: { reply: a } }
            - { id: plus, when: { command: "+" }, then: { reply: a } }
            - { id: divided, when: { command: "//" }, then: { reply: a } }
            """)
        for (text, rule) in [
            "/new ticket": "ticket", "/NEW Ticket: my printer": "ticket", "/'new ticket' x": "ticket", "/neues ticket": "ticket", "/new tickets": "new",
            "/new": "new", "/+": "plus", "/'+'": "plus", "//": "divided",
        ] { #expect(decided(rules, text) == [rule], "\(text)") }
        let decision = try #require(rules.decide(RuleInput(event: .message, kind: .text, text: "/New ticket my printer")).first)
        #expect(decision.command?.name == "new ticket" && decision.command?.arguments == "my printer")
    }

    @Test func whatOtherBotsWriteInGroupsIsForRulesThatModerateOrAskForIt() throws {
        let rules = try ruleSet(
            """
            - { id: links, when: { link: true, chat: group }, then: [ { moderate: true }, { reply: No links. } ] }
            - { id: weather, when: { bot: true, contains: degrees, chat: any }, then: { react: 👍 } }
            - { id: people, when: { message: any, not: { bot: true }, chat: any }, then: { reply: people } }
            - { id: chat, when: { message: any, chat: any }, then: { reply: hello } }
            """)
        func decided(_ text: String, _ kind: MessageKind = .text, isBot: Bool, in chat: ChatKinds = .groups) -> [String?] {
            var input = RuleInput(event: .message, kind: kind, text: text)
            (input.isFromBot, input.chat) = (isBot, chat)
            return rules.decide(input).map(\.rule.id)
        }
        #expect(decided("https://x.example", .link, isBot: true) == ["links"])
        #expect(decided("20 degrees", isBot: true) == ["weather"])
        // Two bots that answer each other would not end.
        #expect(decided("hi", isBot: true) == [] && decided("hi", isBot: false) == ["people"])
        #expect(decided("hi", isBot: true, in: .contacts) == ["chat"])
    }

    @Test func aRuleThatContinuesLetsOthersApplyToo() throws {
        let rules = try ruleSet(
            """
            - { id: a, when: { contains: x }, then: { react: 👍 }, continue: true }
            - { id: b, when: { message: text }, then: { reply: y } }
            - { id: c, when: { message: any }, then: { reply: z } }
            """)
        #expect(decided(rules, "x") == ["a", "b"])
        #expect(decided(rules, "y") == ["b"])
        #expect(rules.decide(RuleInput(event: .message, kind: .image, text: "")).map(\.rule.id) == ["c"])
    }

    @Test func aCommandIsMatchedByItsWordOnly() throws {
        let rules = try ruleSet("- { id: w, when: { command: weather }, then: { reply: \"{{ command }}: {{ arguments }}\" } }")
        #expect(decided(rules, "/Weather  Berlin ") == ["w"])
        #expect(decided(rules, "weather") == [])
        #expect(decided(rules, "/weatherman") == [])
        let decision = try #require(rules.decide(RuleInput(event: .message, kind: .text, text: "/Weather  Berlin ")).first)
        #expect(filled(decision) == "weather: Berlin")
    }

    @Test func whatIsFilledInIsNotReadAsATemplate() throws {
        let rules = try ruleSet("- { when: { message: any }, then: { reply: \"{{{{ {{ text }}\" } }")
        let decision = try #require(rules.decide(RuleInput(event: .message, kind: .text, text: "{{ bot.name }}")).first)
        #expect(filled(decision, text: "{{ bot.name }}") == "{{ {{ bot.name }}")
    }

    @Test func rulesOfOtherEventsDoNotApply() throws {
        let rules = try ruleSet(
            """
            - { id: hello, when: { connected: true }, then: { send: "Hello" } }
            - { id: heart, when: { reaction: [❤, 👍] }, then: { send: "{{ reaction }}" } }
            - { id: ask, when: { request: true }, then: { accept: true } }
            """)
        #expect(decided(rules, "hello") == [])
        #expect(rules.decide(RuleInput(event: .connected)).map(\.rule.id) == ["hello"])
        #expect(rules.decide(RuleInput(event: .reaction, emoji: "👍")).map(\.rule.id) == ["heart"])
        #expect(rules.decide(RuleInput(event: .reaction, emoji: "👎")).isEmpty)
        #expect(rules.decide(RuleInput(event: .request)).map(\.rule.id) == ["ask"])
    }

    @Test func aFileIsComparedByNameAndSize() throws {
        let rules = try ruleSet(
            """
            - { id: text, when: { file: { name: "*.TXT", smaller: 1kb } }, then: { save: own } }
            - { id: photo, when: { message: image, file: { name: [img_????.jpg, "*.png"], larger: 10b } }, then: { save: any } }
            - { id: other, when: { file: any }, then: { reply: no } }
            - { id: none, when: { message: any }, then: { reply: text } }
            """)
        func decided(_ kind: MessageKind, _ name: String?, _ size: Int64) -> String? {
            var input = RuleInput(event: .message, kind: kind)
            input.file = name.map { Attachment(name: $0, size: size) }
            return rules.decide(input).first?.rule.id
        }
        #expect(decided(.file, "a.b.txt", 1_023) == "text")
        #expect(decided(.file, "a.txt", 1_024) == "other")
        #expect(decided(.image, "IMG_0001.JPG", 11) == "photo")
        #expect(decided(.image, "IMG_01.JPG", 11) == "other")
        #expect(decided(.image, "x.png", 10) == "other")
        #expect(decided(.file, "x+txt", 5) == "other", "a dot is a dot")
        #expect(decided(.text, nil, 0) == "none")
    }

    @Test func theWriterIsComparedByTheNameOfATrustedContact() throws {
        let rules = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  a:
                    trusted-contacts: [ann, bob]
                    rules: [ { id: staff, when: { command: post, from: [ann, bob] }, then: { send: "{{ arguments }}" } } ]
                """
        ).profiles.map { try RuleSet($0.rules) }[0]
        for (sender, isTrusted, expected) in [("ann", true, ["staff"]), ("ann", false, []), ("cem", true, []), ("ann_1", true, []), ("", false, [])] {
            var input = RuleInput(event: .message, kind: .text, text: "/post hello")
            (input.sender, input.isTrusted) = (sender, isTrusted)
            #expect(rules.decide(input).compactMap(\.rule.id) == expected)
        }
        #expect(decided(rules, "/post hello") == [])
    }

    @Test(arguments: [
        "- { when: { file: { name: x, colour: red } }, then: { save: own } }", "- { when: { file: { larger: 5mb, smaller: 1mb } }, then: { save: own } }",
        "- { when: { file: { smaller: 9999999999999999999gb } }, then: { save: own } }", "- { when: { file: { smaller: -1 } }, then: { save: own } }",
        "- { when: { message: text, file: any }, then: { save: own } }", "- { when: { connected: true, file: any }, then: { send: x } }",
        "- { when: { message: any }, then: { send: { file: a, image: b } } }", "- { when: { message: any }, then: { send: { voice: a } } }",
        "- { when: { message: any }, then: { send: { file: a, seconds: 3 } } }", "- { when: { connected: true }, then: { save: own } }",
        "- { when: { message: any }, then: { save: yes } }", "- { when: { message: any }, then: { post: { channel: News } } }",
        "- { when: { reaction: any, from: ann }, then: { send: x } }",
    ])
    func aMistakeInARuleAboutFilesOrPostsIsToldWithItsPlace(_ rule: String) {
        let error = #expect(throws: BotsFileError.self) { _ = try ruleSet(rule) }
        #expect(error?.diagnostics.first?.position.line == 5)
    }

    @Test func relaysOfChannelsMustBeThere() throws {
        func profiles(_ text: String) throws { _ = try BotsFile(parsing: "parley: 1\nprofiles:\n" + text) }
        try profiles(
            "  r: { relay: true }\n  o: { channels: { news: { relays: [r, 'https://relay.example/r#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'] } } }\n")
        for text in [
            "  o: { channels: { news: { relays: r } } }\n", "  o: { channels: { news: { name: News } } }\n",
            "  a: { relay: true }\n  b: { relay: true }\n",
        ] { #expect(throws: BotsFileError.self) { try profiles(text) } }
    }

    @Test func aHundredRulesAndALongHostileTextAreNoTrouble() throws {
        let source = (0..<100).map { "- { id: r\($0), when: { pattern: \"(a+)+b\($0)$\" }, then: { reply: x } }" }.joined(separator: "\n")
        let rules = try ruleSet(source)
        let text = String(repeating: "a", count: 15_000)
        #expect(decided(rules, text) == [])
        #expect(decided(rules, text + "b99") == ["r99"])
    }

    private func ruleSet(_ rules: String) throws -> RuleSet {
        let indented = rules.split(separator: "\n").map { "      " + $0 }.joined(separator: "\n")
        let file = try BotsFile(parsing: "parley: 1\nprofiles:\n  bot:\n    rules:\n" + indented)
        return try RuleSet(#require(file.profiles.first).rules)
    }

    private func decided(_ rules: RuleSet, _ text: String) -> [String] {
        rules.decide(RuleInput(event: .message, kind: .text, text: text)).compactMap(\.rule.id)
    }

    private func filled(_ decision: RuleDecision, text: String = "") -> String? {
        guard let action = decision.rule.then.first, action.word == "reply", let template = action.template else { return nil }
        return template.filled(
            with: TemplateValues(
                botName: "Bot", contactName: "Ann", text: text, match: decision.match, command: decision.command))
    }
}
