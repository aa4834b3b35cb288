import ChatAPI
import ChatProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Parley

@Suite("A message that is waited for", .timeLimit(.minutes(5))) struct SendAndWaitTests {
    private static func quiz() -> Bot {
        Bot("Quiz") {
            On(.command("quiz"), in: [.contacts, .groups]) { message in
                do {
                    let answer = try await message.sendAndWait("How much is 2 and 2?", within: .seconds(45))
                    try await answer.send(answer.text == "4" ? "Right." : "Wrong.")
                } catch let error as ReplyError {
                    try await message.send(error.code.rawValue)
                }
            }
            On(.text, in: [.contacts, .groups]) { try await $0.send("re: \($0.text)") }
        }
    }

    @Test("comes to the handler that holds the queue of its chat, and to no other") func sameChat() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.quiz()) { _, _ in
            core.receive("/quiz", from: ann)
            await core.waitForSent(1, to: 4)
            core.receive("4", from: ann)
            core.receive("more", from: ann)
            await core.waitForSent(3, to: 4)
        }
        #expect(core.sent(to: 4) == ["How much is 2 and 2?", "Right.", "re: more"])
        // It counts as handled.
        let later = try runner.restarted()
        try await later.run(Self.quiz()) { _, session in await session.settle() }
        #expect(later.core.sent(to: 4) == ["How much is 2 and 2?", "Right.", "re: more"])
    }

    @Test("that is in the queue already is taken from it") func queued() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.quiz()) { _, _ in
            for text in ["/quiz", "5", "/quiz", "4", "more"] { core.receive(text, from: ann) }
            await core.waitForSent(5, to: 4)
        }
        #expect(core.sent(to: 4) == ["How much is 2 and 2?", "Wrong.", "How much is 2 and 2?", "Right.", "re: more"])
    }

    @Test("is that of the person, not of others in the group, and quotes the question or nothing") func correlation() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let (team, bob) = try core.addGroup()
        var eve = bob
        eve.groupMemberID = 99
        let other = eve
        try await runner.run(Self.quiz()) { _, _ in
            core.receive("/quiz", from: bob, in: team)
            await core.waitForSent(1, to: 7)
            core.receive("5", from: other, in: team)
            core.receive("about another thing", from: bob, in: team) { item in
                item.quotedItem = ItemQuote(itemID: 1, sentAt: ScriptedCore.time, content: .text("earlier"))
            }
            core.receive("4", from: bob, in: team)
            await core.waitForSent(4, to: 7)
        }
        #expect(core.sent(to: .group(7)) == ["How much is 2 and 2?", "Right.", "re: 5", "re: about another thing"])
    }

    @Test("that does not come in time ends the wait with an error") func timeout() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.quiz()) { _, _ in
            core.receive("/quiz", from: ann)
            await core.waitForSent(1, to: 4)
            await runner.clock.waitForSleeper(.seconds(45) ... .seconds(45))
            runner.clock.advance(by: .seconds(45))
            await core.waitForSent(2, to: 4)
            core.receive("4", from: ann)
            await core.waitForSent(3, to: 4)
        }
        #expect(core.sent(to: 4) == ["How much is 2 and 2?", "reply.timedOut", "re: 4"])
    }

    @Test("of another chat is waited for without holding it up, and by one call at a time") func otherChat() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann"), ben = try core.add(contact: 5, name: "ben")
        let bot = Bot("Desk") {
            On(.command("ask")) { message in
                do {
                    let answer = try await message.client.sendAndWait("Free?", to: .direct(5), within: .seconds(60))
                    try await message.send("Ben: \(answer.text)")
                    try await answer.reply("Thanks.")
                } catch let error as ReplyError {
                    try await message.send(error.code.rawValue)
                }
            }
            On(.text) { try await $0.send("re: \($0.text)") }
        }
        let eve = try core.add(contact: 6, name: "eve")
        try await runner.run(bot) { _, _ in
            core.receive("/ask", from: ann)
            await core.waitForSent(1, to: 5)
            core.receive("/ask", from: eve)
            await core.waitForSent(1, to: 6)
            core.receive("yes", from: ben)
            await core.waitForSent(1, to: 4)
            core.receive("anything else?", from: ben)
            await core.waitForSent(3, to: 5)
        }
        #expect(core.sent(to: 4) == ["Ben: yes"])
        #expect(core.sent(to: 6) == ["reply.busy"])
        #expect(core.sent(to: 5) == ["Free?", "Thanks.", "re: anything else?"])
    }

    @Test("is found again when the handler that waits is run again") func restart() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: HostSessionTests.logger)
        let runner = try BotSessionRunner(core: core, store: store)
        let ann = try core.add(contact: 4, name: "ann")
        // The process died when both were stored, and nothing was handled.
        try await runner.run(Bot("Quiz", id: "Quiz") { On(.command("never")) { _ in } }) { _, _ in }
        core.receive("/quiz", from: ann, announcing: false)
        core.receive("4", from: ann, announcing: false)
        let later = try runner.restarted()
        try await later.run(Self.quiz()) { _, _ in await later.core.waitForSent(2, to: 4) }
        #expect(later.core.sent(to: 4) == ["How much is 2 and 2?", "Right."])
    }

    @Test("is left to the handlers if the question cannot be sent") func refusedQuestion() async throws {
        let runner = try BotSessionRunner(), core = runner.core, gate = Gate()
        let ann = try core.add(contact: 4, name: "ann")
        let bot = Bot("Quiz") {
            On(.command("quiz")) { message in
                await gate.wait()
                let error = await #expect(throws: ChatCoreError.self) { _ = try await message.sendAndWait("How much is 2 and 2?") }
                try await message.send("\(error?.code.rawValue ?? "")")
            }
            On(.text) { try await $0.send("re: \($0.text)") }
        }
        try await runner.run(bot) { _, session in
            core.state.withLock { $0.failures = [ChatCoreError(.unsupported, "no")] }
            for text in ["/quiz", "5"] { core.receive(text, from: ann) }
            try await eventually("5 is in the queue") { await session.status().profiles.first?.waiting == 1 }
            gate.open()
            try await eventually("both are handled") { await session.status().running == 0 }
        }
        #expect(core.sent(to: 4) == ["core.unsupported", "re: 5"])
    }

    @Test("cannot be waited for longer than ten minutes") func limit() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        try core.add(contact: 4, name: "ann")
        try await runner.run(Self.quiz()) { profiles, _ in
            let client = try #require(profiles.first?.client)
            await #expect(throws: ReplyError.self) { _ = try await client.sendAndWait("?", to: .direct(4), within: .seconds(601)) }
        }
        #expect(core.sent(to: 4).isEmpty)
    }
}
