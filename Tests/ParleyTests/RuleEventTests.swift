import ChatAPI
import ChatProtocol
import ParleyRules
import TestSupport
import Testing

@testable import Parley

/// Events that rules are tried for, and those that are none for them.
@Suite(.timeLimit(.minutes(5))) struct RuleEventTests {
    /// Runs a bot with rules that tell Staff what they see, and a text that ends the test.
    ///
    /// - Returns: what Staff was told.
    private func told(_ rules: [String], _ happen: @Sendable (ScriptedCore, Contact) throws -> Void) async throws -> [String] {
        let all = rules + ["{ when: { text: end }, then: { tell: { chat: staff, text: the end } } }"]
        let file = try BotsFile(parsing: "parley: 1\nprofiles:\n  bot:\n    trusted-contacts: staff\n    rules:\n" + all.map { "      - \($0)\n" }.joined())
        let runner = try BotSessionRunner(), core = runner.core, ann = try core.add(contact: 4, name: "ann")
        try core.add(contact: 5, name: "staff", link: "staff")
        try await runner.run(try #require(try file.makeBots().first)) { _, session in
            try happen(core, ann)
            core.receive("end", from: ann)
            await core.waitForSent(1, to: 5)
            try await eventually("the end is told") { core.sent(to: 5).last == "the end" }
            await session.settle()
        }
        return core.sent(to: 5).dropLast()
    }

    @Test(
        arguments: [
            (.sendNew, nil), (.sent(progress: .partial), nil), (.sent(progress: .complete), nil), (.sendReceived(receipt: .ok, progress: .partial), nil),
            (.sendReceived(receipt: .ok, progress: .complete), "delivered: hello"), (.sendWarning(error: .quota), nil),
            (.sendErrorAuth, "failed: hello, the recipient's queue does not exist any more"),
            (.sendError(error: .auth), "failed: hello, the recipient's queue does not exist any more"),
            (.sendError(error: .quota), "failed: hello, the recipient's queue is full"),
            (.sendError(error: .expired), "failed: hello, no attempt succeeded in time"), (.invalid(text: "?"), nil),
        ] as [(ItemStatus, String?)])
    func aDeliveryIsToldWhenItIsTheLastWord(_ status: ItemStatus, _ expected: String?) async throws {
        let rules = [
            "{ when: { delivered: true }, then: { tell: { chat: staff, text: \"delivered: {{ text }}\" } } }",
            "{ when: { delivery-failed: true }, then: { tell: { chat: staff, text: \"failed: {{ text }}, {{ error }}\" } } }",
        ]
        let told = try await told(rules) { core, ann in
            var item = ScriptedCore.item(77, .sentMessage(content: .text("hello")), .directSent, "hello")
            item.meta.status = status
            let news = item
            core.publish { .chatItemsStatusesUpdated(user: $0, chatItems: [ItemInChat(chatInfo: .direct(contact: ann), chatItem: news)]) }
        }
        #expect(told == [expected].compactMap(\.self))
    }

    @Test func aReactionCountsWhenItIsAddedAndNotWhenItIsTakenBack() async throws {
        let rules = [
            "{ when: { reaction: 👍 }, then: { tell: { chat: staff, text: \"{{ contact.name }} likes it\" } } }",
            "{ when: { reaction: any }, then: { tell: { chat: staff, text: other } } }",
        ]
        let told = try await told(rules) { core, ann in
            let item = ScriptedCore.item(50, .sentMessage(content: .text("news")), .directSent, "news")
            for (emoji, isAdded) in [("👍", true), ("👍", false), ("😀", false), ("😀", true), ("👍", true)] {
                let reaction = ItemReaction(
                    direction: .directReceived, chatItem: item, sentAt: ScriptedCore.time, reaction: .emoji(try #require(ReactionEmoji(emoji))))
                core.publish {
                    .chatItemReaction(user: $0, added: isAdded, reaction: ReactionInChat(chatInfo: .direct(contact: ann), chatReaction: reaction))
                }
            }
        }
        #expect(told == ["ann likes it", "other", "ann likes it"])
    }

    /// The reaction of the bot itself, and what it deletes and edits, are no events for it.
    @Test func whatTheBotDoesItselfIsNoEvent() async throws {
        let rules = ["edited: true", "deleted: true", "reaction: any"].map { "{ when: { \($0) }, then: { tell: { chat: staff, text: \"\($0)\" } } }" }
        let told = try await told(rules) { core, ann in
            let item = ScriptedCore.item(50, .sentMessage(content: .text("news")), .directSent, "news")
            let entry = ItemInChat(chatInfo: .direct(contact: ann), chatItem: item)
            core.publish { .chatItemUpdated(user: $0, chatItem: entry) }
            let reaction = ItemReaction(
                direction: .directSent, chatItem: item, sentAt: ScriptedCore.time, reaction: .emoji(try #require(ReactionEmoji("👍"))))
            core.publish { .chatItemReaction(user: $0, added: true, reaction: ReactionInChat(chatInfo: .direct(contact: ann), chatReaction: reaction)) }
            core.publish { .chatItemsDeleted(user: $0, deletions: [ChatItemDeletion(deletedChatItem: entry)], byUser: true, timed: false) }
        }
        #expect(told == [])
    }
}
