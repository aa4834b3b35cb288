import ChatAPI
import Parley
import ParleyRules
import ParleyTesting
import Testing

/// A rule about the relays of a channel.
@Suite(.timeLimit(.minutes(5))) struct RelayConversationTests {
    private static let file = """
        parley: 1
        profiles:
          relay: { name: Relay, relay: true }
          owner:
            trusted-contacts: [ann]
            channels: { news: { name: News, relays: relay } }
            rules:
              - { id: on, when: { relay: active }, then: { tell: { chat: ann, text: "{{ member.name }} serves {{ group.name }}" } } }
              - { id: off, when: { relay: [left, refused] }, then: { tell: { chat: ann, text: "{{ member.name }} does not serve {{ group.name }}" } } }
            tests:
              - { relay: left, group: News, name: Relay, expect: off, replies: Relay does not serve News }
              - { relay: active, expect: on }
              - { relay: refused, expect: off }
        """

    @Test func aRelayThatLeavesIsTold() async throws {
        let file = try BotsFile(parsing: Self.file)
        let owner = try #require(file.profiles.last)
        for test in owner.tests { #expect(test.run(try RuleSet(owner.rules), bot: "owner").isEmpty) }
        try await withBots(try file.makeBots()) { room in
            let ann = try await room.person("Ann", trustedAs: "ann", with: "owner")
            let served = try #require(await room.bot("relay").groups.channels.first)
            try await room.bot("relay").execute(.groups(.leave(served.id)))
            try await ann.expect("Relay does not serve News")
        }
    }

    @Test(arguments: [
        ("when: { relay: gone }, then: { tell: { chat: ann, text: x } }", "cannot be"), ("when: { relay: left }, then: { send: x }", "tell"),
        ("when: { relay: left }, then: { reply: x }", "tell"), ("when: { relay: left }, then: { post: { channel: News, text: x } }", "tell"),
        ("when: { relay: left, words: [x] }, then: { tell: { chat: ann, text: x } }", "looks at a text"),
        ("when: { relay: left, role: member }, then: { tell: { chat: ann, text: x } }", "does not go with"),
        ("when: { relay: left, member: left }, then: { tell: { chat: ann, text: x } }", "one event"),
        ("when: { relay: left, from: ann }, then: { tell: { chat: ann, text: x } }", "who wrote"),
        ("when: { relay: left }, then: { tell: { chat: ann, text: \"{{ text }}\" } }", "no text"),
        ("when: { relay: left }, then: { moderate: true }", "no message"), ("when: { relay: left }, then: { block: true }", "no member"),
    ])
    func whatDoesNotGoWithARelayIsRefused(_ rule: String, _ words: String) {
        let source =
            "parley: 1\nprofiles:\n  r: { relay: true }\n  a:\n    trusted-contacts: ann\n    channels: { n: { name: News, relays: r } }\n    rules:\n      - { \(rule) }\n"
        let error = #expect(throws: BotsFileError.self) { try BotsFile(parsing: source) }
        #expect(
            error?.diagnostics.contains { ($0.message + ($0.hint ?? "")).contains(words) && $0.position.line == 8 } == true, "\(error.map { "\($0)" } ?? "")")
    }
}
