import ChatAPI
import ChatProtocol
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Parley

@Suite struct HostSessionTests {
    @Test func aBotGetsAProfileAnAddressAndItsMenu() async throws {
        let core = ScriptedCore()
        let bot = Bot("Squaring", bio: "Numbers", address: .automatic(welcome: "Hi")) {
            On(.command("square", "Square a number", parameters: "<number>")) { _ in }
            On(.command("quiet")) { _ in }
        }
        let reports = try await running([bot], on: core) { $0 }
        #expect(reports.map(\.name) == ["Squaring"])
        #expect(reports.first?.shortAddress == "https://simplex.chat/a#1")
        let user = try #require(core.state.withLock(\.users).first)
        #expect(user.profile.peerType == .bot)
        #expect(user.profile.preferences?.commands == [.command(keyword: "square", label: "Square a number", params: "<number>")])
        let settings = try #require(core.state.withLock(\.links)[1]).addressSettings
        #expect(settings.autoAccept == AutoAccept(acceptIncognito: false))
        #expect(settings.autoReply == .text("Hi"))
    }

    @Test func startingAgainMakesNothingTwice() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger)
        let bot = Bot("Echo", id: "echo") { On(.text) { _ in } }
        _ = try await running([bot], on: core, store: store) { _ in }
        var renamed = bot
        renamed.profile.name = "Parrot"
        _ = try await running([renamed], on: core.restarted(), store: store) { _ in }
        let users = core.restarted().state.withLock(\.users)
        #expect(users.count <= 1)
    }

    /// A start took time that grew with the square of the number of bots when each of them asked for all profiles.
    @Test func aStartAsksForAllProfilesOnceHoweverManyBotsThereAre() async throws {
        let core = ScriptedCore(), bots = (1...8).map { number in Bot("Bot \(number)") { On(.text) { _ in } } }
        func lists() -> Int { core.state.withLock { $0.commands.count { if case .users(.list) = $0 { true } else { false } } } }
        let few = ScriptedCore()
        _ = try await running([bots[0]], on: few) { _ in }
        let expected = few.state.withLock { $0.commands.count { if case .users(.list) = $0 { true } else { false } } }
        _ = try await running(bots, on: core) { _ in }
        #expect(expected > 0 && lists() == expected)
    }

    @Test func aMessageIsAnsweredByTheFirstHandlerThatMatches() async throws {
        let core = ScriptedCore()
        let bot = Bot("Echo") {
            On(.text("ping")) { try await $0.send("pong") }
            On(.matches("^([0-9]+)$")) { message in try await message.send("number \(message.match?[1] ?? "")") }
            On(.command("help")) { try await $0.send("helping with \($0.arguments)") }
            On(.text, where: { $0.text.count > 10 }) { try await $0.send("long") }
            On(.anyMessage) { try await $0.send("else") }
        }
        _ = try await running([bot], on: core) { _ in
            let ann = try core.add(contact: 4, name: "ann")
            for text in [" PING ", "42", "/Help me", "a rather long text", "short"] { core.receive(text, from: ann) }
            await core.waitForSent(5, to: 4)
        }
        #expect(core.sent(to: 4) == ["pong", "number 42", "helping with me", "long", "else"])
    }

    @Test func aHandlerThatThrowsHurtsNothingElse() async throws {
        let core = ScriptedCore()
        let bot = Bot("Echo") {
            On(.text("fail")) { _ in throw Failure() }
            On(.text) { try await $0.send($0.text) }
        }
        _ = try await running([bot], on: core) { _ in
            let ann = try core.add(contact: 4, name: "ann")
            for text in ["a", "fail", "b"] { core.receive(text, from: ann) }
            await core.waitForSent(2, to: 4)
        }
        #expect(core.sent(to: 4) == ["a", "b"])
    }

    @Test func whatWasNotHandledBeforeACrashIsHandledAtTheNextStart() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger)
        let greeted = Mutex<[String]>([])
        let bot = Bot("Echo") {
            On(.connected) { contact in greeted.withLock { $0.append(contact.name) } }
            On(.text) { try await $0.send("re: " + $0.text) }
        }
        let ann = try core.add(contact: 4, name: "ann")
        _ = try await running([bot], on: core, store: store) { _ in
            core.publish { .contactConnected(user: $0, contact: ann, customUserProfile: nil) }
            core.receive("1", from: ann)
            await core.waitForSent(1, to: 4)
        }
        // The process is gone; the core stores two messages and a new contact that nobody is told about.
        let again = core.restarted()
        again.receive("2", from: ann, announcing: false)
        again.receive("3", from: ann, announcing: false)
        try again.add(contact: 5, name: "bob")
        _ = try await running([bot], on: again, store: store) { _ in await again.waitForSent(3, to: 4) }
        #expect(again.sent(to: 4) == ["re: 1", "re: 2", "re: 3"])
        #expect(greeted.withLock(\.self) == ["ann", "bob"])
    }

    @Test(arguments: [1, 2, 99, 100, 101, 350]) func alsoTheFirstMessagesOfAChatAreHandledAfterACrash(_ count: Int) async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger)
        let bot = Bot("Echo", id: "echo") { On(.text) { try await $0.send("re: " + $0.text) } }
        let ann = try core.add(contact: 4, name: "ann")
        _ = try await running([bot], on: core, store: store) { _ in }
        // The bot knows of no item of the chat yet.
        let again = core.restarted(), texts = (1...count).map { "\($0)" }
        for text in texts { again.receive(text, from: ann, announcing: false) }
        _ = try await running([bot], on: again, store: store) { _ in await again.waitForSent(count, to: 4) }
        #expect(again.sent(to: 4) == texts.map { "re: " + $0 })
    }

    @Test(arguments: [1, 3, 250]) func afterACrashMessagesAreHandledAlthoughThoseHandledLastHaveBeenDeleted(_ count: Int) async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger)
        let bot = Bot("Echo", id: "echo") { On(.text) { try await $0.send("re: " + $0.text) } }
        let ann = try core.add(contact: 4, name: "ann")
        let handled = try await running([bot], on: core, store: store) { _ in
            let handled = Set((1...150).map { core.receive("early \($0)", from: ann) })
            await core.waitForSent(150, to: 4)
            return handled
        }
        let again = core.restarted(), texts = (1...count).map { "\($0)" }
        // Some of those before them are still there.
        again.remove(Set(handled.sorted().suffix(120)), of: ann)
        for text in texts { again.receive(text, from: ann, announcing: false) }
        _ = try await running([bot], on: again, store: store) { _ in await again.waitForSent(150 + count, to: 4) }
        #expect(again.sent(to: 4).suffix(count) == texts.map { "re: " + $0 }[...])
        #expect(again.sent(to: 4).count == 150 + count)
    }

    @Test func aChatThatCannotBeReadAtTheStartIsReadLaterBeforeWhatIsAnnounced() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger)
        let bot = Bot("Echo", id: "echo") { On(.text) { try await $0.send("re: " + $0.text) } }
        let ann = try core.add(contact: 4, name: "ann")
        _ = try await running([bot], on: core, store: store) { _ in }
        let again = core.restarted()
        for text in ["1", "2"] { again.receive(text, from: ann, announcing: false) }
        again.state.withLock { $0.unreadablePages = 3 }
        _ = try await running([bot], on: again, store: store) { _ in
            again.receive("3", from: ann)
            await again.waitForSent(3, to: 4)
        }
        #expect(again.sent(to: 4) == ["re: 1", "re: 2", "re: 3"])
    }

    @Test func aHandlerThatRunsAgainSendsNothingTwice() async throws {
        let core = ScriptedCore()
        let bot = Bot("Echo") {
            On(.text) { message in
                try await message.send("first")
                try await message.reply("second")
            }
        }
        let ann = try core.add(contact: 4, name: "ann")
        _ = try await running([bot], on: core) { _ in
            core.receive("hello", from: ann)
            await core.waitForSent(2, to: 4)
        }
        // A store that remembers nothing stands for a crash before the progress was written.
        let store = try BotStateStore(path: nil, logger: Self.logger)
        try await store.setUserID(1, of: "Echo")
        let again = core.restarted()
        _ = try await running([bot], on: again, store: store) { _ in
            again.receive("more", from: ann)
            await again.waitForSent(4, to: 4)
        }
        #expect(again.sent(to: 4) == ["first", "second", "first", "second"])
    }

    @Test func aFloodInOneChatLosesNothingAndKeepsItsOrder() async throws {
        let core = ScriptedCore()
        let bot = Bot("Echo") { On(.text) { try await $0.send($0.text) } }
        let texts = (1...2000).map { "\($0)" }
        _ = try await running([bot], on: core) { _ in
            let ann = try core.add(contact: 4, name: "ann")
            for text in texts { core.receive(text, from: ann) }
            await core.waitForSent(texts.count, to: 4)
        }
        #expect(core.sent(to: 4) == texts)
    }

    @Test func editsDeletionsReactionsAndRequestsReachTheirHandlers() async throws {
        let core = ScriptedCore()
        let log = Mutex<[String]>([])
        let gate = Gate()
        let bot = Bot("Echo", address: .manual(welcome: nil)) {
            On(.edited) { edit in log.withLock { $0.append("edited \(edit.text)") } }
            On(.deleted) { deletion in log.withLock { $0.append("deleted \(deletion.items.count)") } }
            On(.reaction("👍")) { reaction in log.withLock { $0.append("reaction \(reaction.emoji)") } }
            On(.text("end")) { _ in gate.open() }
        }
        _ = try await running([bot], on: core) { _ in
            let ann = try core.add(contact: 4, name: "ann")
            var item = ScriptedCore.item(50, .receivedMessage(content: .text("new")), .directReceived, "new")
            item.meta.isEdited = true
            let entry = ItemInChat(chatInfo: .direct(contact: ann), chatItem: item)
            core.publish { .chatItemUpdated(user: $0, chatItem: entry) }
            let emoji = try #require(ReactionEmoji("👍"))
            for added in [true, false] {
                let reaction = ItemReaction(direction: .directReceived, chatItem: item, sentAt: ScriptedCore.time, reaction: .emoji(emoji))
                core.publish { .chatItemReaction(user: $0, added: added, reaction: ReactionInChat(chatInfo: .direct(contact: ann), chatReaction: reaction)) }
            }
            core.publish { .chatItemsDeleted(user: $0, deletions: [ChatItemDeletion(deletedChatItem: entry)], byUser: false, timed: false) }
            core.receive("end", from: ann)
            await gate.wait()
        }
        #expect(log.withLock(\.self) == ["edited new", "reaction 👍", "deleted 1"])
    }

    @Test func aHandlerSeesTheChatsAsTheEventHasMadeThem() async throws {
        let core = ScriptedCore()
        let seen = Mutex<[String]>([])
        let bot = Bot("Echo") {
            On(.text) { message in
                let overview = try #require(await message.chat.summary())
                let total = await message.chats.unreadCount
                seen.withLock { $0.append("\(overview.preview), \(overview.unreadCount) of \(total) unread") }
                try await message.chat.markRead()
                let sent = try await message.send("answer to \(message.text)")
                #expect(await message.chats.summary(named: message.chat.name)?.lastItem?.id == sent.item.id)
                #expect(try await message.chat.items(.last(2)).map(\.meta.text) == [message.text, "answer to \(message.text)"])
            }
        }
        _ = try await running([bot], on: core) { profiles in
            let ann = try core.add(contact: 4, name: "ann"), bob = try core.add(contact: 5, name: "bob")
            core.receive("1", from: ann)
            await core.waitForSent(1, to: 4)
            core.receive("2", from: bob)
            await core.waitForSent(1, to: 5)
            let chats = try #require(profiles.first).chats
            #expect(Set(await chats.all.map(\.name)) == ["ann", "bob"])
            #expect(await chats.summary(of: .direct(9)) == nil)
            await #expect(throws: ChatCoreError.self) { try await chats.items(of: .direct(9)) }
        }
        #expect(seen.withLock(\.self) == ["1, 1 of 1 unread", "2, 1 of 1 unread"])
    }

    @Test func theHistoryOfAChatIsItsMessagesAndNothingElse() async throws {
        let core = ScriptedCore()
        let seen = Mutex<[[String]]>([])
        let bot = Bot("Echo") {
            On(.text("recap")) { message in
                let histories = [try await message.history(3), try await message.history(), try await message.chat.history(2)]
                for count in [0, -1, Int.min] { #expect(try await message.history(count).isEmpty) }
                seen.withLock { $0 = histories.map { $0.map { ($0.isReceived ? "" : "bot: ") + $0.text } } }
                try await message.send("done")
            }
            On(.text) { try await $0.send("re \($0.text)") }
        }
        _ = try await running([bot], on: core) { _ in
            let ann = try core.add(contact: 4, name: "ann")
            let feature = ItemContent.receivedChatFeature(feature: .voice, enabled: PreferenceEnabled(forUser: true, forContact: true), parameter: nil)
            for id: Int64 in 1...5 { core.store(ScriptedCore.item(ChatItemID(id), feature, .directReceived, "Voice messages: on"), of: ann) }
            for number in 1...2 {
                core.receive("\(number)", from: ann)
                await core.waitForSent(number, to: 4)
            }
            core.receive("recap", from: ann)
            await core.waitForSent(3, to: 4)
        }
        #expect(seen.withLock(\.self) == [["bot: re 1", "2", "bot: re 2"], ["1", "bot: re 1", "2", "bot: re 2"], ["bot: re 2", "recap"]])
    }

    @Test func changesOfTheChatsAreTold() async throws {
        let core = ScriptedCore()
        let bot = Bot("Echo") { On(.text) { _ in } }
        _ = try await running([bot], on: core) { profiles in
            let ann = try core.add(contact: 4, name: "ann")
            var changes = try #require(profiles.first).chats.changes().makeAsyncIterator()
            core.receive("1", from: ann)
            #expect(await changes.next() == [.direct(4)])
        }
    }

    @Test func aFaultInAHandlerIsToldWithItsPlace() throws {
        let bot = Bot("Echo") {
            On(.matches("a(b")) { _ in }
            On(.command("two words'")) { _ in }
        }
        #expect(bot.validationErrors.count == 2)
        let fault = try #require(bot.validationErrors.first)
        #expect(fault.description.contains("HostSessionTests.swift:"))
        #expect(fault.description.contains("missing )"))
    }

    // MARK: Parts

    private struct Failure: Error {}

    @Test func aMutedProfileHandlesNothingAndDoesNotCatchUpOnMessagesLater() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger)
        let greeted = Mutex<[String]>([])
        let bot = Bot("Echo", id: "echo") {
            On(.connected) { contact in greeted.withLock { $0.append(contact.name) } }
            On(.text) { try await $0.send("re: " + $0.text) }
        }
        let ann = try core.add(contact: 4, name: "ann")
        _ = try await running([bot], on: core, store: store) { _ in
            core.receive("before", from: ann)
            await core.waitForSent(1, to: 4)
            core.mute(true)
            core.receive("muted", from: ann)
            let bob = try core.add(contact: 5, name: "bob")
            core.publish { .contactConnected(user: $0, contact: bob, customUserProfile: nil) }
            core.mute(false)
            core.receive("after", from: ann)
            await core.waitForSent(2, to: 4)
        }
        let again = core.restarted()
        again.receive("later", from: ann, announcing: false)
        _ = try await running([bot], on: again, store: store) { _ in await again.waitForSent(3, to: 4) }
        #expect(again.sent(to: 4) == ["re: before", "re: after", "re: later"])
        #expect(greeted.withLock(\.self) == ["ann"])
    }

    @Test func aMutedProfileHandlesEventsWhereTheBotIsSetUpSo() async throws {
        let core = ScriptedCore()
        var bot = Bot("Echo", id: "echo") { On(.text) { try await $0.send("re: " + $0.text) } }
        bot.handlesEventsWhenMuted = true
        let ann = try core.add(contact: 4, name: "ann")
        _ = try await running([bot], on: core) { _ in
            core.mute(true)
            core.receive("muted", from: ann)
            await core.waitForSent(1, to: 4)
        }
        #expect(core.sent(to: 4) == ["re: muted"])
    }

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs bots on a core until the body has ended.
    func running<Result: Sendable>(
        _ bots: [Bot], on core: ScriptedCore, store: BotStateStore? = nil,
        _ body: @Sendable ([HostReady.Profile]) async throws -> Result
    ) async throws -> Result {
        let store = try store ?? BotStateStore(path: nil, logger: Self.logger)
        let session = HostSession(core: core, bots: bots, store: store, maxConcurrentHandlers: 8, logger: Self.logger, clock: ImpatientClock())
        let result = try await session.running { profiles in
            let result = try await body(profiles)
            await session.settle()
            core.finish()
            return result
        }
        try await store.flush()
        return result
    }
}

extension ScriptedCore {
    /// The same core after its process was started again: what was stored is there, subscriptions are not.
    func restarted() -> ScriptedCore {
        let core = ScriptedCore()
        let kept = state.withLock(\.self)
        core.state.withLock { $0 = kept }
        return core
    }

    /// Mutes the first profile, or ends that; events from now on show it so.
    func mute(_ isMuted: Bool) { state.withLock { $0.users[0].showsNotifications = !isMuted } }
}
