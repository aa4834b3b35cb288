import ChatAPI
import Synchronization
import Testing

@testable import Parley

/// Blocks within blocks: where their handlers answer, who takes their errors, and what runs around them.
@Suite(.timeLimit(.minutes(5))) struct HandlerBlockTests {
    private struct Problem: Error, Equatable { var name: String }

    @Test func theInnermostBlockThatNamesKindsOfChatHolds() {
        let bot = Bot("Blocks") {
            Handlers(in: .groups) {
                On(.command("outer")) { _ in }
                Handlers(in: .contacts) {
                    On(.command("inner")) { _ in }
                    On(.command("own"), in: .supportChats) { _ in }
                }
                Handlers {
                    On(.command("plain")) { _ in }
                    On.help("Hello", in: .all)
                }
            }
            On(.command("none")) { _ in }
        }
        let kinds = Dictionary(uniqueKeysWithValues: bot.handlers.map { ($0.command ?? "help", $0.kinds) })
        #expect(kinds == ["outer": .groups, "inner": .contacts, "own": .supportChats, "plain": .groups, "help": .all, "none": .contacts])
    }

    @Test func anErrorGoesOutwardsUntilABlockTakesIt() async throws {
        let log = EventLog<String>()
        let bot = Bot("Blocks") {
            Handlers(catching: { error, call in
                log.add("outer \(error as? Problem == Problem(name: "passed on") ? "took what inner threw" : "\(error)") \(call.tags.sorted())")
            }) {
                Handlers(catching: { error, _ in
                    guard error as? Problem == Problem(name: "known") else { throw Problem(name: "passed on") }
                    log.add("inner took known")
                }) {
                    On(.text("known")) { _ in throw Problem(name: "known") }
                    On(.text("unknown")) { _ in throw Problem(name: "unknown") }.tagged("risky")
                }
                Use { _, next in
                    try await next()
                    throw Problem(name: "of middleware")
                }
                On(.text("middleware")) { _ in }
            }
            On(.anyMessage) { try await $0.send("alive") }
        }
        #expect(try await BotSessionRunner.answers(to: ["known", "unknown", "middleware", "x"], of: bot) == ["alive"])
        #expect(log.all.prefix(2) == ["inner took known", "outer took what inner threw [\"risky\"]"])
        #expect(log.all.last?.hasPrefix("outer Problem") == true && log.all.count == 3)
    }

    @Test func anErrorThatABlockTakesKeepsWhatTheHandlerHasStored() async throws {
        struct Score: StoredState { var points = 0 }
        @Sendable func raise(_ message: MessageContext) async throws {
            try await message.update(Score.self) { $0.points += 1 }
            throw Problem(name: "late")
        }
        let bot = Bot("Blocks") {
            On(.text("bare")) { try await raise($0) }
            Handlers(catching: { _, _ in }) { On(.text("caught")) { try await raise($0) } }
            On(.anyMessage) { try await $0.send("\(try await $0.state(Score.self).points)") }
        }
        #expect(try await BotSessionRunner.answers(to: ["bare", "?", "caught", "?"], of: bot) == ["0", "1"])
    }

    @Test func aHandlerThatFailsEndsTheEventForThoseThatItFallsThroughTo() async throws {
        let bot = Bot("Blocks") {
            On(.text("fail")) { message in
                try await message.send("first")
                throw Problem(name: "first")
            }.fallThrough()
            On(.anyMessage) { try await $0.send("second") }
        }
        #expect(try await BotSessionRunner.answers(to: ["fail", "x"], of: bot) == ["first", "second"])
    }

    @Test func whatMiddlewareHoldsBackCountsAsHandledAlsoForTheNextStart() async throws {
        let isOpen = Mutex(false), seen = EventLog<String>()
        let bot = Bot("Blocks") {
            Use { call, next in if isOpen.withLock(\.self) { try await next() } }
            On(.anyMessage) { seen.add($0.text) }
        }
        let runner = try BotSessionRunner(), ann = try runner.core.add(contact: 4, name: "ann")
        try await runner.run(bot) { _, _ in runner.core.receive("held back", from: ann) }
        isOpen.withLock { $0 = true }
        let later = try runner.restarted()
        try await later.run(bot) { _, _ in later.core.receive("let through", from: ann) }
        #expect(seen.all == ["let through"])
    }

    @Test func middlewareThatCallsNextTwiceRunsTheHandlerTwice() async throws {
        let bot = Bot("Blocks") {
            Use { _, next in for _ in 1...2 { try await next() } }
            On(.anyMessage) { try await $0.send($0.text) }
        }
        #expect(try await BotSessionRunner.answers(to: ["x"], of: bot) == ["x", "x"])
    }

    @Test func middlewareBeforeMatchingOfAnyBlockSeesWhatNoHandlerTakes() async throws {
        let seen = EventLog<String>()
        let bot = Bot("Blocks") {
            On(.text("taken")) { _ in seen.add("handler") }
            Handlers(in: .groups) {
                Use.beforeMatching { call, next in
                    if let message = call.message { seen.add("\(message.text) \(call.handler.isEmpty) \(call.person.map { "\($0)" } ?? "-")") }
                    try await next()
                }
            }
        }
        _ = try await BotSessionRunner.answers(to: ["taken", "nobody's"], of: bot)
        #expect(seen.all == ["taken true @4", "handler", "nobody's true @4"])
    }
}
