import ChatAPI
import ChatProtocol
import Foundation
import Parley
import ParleyTesting
import Testing

@testable import ParleyRules

/// Rules in front of messages that were received, beside what a bot with the same rules did.
@Suite(.timeLimit(.minutes(5))) struct RuleReplayTests {
    private static let rules = """
        parley: 1
        profiles:
          guard:
            groups: { lobby: { name: Lobby } }
            rules:
              - id: links
                when: { link: true, chat: group }
                then: [ { warn: true }, { reply: "{{ member.name }} of {{ group.name }} has {{ points }}" } ]
              - { id: warned, when: { warned: ">= 2" }, then: { send: "that is {{ points }}" } }
              - { id: once, when: { message: any, chat: group }, then: { send: "Welcome, {{ member.name }}." }, once: person, continue: true }
              - { id: flood, when: { rate: "> 2 in 1h", chat: group }, then: { send: slow down } }
              - { id: price, when: { pattern: "price of (?P<thing>\\\\w+)" }, then: { reply: "{{ match.thing }}, {{ contact.name }}?" } }
        """

    /// All messages of a bot in the order in which they came.
    private func messages(of client: BotClient) async throws -> [ReplayedMessage] {
        var entries: [ItemInChat] = []
        for overview in await client.chats.all {
            guard let chat = await client.chat(overview.reference) else { continue }
            entries += try await chat.items(.last(100)).map { ItemInChat(chatInfo: chat.info, chatItem: $0) }
        }
        return entries.sorted { $0.chatItem.id < $1.chatItem.id }.compactMap { ReplayedMessage($0, trusted: []) }
    }

    private func sent(by client: BotClient) async throws -> [String] {
        var items: [ChatItem] = []
        for overview in await client.chats.all {
            guard let chat = await client.chat(overview.reference) else { continue }
            items += try await chat.items(.last(100)).filter { item in
                if case .sentMessage = item.content { true } else { false }
            }
        }
        return items.sorted { $0.id < $1.id }.map(\.meta.text)
    }

    @Test func aReplayDoesWhatTheBotDid() async throws {
        let file = try BotsFile(parsing: Self.rules)
        try await withBots(file.makeBots()) { room in
            let ann = try await room.person("Ann"), ben = try await room.person("Ben")
            for person in [ann, ben] { try await person.join(group: "lobby") }
            try await ann.say("the price of tea?")
            try await room.settle()
            for (person, text) in [(ann, "hello"), (ann, "https://a.example"), (ben, "hi"), (ann, "https://b.example"), (ann, "and a third")] {
                try await person.say(text, in: "Lobby")
                try await room.settle()
            }
            let client = try room.bot("guard"), profile = try #require(file.profiles.first)
            var replay = RuleReplay(try RuleSet(profile.rules, lists: file.lists), bot: profile.name)
            let outcomes = try await messages(of: client).map { replay.take($0) }
            #expect(outcomes.count == 6)
            let said = outcomes.flatMap(\.actions).filter(\.isText).compactMap(\.detail)
            #expect(said == (try await sent(by: client)))
            #expect(said.contains("tea, Ann?") && said.contains("Ann of Lobby has 2") && said.contains("that is 2") && said.contains("slow down"), "\(said)")
            #expect(said.count { $0.hasPrefix("Welcome") } == 2)
        }
    }

    @Test func outcomesAreComparedByWhatPeopleSee() {
        func outcome(_ rule: String, _ word: String, _ detail: String?, isAudit: Bool = false) -> RuleReplay.Outcome {
            RuleReplay.Outcome(rules: [rule], actions: [PlannedAction(rule: rule, word: word, detail: detail, isAudit: isAudit)])
        }
        #expect(outcome("a", "reply", "x").hasSameEffects(as: outcome("b", "reply", "x")))
        #expect(!outcome("a", "reply", "x").hasSameEffects(as: outcome("a", "reply", "y")))
        #expect(!outcome("a", "moderate", nil).hasSameEffects(as: outcome("a", "moderate", nil, isAudit: true)))
        #expect(outcome("a", "moderate", nil, isAudit: true).hasSameEffects(as: RuleReplay.Outcome()))
    }
}
