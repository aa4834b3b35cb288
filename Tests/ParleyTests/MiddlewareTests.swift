import ChatAPI
import ChatProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Parley

@Suite("Handlers") struct MiddlewareTests {
    @Test("are surrounded by the middleware above them, the first outermost, and only when they run") func order() async throws {
        let log = Mutex<[String]>([])
        @Sendable func note(_ name: String) -> Use {
            Use { call, next in
                log.withLock { $0.append("\(name) \(call.message?.text ?? "") \(call.tags.sorted().joined(separator: ","))") }
                try await next()
            }
        }
        let bot = Bot("Order") {
            Use.beforeMatching { call, next in
                log.withLock { $0.append("before \(call.message?.text ?? "") \(call.handler)") }
                if call.message?.text != "blocked" { try await next() }
            }
            On(.text("above")) { try await $0.send("above") }
            note("outer")
            Handlers {
                note("inner")
                On(.text("in")) { try await $0.send("in") }.tagged("a", "b")
            }
            On(.text("below")) { try await $0.send("below") }
        }
        let sent = try await BotSessionRunner.answers(to: ["above", "in", "blocked", "below", "nothing"], of: bot)
        #expect(sent == ["above", "in", "below"])
        // The first event is that the contact is connected.
        #expect(
            log.withLock(\.self) == [
                "before  ", "before above ", "before in ", "outer in a,b", "inner in a,b", "before blocked ", "before below ", "outer below ",
                "before nothing ",
            ])
    }

    @Test("that fall through leave the event to those below") func fallThrough() async throws {
        let bot = Bot("Through") {
            On(.anyMessage) { try await $0.send("seen") }.fallThrough()
            On(.text("hi")) { try await $0.send("hello") }
            On(.anyMessage) { try await $0.send("else") }
        }
        #expect(try await BotSessionRunner.answers(to: ["hi", "x"], of: bot) == ["seen", "hello", "seen", "else"])
    }

    @Test("of a block that catches have their errors answered there") func catching() async throws {
        let bot = Bot("Catch") {
            Handlers(catching: { error, call in try await call.message?.reply("sorry: \(error)") }) {
                On(.text("fail")) { _ in throw Problem.known }
            }
            On(.anyMessage) { try await $0.send("fine") }
        }
        #expect(try await BotSessionRunner.answers(to: ["fail", "x"], of: bot) == ["sorry: known", "fine"])
    }

    @Test("are limited by person, and say so once") func limit() async throws {
        let bot = Bot("Limit") {
            Use(.limit(2, per: .seconds(10)) { try await $0.message?.reply("slower") })
            On(.anyMessage) { try await $0.send($0.text) }
        }
        #expect(try await BotSessionRunner.answers(to: ["1", "2", "3", "4"], of: bot) == ["1", "2", "slower"])
    }

    @Test("of timers run whatever a person has used up of a limit") func limitAndTimers() async throws {
        let bot = Bot("Limit") {
            Use(.limit(2, per: .seconds(600)))
            On(.command("later", .duration("when"))) { try await $0.schedule("later", after: $0.arguments) }
            On(.scheduled("later")) { try await $0.send("later") }
            On(.anyMessage) { try await $0.send($0.text) }
        }
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(bot) { _, session in
            for text in ["/later 60s", "one", "two"] { core.receive(text, from: ann) }
            await core.waitForSent(1, to: 4)
            await session.settle()
            await runner.pass(.seconds(60))
            await core.waitForSent(2, to: 4)
        }
        #expect(core.sent(to: 4) == ["one", "later"])
    }

    @Test("are chosen by filters that are combined") func filters() async throws {
        let bot = Bot("Filters") {
            On(.text && .contains("a") && !.contains("b")) { try await $0.send("a without b") }
            On(.text("x") || .command("x")) { try await $0.send("x") }
            On(.text && (.contains("b") || .isCommand)) { try await $0.send("b or command") }
        }
        #expect(try await BotSessionRunner.answers(to: ["a", "ab", "x", "/x", "/y"], of: bot) == ["a without b", "b or command", "x", "x", "b or command"])
    }

    @Test("with arguments read them, and answer what they cannot read with the usage") func arguments() async throws {
        enum Size: String, CaseIterable { case small, large }
        let bot = Bot("Arguments") {
            On(.command("order", "Order", .integer("count", in: 1...9), .choice("size", of: Size.self), .optional(.rest("note")))) { call in
                let (count, size, note) = call.arguments
                try await call.reply("\(count) \(size) \(note ?? "-")")
            }
            On(.command("name", .word("first"), .word("last").withDefault("?"))) { call in
                try await call.reply("\(call.arguments.0)|\(call.arguments.1)")
            }
        }
        let sent = try await BotSessionRunner.answers(
            to: [
                "/order 2 Large  with ice ", "/order 2 large", "/order 12 large", "/order", "/order 1 huge", "/name \"Ann Lee\" Cole", "/name Ann",
                "/name a b c",
            ], of: bot)
        let usage = "\nUsage: /order <count> <size> [note]"
        #expect(
            sent == [
                "2 large with ice", "2 large -", "\"12\" is not a whole number from 1 to 9" + usage, "count is missing" + usage,
                "\"huge\" is not one of small, large" + usage, "Ann Lee|Cole", "Ann|?", "\"c\" is too much\nUsage: /name <first> [last]",
            ])
    }

    @Test("have a help with the commands of the chat") func help() async throws {
        let bot = Bot("Help") {
            On.help("I add numbers.")
            On(.command("add", "Add two numbers", .number("a"), .number("b"))) { _ in }
            On(.command("ban", "Ban somebody"), in: .groups) { _ in }
            On(.command("hidden")) { _ in }
        }
        #expect(try await BotSessionRunner.answers(to: ["/help"], of: bot) == ["I add numbers.\n\n/help – Show what I can do\n/add <a> <b> – Add two numbers"])
        #expect(bot.menu.map(\.keyword) == ["help", "add"])
    }

    @Test("that can never run are told before the bot starts") func validation() {
        let bot = Bot("Faults") {
            On(.command("a")) { _ in }
            On(.command("A"), where: { $0.text.count > 3 }) { _ in }
            On(.command("b"), where: { $0.text.count > 3 }) { _ in }
            On(.command("b")) { _ in }
            On(.anyMessage) { _ in }.fallThrough()
            On(.anyMessage) { _ in }
            On(.text("hidden")) { _ in }
            On(.text("not hidden"), in: .groups) { _ in }
            On(.every(.seconds(5), "poll")) { _ in }
            On(.cron("0 9 * * *", "poll")) { _ in }
            On(.cron("0 9 * *", "bad")) { _ in }
        }
        let messages = bot.validationErrors.map(\.message)
        #expect(messages.count == 4)
        #expect(messages.contains { $0.contains("four fields") || $0.contains("4 fields") })
        #expect(messages.contains { $0.hasPrefix("the command /a has a handler at") })
        #expect(messages.contains { $0.contains("takes every message before this one can") })
        #expect(messages.contains { $0.contains("is called \"poll\" too") })
    }

    @Test("that take all of a kind hide those below them that are about nothing else") func hiddenHandlers() {
        let bot = Bot("Faults") {
            On(.text) { _ in }
            On(.command("a")) { _ in }
            On(.command("b", .integer("n"))) { _ in }
            On.help("I do nothing.")
            On(.text("ping")) { _ in }
            On(.text && .mentionsBot) { _ in }
            On(.content(.image, .video)) { _ in }
            On(.content(.video)) { _ in }
        }
        #expect(bot.validationErrors.count == 6)
        #expect(bot.validationErrors.allSatisfy { $0.message.hasSuffix("takes every message of its kind before this one can: put it below") })
    }

    @Test("of contact requests need an address that leaves the decision to them") func requestHandlers() {
        for (address, count) in [(BotAddress.automatic(welcome: nil), 1), (.none, 1), (.business(welcome: nil), 1), (.manual(welcome: nil), 0)] {
            let bot = Bot("Doorman", address: address) { On(.contactRequest) { _ in } }
            #expect(bot.validationErrors.count == count)
            #expect(bot.validationErrors.allSatisfy { $0.message.contains("address: .manual") && $0.line > 1 })
        }
        var bot = Bot("Relay") {}
        bot.answersChannelInvitation = { _ in .accept }
        #expect(bot.validationErrors.map(\.message).first?.hasPrefix("Relay answers invitations to relay and is not a relay") == true)
        bot.isRelay = true
        #expect(bot.validationErrors == [])
    }

    @Test("that leave something to those below them hide none") func reachableHandlers() {
        let bot = Bot("No faults") {
            On(.text) { _ in }.fallThrough()
            On(.text && .fromOwner) { _ in }
            On(.text, where: { $0.text.isEmpty }) { _ in }
            On(.text || .content(.image), in: .groups) { _ in }
            On(.command("a")) { _ in }
            On(.content(.image)) { _ in }
            // Another bot's message passes the one above.
            On(.command("a"), in: .groups) { _ in }.includingBots()
            On(.content(.image, .file)) { _ in }
            On(.text) { _ in }
            // It is looked for in captions, too.
            On(.matches("a+")) { _ in }
            On(.anyMessage, in: .all) { _ in }
            On(.report) { _ in }
        }
        #expect(bot.validationErrors == [])
    }

    @Test("answer another bot, but not without an end") func botLoop() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        var robot = try ScriptedCore.contact(4, "robot")
        robot.profile.peerType = .bot
        core.state.withLock { [robot] in $0.contacts.append(robot) }
        let bot = Bot("Echo") { On(.text) { try await $0.send($0.text) } }
        try await runner.run(bot) { [robot] _, session in
            for number in 1...50 { core.receive("\(number)", from: robot) }
            await core.waitForSent(20, to: 4)
            await session.settle()
        }
        #expect(core.sent(to: 4).count == 20)
    }

    private enum Problem: Error { case known }
}

