import ChatAPI
import ChatProtocol
import EncryptedSQLite
import GRDB
import ParleyRules
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Messages that are read by others while they are typed: no handler takes half of a text for a message, and no rule is escaped by typing it.
@Suite(.timeLimit(.minutes(5))) struct LiveInputTests {
    private static let team = ChatReference.group(7)

    /// Notes messages, changes and texts that are being typed.
    private static func bot(_ log: EventLog<String>, looksAtTyping: Bool = false) -> Bot {
        Bot("Echo") {
            On(.command("price"), in: .groups) { log.add("price \($0.arguments)") }
            On(.text, in: .groups) { log.add("text \($0.text)") }
            On(.edited, in: .groups) { log.add("edited \($0.text)") }
            if looksAtTyping { On(.live, in: .groups) { log.add("live \($0.text)") } }
        }
    }

    @Test func aCommandIsOneOnlyWhenItIsFinished() async throws {
        let runner = try BotSessionRunner(), core = runner.core, log = EventLog<String>(), (group, bob) = try core.addGroup()
        try await runner.run(Self.bot(log)) { _, session in
            let id = core.beginTyping("/price", from: bob, in: group)
            for text in ["/price a", "/price ap"] { core.type(text, as: id, in: group) }
            core.receive("between", from: bob, in: group)
            try await eventually("the other message is handled") { log.all == ["text between"] }
            core.type("/price apples", as: id, in: group, isLive: false)
            try await eventually("the command is handled") { log.all.count == 2 }
            core.type("/price pears", as: id, in: group, isLive: false, isEdited: true)
            try await eventually("the change is handled") { log.all.count == 3 }
            await session.settle()
        }
        #expect(log.all == ["text between", "price apples", "edited /price pears"])
        #expect(try await runner.store.timers(.once, of: 1).isEmpty)
    }

    @Test func aMessageThatNobodyFinishesIsHandledWithItsLastTextAndThenChanged() async throws {
        let runner = try BotSessionRunner(), core = runner.core, log = EventLog<String>(), (group, bob) = try core.addGroup()
        try await runner.run(Self.bot(log)) { _, session in
            let id = core.beginTyping("h", from: bob, in: group)
            core.type("hello", as: id, in: group)
            await runner.pass(.seconds(60))
            try await eventually("it is handled") { log.all == ["text hello"] }
            core.type("hello you", as: id, in: group)
            core.type("hello you there", as: id, in: group, isLive: false)
            try await eventually("the changes are handled") { log.all.count == 3 }
        }
        #expect(log.all == ["text hello", "edited hello you", "edited hello you there"])
    }

    @Test func aTextThatGrowsIsWaitedForButNotForEver() async throws {
        let runner = try BotSessionRunner(), core = runner.core, log = EventLog<String>(), (group, bob) = try core.addGroup()
        try await runner.run(Self.bot(log, looksAtTyping: true)) { _, session in
            let id = core.beginTyping("0", from: bob, in: group)
            try await eventually("it is held back") { log.all == ["live 0"] }
            for minute in 1...9 {
                runner.clock.advance(by: .seconds(30))
                core.type("\(minute)", as: id, in: group)
                try await eventually("the text is looked at") { log.all.last == "live \(minute)" }
                runner.clock.advance(by: .seconds(30))
                await session.settleTimers()
            }
            #expect(!log.all.contains { $0.hasPrefix("text") })
            try await eventually("it is handled") {
                runner.clock.advance(by: .seconds(10))
                await session.settleTimers()
                return log.all.last == "text 9"
            }
        }
    }

    /// While the bots were stopped, one was finished and one was deleted; a third goes on.
    @Test func whatWasFinishedWhileTheBotsWereStoppedIsHandledAtTheStart() async throws {
        let runner = try BotSessionRunner(), core = runner.core, log = EventLog<String>(), (group, bob) = try core.addGroup()
        let ids = try await runner.run(Self.bot(log, looksAtTyping: true)) { _, _ in
            let ids = ["a", "b", "c"].map { core.beginTyping($0, from: bob, in: group) }
            // It moves the progress of the chat past them.
            core.receive("last", from: bob, in: group)
            try await eventually("all are seen") { log.all == ["live a", "live b", "live c", "text last"] }
            return ids
        }
        let later = try runner.restarted(after: .seconds(5)), second = EventLog<String>()
        later.core.type("/price apples", as: ids[0], in: group, isLive: false, announcing: false)
        later.core.delete(ids[1], in: group)
        try await later.run(Self.bot(second)) { _, session in
            try await eventually("it is handled") { second.all == ["price apples"] }
            later.core.type("cc", as: ids[2], in: group, isLive: false)
            try await eventually("the last is handled") { second.all.count == 2 }
        }
        #expect(second.all == ["price apples", "text cc"])
        #expect(try await runner.store.timers(.once, of: 1).isEmpty)
    }

    @Test func whatIsDeletedWhileItIsTypedIsNoMessage() async throws {
        let runner = try BotSessionRunner(), core = runner.core, log = EventLog<String>(), (group, bob) = try core.addGroup()
        try await runner.run(Self.bot(log)) { _, session in
            let id = core.beginTyping("/price x", from: bob, in: group)
            core.delete(id, in: group)
            await runner.pass(.seconds(60))
            await session.settleTimers()
        }
        #expect(log.all.isEmpty)
        #expect(try await runner.store.timers(.once, of: 1).isEmpty)
    }

    @Test func nobodyHoldsBackMoreThanABoundedNumber() async throws {
        let runner = try BotSessionRunner(), core = runner.core, log = EventLog<String>(), (group, bob) = try core.addGroup()
        try await runner.run(Self.bot(log)) { _, session in
            for number in 0...LiveHolds.maximumPerChat { _ = core.beginTyping("\(number)", from: bob, in: group) }
            try await eventually("the last is handled at once") { log.all == ["text \(LiveHolds.maximumPerChat)"] }
        }
    }

    @Test func aChangeOfAMessageThatNeverCameIsAMessage() async throws {
        let runner = try BotSessionRunner(), core = runner.core, log = EventLog<String>(), (group, bob) = try core.addGroup()
        try await runner.run(Self.bot(log)) { _, session in
            core.receive("first", from: bob, in: group)
            try await eventually("it is handled") { log.all == ["text first"] }
            let id = core.receive("", from: bob, in: group, announcing: false)
            core.type("/price apples", as: id, in: group, isLive: false, isEdited: true)
            try await eventually("it is handled as a message") { log.all.count == 2 }
        }
        #expect(log.all == ["text first", "price apples"])
    }

    @Test func aMentionThatIsTypedReachesTheBot() async throws {
        let runner = try BotSessionRunner(), core = runner.core, log = EventLog<String>(), (group, bob) = try core.addGroup()
        let bot = Bot("Echo") { On(.text && .mentionsBot, in: .groups) { log.add("text \($0.text)") } }
        try await runner.run(bot) { _, _ in
            let id = core.beginTyping("hey", from: bob, in: group)
            core.type("hey @Echo", as: id, in: group, isLive: false) { $0.mentions = ["Echo": ItemMention(memberID: group.membership.memberID)] }
            try await eventually("it is handled") { log.all == ["text hey @Echo"] }
        }
    }

    @Test func anAwaitedReplyIsTheFinishedText() async throws {
        let runner = try BotSessionRunner(), core = runner.core, log = EventLog<String>(), (group, bob) = try core.addGroup()
        let bot = Bot("Asker") {
            On(.text("go"), in: .groups) { message in
                log.add("answer \(try await message.sendAndWait("how many?", within: .seconds(600)).text)")
            }
            On(.text, in: .groups) { log.add("text \($0.text)") }
        }
        try await runner.run(bot) { _, _ in
            core.receive("go", from: bob, in: group)
            await core.waitForSent(1, to: 7)
            let id = core.beginTyping("1", from: bob, in: group)
            core.type("12", as: id, in: group, isLive: false)
            try await eventually("the answer is taken") { !log.all.isEmpty }
        }
        #expect(log.all == ["answer 12"])
    }

    // MARK: Rules

    private static func guardBot(_ rules: String) throws -> Bot {
        let file = try BotsFile(parsing: "parley: 1\nprofiles:\n  guard:\n    rules:\n" + rules)
        return try #require(try file.makeBots().first)
    }

    private static let links = """
              - { id: links, when: { link: true, chat: group }, then: { moderate: true } }
              - { id: hello, when: { contains: hello, chat: group }, then: { reply: "hi" } }

        """

    @Test func aLinkIsModeratedWhileItIsTypedAndTheMessageIsDoneWith() async throws {
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        let id = try await runner.run(try Self.guardBot(Self.links)) { _, session in
            let id = core.beginTyping("hello", from: bob, in: group)
            core.type("hello https://bad.example", as: id, in: group)
            await core.waitForCommand("/_delete member item #7 \(id)")
            await session.settle()
            core.type("hello", as: id, in: group, isLive: false)
            await session.settle()
            return id
        }
        #expect(core.groupCommands.filter { $0.hasPrefix("/_delete") } == ["/_delete member item #7 \(id)"])
        #expect(core.sent(to: Self.team).isEmpty)
    }

    @Test func aLinkThatComesWithTheEndIsModerated() async throws {
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        try await runner.run(try Self.guardBot(Self.links)) { _, _ in
            let id = core.beginTyping("n", from: bob, in: group)
            core.type("now https://bad.example", as: id, in: group, isLive: false)
            await core.waitForCommand("/_delete member item #7 \(id)")
        }
    }

    @Test func aRuleAppliesToAMessageOnceHoweverOftenItsTextChanges() async throws {
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        let rules = """
                  - { id: links, when: { link: true, chat: group }, then: [ { warn: true }, { send: "no links" } ] }
                  - { id: hello, when: { contains: hello, chat: group }, then: { send: "hi" } }

            """
        try await runner.run(try Self.guardBot(rules)) { profiles, session in
            let id = core.beginTyping("hello https://a.example", from: bob, in: group)
            for text in ["hello https://a.example/x", "hello https://a.example/xy"] { core.type(text, as: id, in: group) }
            core.type("hello https://a.example/xyz", as: id, in: group, isLive: false)
            core.receive("hello", from: bob, in: group)
            await core.waitForSent(2, to: 7)
            await session.settle()
            let record = try await profiles[0].client.state(ModerationRecord.self, of: .chat(Self.team))
            #expect(record.cases.map(\.rule) == ["links"])
        }
        #expect(core.sent(to: Self.team) == ["no links", "hi"])
        #expect(try await runner.store.database.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM state WHERE scope LIKE 'live/%'") } == 0)
    }

    @Test func aMessageCountsOnceForRates() async throws {
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        let rules = """
                  - { id: flood, when: { rate: "> 3 in 10s", chat: group }, then: [ { warn: true }, { send: "slowly" } ] }
                  - { id: long, when: { rate: { of: "> 20 in 10s", count: characters }, chat: group }, then: [ { warn: true }, { send: "shorter" } ] }
                  - { id: all, when: { message: any, chat: group }, then: { send: "seen" } }

            """
        try await runner.run(try Self.guardBot(rules)) { _, session in
            let id = core.beginTyping("a", from: bob, in: group)
            for text in ["ab", "abc", "abcd", "abcde"] { core.type(text, as: id, in: group) }
            core.type("abcdefghij", as: id, in: group, isLive: false)
            await core.waitForSent(1, to: 7)
            let other = core.beginTyping("a", from: bob, in: group)
            core.type("abcdefghijk", as: other, in: group, isLive: false)
            await core.waitForSent(2, to: 7)
            await session.settle()
        }
        #expect(core.sent(to: Self.team) == ["seen", "shorter"])
    }

    @Test func manyMessagesThatAreNeverFinishedAreAFlood() async throws {
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        let rules = "      - { id: flood, when: { rate: \"> 3 in 10s\", chat: group }, then: { block: true } }\n"
        try await runner.run(try Self.guardBot(rules)) { _, _ in
            for _ in 1...4 { _ = core.beginTyping("x", from: bob, in: group) }
            await core.waitForCommand("/_block #7 4 blocked=on")
        }
    }
}
