import ChatAPI
import ChatProtocol
import Foundation
import Logging
import ParleyRules
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import Parley

/// What an orderly stop, and a crash, leave to the next start.
@Suite(.timeLimit(.minutes(5))) struct InterruptionTests {
    @Test func aHandlerThatTheStopInterruptsRunsAgainAndSendsNothingTwice() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger)
        let isStopping = Mutex(true)
        let bot = Bot("Echo", id: "echo") {
            On(.text("slow")) { message in
                try await message.send("begun")
                if isStopping.withLock(\.self) { try await suspendUntilCancelled() }
                try await message.send("done")
            }
            On(.text) { try await $0.send("re: \($0.text)") }
        }
        let ann = try core.add(contact: 4, name: "ann")
        try await run([bot], on: core, store, stoppingWithin: .zero) {
            core.receive("slow", from: ann)
            await core.waitForSent(1, to: 4)
            core.receive("behind", from: ann)
        }
        #expect(core.sent(to: 4) == ["begun"])
        isStopping.withLock { $0 = false }
        let again = core.restarted()
        try await run([bot], on: again, store, stoppingWithin: .seconds(600)) { await again.waitForSent(3, to: 4) }
        #expect(again.sent(to: 4) == ["begun", "done", "re: behind"])
    }

    @Test func aHandlerThatThrowsACancellationOfItsOwnHasHandledTheMessage() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger)
        let runs = Mutex(0)
        let bot = Bot("Echo", id: "echo") {
            On(.text("cancel")) { _ in
                runs.withLock { $0 += 1 }
                throw CancellationError()
            }
            On(.text) { try await $0.send("re: \($0.text)") }
        }
        let ann = try core.add(contact: 4, name: "ann")
        for isFirst in [true, false] {
            let core = isFirst ? core : core.restarted()
            try await run([bot], on: core, store, stoppingWithin: .seconds(600)) {
                core.receive(isFirst ? "cancel" : "more", from: ann)
                core.receive("then", from: ann)
                await core.waitForSent(isFirst ? 1 : 3, to: 4)
            }
        }
        #expect(runs.withLock(\.self) == 1)
    }

    @Test func anInterruptedGreetingIsRepeated() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger)
        let greeted = Mutex(0), begun = Gate()
        let bot = Bot("Echo", id: "echo") {
            On(.connected) { _ in
                greeted.withLock { $0 += 1 }
                begun.open()
                if greeted.withLock(\.self) == 1 { try await suspendUntilCancelled() }
            }
        }
        try core.add(contact: 4, name: "ann")
        try await run([bot], on: core, store, stoppingWithin: .zero) { await begun.wait() }
        for _ in 1...2 { try await run([bot], on: core.restarted(), store, stoppingWithin: .seconds(600)) {} }
        #expect(greeted.withLock(\.self) == 2)
    }

    @Test func aHandlerThatHasDeletedTheMessageRunsAgainAndPunishesOnce() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger)
        let isStopping = Mutex(true), begun = Gate()
        let bot = Bot("Guard", id: "guard") {
            On(.text, in: .groups) { message in
                try await message.moderate()
                try await message.member?.warn(evidence: message.text)
                try await message.member?.moderate(.block)
                try await message.member?.setRole(.observer)
                begun.open()
                if isStopping.withLock(\.self) { try await suspendUntilCancelled() }
                try await message.send("\(message.text): \(try await message.member?.warningPoints() ?? 0) of \(try await message.group?.cases().count ?? 0)")
            }
        }
        let (group, bob) = try core.addGroup()
        try await run([bot], on: core, store, stoppingWithin: .zero) {
            core.receive("casino", from: bob, in: group)
            await begun.wait()
        }
        isStopping.withLock { $0 = false }
        // Another moderator was faster: there is nothing left to handle.
        let moderator = bob
        core.receive("seen by others", from: bob, in: group, announcing: false) { $0.meta.deleted = .moderated(deletedAt: nil, byMember: moderator) }
        let again = core.restarted()
        try await run([bot], on: again, store, stoppingWithin: .seconds(600)) { await again.waitForSent(1, to: 7) }
        #expect(again.sent(to: .group(7)) == ["casino: 1 of 2"])
        let commands = again.groupCommands.filter { command in !["/_members", "/_groups", "/_get"].contains { command.hasPrefix($0) } }
        #expect(commands.count == 3 && Set(commands).count == 3, "\(commands)")
    }

    @Test func aBroadcastThatTheStopInterruptsBetweenTwoAttemptsLeavesNobodyOut() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger), clock = ManualClock()
        let bot = Bot("News", id: "news") {
            On(.text("go")) { try await $0.client.broadcast("news", to: [.direct(4), .direct(5)], onceAs: "monday") }
        }
        let ann = try core.add(contact: 4, name: "ann")
        try core.add(contact: 5, name: "ben")
        core.state.withLock { $0.failures = [SendingTests.timeout] }
        try await run([bot], on: core, store, clock: clock, stoppingWithin: .zero) {
            core.receive("go", from: ann)
            await clock.waitForSleeper(.seconds(1) ... .seconds(1))
        }
        clock.advance(by: .seconds(3_600))
        let again = core.restarted()
        try await run([bot], on: again, store, stoppingWithin: .seconds(600)) { await again.waitForSent(1, to: 5) }
        #expect(again.sent(to: 4) == ["news"] && again.sent(to: 5) == ["news"])
    }

    /// The second message of the end waits for the pace of the bot when the bots stop.
    @Test func theEndOfAFormThatTheStopInterruptsIsToldAtTheNextStart() async throws {
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  shop:
                    trusted-contacts: cook
                    pace: { chat: off, profile: { burst: 1, per-second: 0.001 } }
                    rules: [ { when: { command: order }, then: { form: order } } ]
                    forms:
                      order:
                        questions: [ { name: size, ask: Which size? } ]
                        done: [ { send: Thank you. }, { tell: { chat: cook, text: "{{ contact.name }}: {{ form.size }}" } } ]
                """)
        let bots = try file.makeBots()
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger), clock = ManualClock()
        let ann = try core.add(contact: 4, name: "ann")
        try core.add(contact: 5, name: "cook", link: "cook")
        try await run(bots, on: core, store, clock: clock, stoppingWithin: .zero) {
            core.receive("/order", from: ann)
            await core.waitForSent(1, to: 4)
            core.receive("30", from: ann)
            await core.waitForSent(2, to: 4)
        }
        clock.advance(by: .seconds(3_600))
        #expect(core.sent(to: 5) == [])
        let again = core.restarted()
        try await run(bots, on: again, store, stoppingWithin: .seconds(600)) {}
        #expect(again.sent(to: 4) == ["Which size?", "Thank you."] && again.sent(to: 5) == ["ann: 30"])
    }

    @Test func theAnswerToAQuestionFromBeforeTheStopIsRight() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger), isStopping = Mutex(true)
        let bot = Bot("Door", id: "door") {
            On(.memberPending) { newcomer in
                try await newcomer.ask(Captcha())
                if isStopping.withLock(\.self) { try await suspendUntilCancelled() }
            }
            On.captchaAnswers
        }
        let (group, bob) = try core.addGroup()
        var newcomer = bob
        newcomer.status = .pendingReview
        newcomer.supportChat = GroupSupportChat(chatTimestamp: ScriptedCore.time, unread: 1, memberAttention: 1, mentions: 0)
        let pending = newcomer, support = ChatInfo.group(groupInfo: group, scope: .memberSupport(groupMember: pending))
        core.state.withLock { state in
            state.groups[0].membersRequireAttention = 1
            state.members[0] = pending
        }
        try await run([bot], on: core, store, stoppingWithin: .zero) {
            core.receive(.receivedGroupEvent(event: .newMemberPendingReview), from: pending, in: support)
            await core.waitForSent(1, to: 7)
        }
        isStopping.withLock { $0 = false }
        let chat = ChatReference.group(7, scope: .memberSupport(4)), question = try #require(core.sent(to: chat).first)
        let answer = try #require(Self.answer(to: question))
        let again = core.restarted()
        @Sendable func isAccepted(_ core: ScriptedCore) -> Bool { core.groupCommands.contains { $0.hasPrefix("/_accept member #7 4") } }
        try await run([bot], on: again, store, stoppingWithin: .seconds(600)) {
            again.receive(.receivedMessage(content: .text("\(answer)")), from: pending, in: support, text: "\(answer)")
            try await eventually("the answer is judged") { isAccepted(again) || again.sent(to: chat).count > 1 }
        }
        #expect(isAccepted(again))
        #expect(again.sent(to: chat) == [question], "it is asked once")
    }

    /// The sum that a question asks for: a number in a word and one in digits.
    private static func answer(to question: String) -> Int? {
        guard let match = question.firstMatch(of: /([a-z]+) plus (\d+)/), let digits = Int(match.2) else { return nil }
        let words = NumberFormatter()
        words.numberStyle = .spellOut
        words.locale = Locale(identifier: "en_US")
        return words.number(from: String(match.1)).map { $0.intValue + digits }
    }

    // MARK: Crashes

    @Test(arguments: [(ProcessEnd.crash, 3), (.kill, 9)])
    func whatSeveralProcessesDiedOfIsNotHandledUntilSomebodyWantsItAndTheRestGoesOn(_ end: ProcessEnd, _ ends: Int) async throws {
        let folder = try TemporaryFolder()
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger)
        let bot = Bot("Echo", id: "echo") { On(.text) { try await $0.send("re: \($0.text)") } }
        let ann = try core.add(contact: 4, name: "ann")
        // The profile is made, so that the messages that come while no bot runs are its.
        try await run([bot], on: core, store, folder, stoppingWithin: .seconds(600)) {}
        let poison = core.receive("poison", from: ann, announcing: false)
        core.receive("next", from: ann, announcing: false)
        let name = HandlerEventName(.message, poison.rawValue, in: "\(ChatReference.direct(4))", of: 1)
        for number in 1...ends {
            let crashes = HandlerCrashTracker(table: try folder.table(), store: store)
            _ = try await crashes.load(logger: Self.logger)
            #expect(!crashes.isSetAside(name), "after \(number - 1)")
            // As a process that dies in the middle.
            _ = try folder.table().begin(try #require(name.key))
            if end == .crash { try folder.crash() }
        }
        let fourth = core.restarted()
        try await run([bot], on: fourth, store, folder, stoppingWithin: .seconds(600)) { await fourth.waitForSent(1, to: 4) }
        #expect(fourth.sent(to: 4) == ["re: next"])
        let entry = try #require(try await store.quarantined().first)
        #expect(entry.event == name && !entry.isToBeRetried)
        #expect(try await !store.retryQuarantined(entry.id + 1))
        #expect(try await store.retryQuarantined(entry.id))
        let fifth = fourth.restarted()
        try await run([bot], on: fifth, store, folder, stoppingWithin: .seconds(600)) { await fifth.waitForSent(2, to: 4) }
        #expect(fifth.sent(to: 4) == ["re: next", "re: poison"])
        #expect(try await store.quarantined().isEmpty)
        let sixth = fifth.restarted()
        try await run([bot], on: sixth, store, folder, stoppingWithin: .seconds(600)) {}
        #expect(sixth.sent(to: 4).count == 2)
    }

    @Test func whatWasInFlightBesideTheCulpritIsHandledAloneAndCleared() async throws {
        let folder = try TemporaryFolder()
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: Self.logger)
        let running = Mutex(0), most = Mutex(0)
        let bot = Bot("Echo", id: "echo") {
            On(.text) { message in
                let now = running.withLock { running in
                    running += 1
                    return running
                }
                most.withLock { $0 = max($0, now) }
                for _ in 1...20 { await Task.yield() }
                running.withLock { $0 -= 1 }
                try await message.send("re: \(message.text)")
            }
        }
        try await run([bot], on: core, store, folder, stoppingWithin: .seconds(600)) {}
        let table = try folder.table()
        for id: Int64 in 1...6 {
            let contact = try core.add(contact: ContactID(id), name: "person\(id)")
            let item = core.receive("hello", from: contact, announcing: false)
            _ = table.begin(try #require(HandlerEventName(.message, item.rawValue, in: "\(ChatReference.direct(ContactID(id)))", of: 1).key))
        }
        let again = core.restarted()
        try await run([bot], on: again, store, folder, stoppingWithin: .seconds(600)) {
            for id: Int64 in 1...6 { await again.waitForSent(1, to: ContactID(id)) }
        }
        #expect(most.withLock(\.self) == 1, "suspects are handled one after the other")
        #expect(try await store.count(died: [], by: .kill, at: Date()).suspects.isEmpty)
        #expect(try folder.table().leftBehind.isEmpty)
    }

    @Test func namesOfEventsAreReadAsTheyWereWritten() throws {
        let events = [
            HandlerEventName(.message, 1 << 40, in: "@12", of: 3), HandlerEventName(.connected, 5, in: "@5", of: UserID(.max)),
            HandlerEventName(.request, -1, in: "request -1", of: 0),
        ]
        for event in events { #expect(HandlerEventName(try #require(event.key)) == event) }
        #expect(HandlerEventName(try #require(InFlightKey([1, 2, 3]))) == nil)
        #expect(HandlerEventName(try #require(InFlightKey([9] + [UInt8](repeating: 0, count: 20)))) == nil)
    }

    // MARK: Parts

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs bots until the body has ended, and stops them then.
    private func run(
        _ bots: [Bot], on core: ScriptedCore, _ store: BotStateStore, _ folder: TemporaryFolder? = nil, clock: any Clock<Duration> = ImpatientClock(),
        stoppingWithin limit: Duration, _ body: @Sendable () async throws -> Void
    ) async throws {
        let session = HostSession(
            core: core, bots: bots, store: store, maxConcurrentHandlers: 8, logger: Self.logger, inFlight: try folder?.table(), clock: clock)
        try await session.running { _ in
            try await body()
            if limit > .zero { await session.settle() }
            await session.drain(within: limit)
            core.finish()
        }
        try await store.flush()
    }
}

extension TemporaryFolder {
    fileprivate func table() throws -> InFlightTable { try InFlightTable(path: self("bots.inflight"), slots: 8) }

    /// Sets the byte that the handler of signals sets.
    fileprivate func crash() throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: self("bots.inflight")))
        try file.seek(toOffset: 16)
        try file.write(contentsOf: Data([1]))
        try file.close()
    }
}