@Suite("A running bot") struct BotClientTests {
    @Test("sends outside of handlers, once for a key, and through another bot") func sending() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        let bot = Bot("News", id: "news") {
            On(.started) { start in try await start.client.send("hello", to: .direct(4), onceAs: "hello") }
            On(.text("through")) { message in try await message.client.other("news")?.send("other", to: .direct(4)) }
        }
        try await runner.run(bot) { profiles, _ in
            await core.waitForSent(1, to: 4)
            for _ in 1...3 { try await profiles[0].client.send("news", to: .direct(4), onceAs: "news/1") }
            core.receive("through", from: ann)
            await core.waitForSent(3, to: 4)
            await #expect(throws: (any Error).self) { try await profiles[0].client.send("x", to: .direct(99)) }
        }
        let later = try runner.restarted()
        try await later.run(bot) { _, session in await session.settle() }
        #expect(later.core.sent(to: 4) == ["hello", "news", "other"])
    }

    @Test("sends a broadcast to every chat once, and goes on with it after a restart") func broadcast() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let everybody = try (1...5).map { try core.add(contact: ContactID($0), name: "person \($0)") }
        let bot = Bot("News", id: "news") { On(.text("x")) { _ in } }
        try await runner.run(bot) { profiles, _ in
            let client = profiles[0].client
            let chats = everybody.map { ChatReference.direct($0.contactID) } + [.direct(99)]
            for _ in 1...2 { try await client.broadcast("news", to: chats, onceAs: "monday") }
            try await eventually("it is finished") { try await client.broadcastProgress("monday")?.isFinished == true }
            #expect(try await client.broadcastProgress("monday") == BroadcastProgress(total: 6, sent: 5, failed: 1))
            #expect(try await client.broadcastProgress("tuesday") == nil)
        }
        for number in 1...5 { #expect(core.sent(to: ContactID(Int64(number))) == ["news"]) }
        // As a process leaves it that dies after the third chat.
        let later = try runner.restarted(), key = StateKey(scope: "broadcast/wednesday", name: "parley.broadcast")
        var half = BroadcastRecord(text: "more", chats: (1...5).map { "@\($0)" })
        half.sent = 3
        let stored = try half.stored()
        _ = try await later.store.update(key, of: 1) { _ in (stored, 0) }
        try await later.store.apply([.set(TimerRecord(id: 0, userID: 1, kind: .once, name: "parley.broadcast", key: "wednesday", due: later.now))], of: 1)
        try await later.run(bot) { profiles, _ in
            try await eventually("it is finished") { try await profiles[0].client.broadcastProgress("wednesday")?.isFinished == true }
        }
        #expect((1...5).map { later.core.sent(to: ContactID(Int64($0))).count } == [1, 1, 1, 2, 2])
    }

    @Test("sends nothing more of a broadcast that is cancelled, also after a restart") func cancelledBroadcast() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let chats = try (1...3).map { ChatReference.direct(try core.add(contact: ContactID($0), name: "person \($0)").contactID) }
        let bot = Bot("News", id: "news") { On(.text("x")) { _ in } }, key = StateKey(scope: "broadcast/monday", name: "parley.broadcast")
        var half = BroadcastRecord(text: "news", chats: chats.map { "\($0)" })
        half.sent = 1
        let stored = try half.stored()
        _ = try await runner.store.update(key, of: 1) { _ in (stored, 0) }
        try await runner.run(bot) { profiles, _ in
            let client = profiles[0].client, cancelled = BroadcastProgress(total: 3, sent: 1, failed: 0, isCancelled: true)
            let monday = try await client.cancelBroadcast("monday"), tuesday = try await client.cancelBroadcast("tuesday")
            #expect(monday == cancelled && tuesday == nil)
            let again = try await client.broadcast("news", to: chats, onceAs: "monday")
            #expect(again == cancelled)
        }
        let later = try runner.restarted()
        try await later.store.apply([.set(TimerRecord(id: 0, userID: 1, kind: .once, name: "parley.broadcast", key: "monday", due: later.now))], of: 1)
        try await later.run(bot) { _, session in await session.settle() }
        #expect(later.core.sent(to: 2) == [] && later.core.sent(to: 3) == [])
    }
}
