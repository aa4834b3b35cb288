import ChatAPI
import Testing

@testable import Parley

/// Mistakes in a bot that are found before it starts: each says what is wrong, where, and how to put it right.
@Suite struct HandlerFaultTests {
    private struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The parts of the message.
        let parts: [String]
        /// The line of the handler at fault, if it is in this file.
        let line: Int?
        let bot: Bot

        init(_ name: String, _ parts: [String], line: Int? = nil, @HandlerBuilder _ handlers: () -> Handlers) {
            (testDescription, self.parts, self.line) = (name, parts, line)
            bot = Bot("Faulty", handlers: handlers)
        }
    }

    private static let mistakes: [Mistake] = [
        Mistake("pattern", ["bad pattern", "missing )"], line: #line) { On(.matches("(")) { _ in } },
        Mistake("pattern that is too long", ["bad pattern", "512"], line: #line) { On(.matches(String(repeating: "a", count: 513))) { _ in } },
        Mistake("pattern in a union", ["bad pattern"], line: #line) { On(.text("a") || .matches("(")) { _ in } },
        Mistake("empty command", ["\"\" is not a command word", "write one word"], line: #line) { On(.command("")) { _ in } },
        Mistake("command of a slash", ["\"/\" is not a command word"], line: #line) { On(.command("/")) { _ in } },
        Mistake("command with a space behind it", ["\"help \" is not a command word"], line: #line) { On(.command("help ")) { _ in } },
        Mistake("command with a space before it", ["\" help\" is not a command word"], line: #line) { On(.command(" help")) { _ in } },
        Mistake("command with a line break", ["is not a command word"], line: #line) { On(.command("new\nticket")) { _ in } },
        Mistake("command with a quote", ["\"it's\" is not a command word"], line: #line) { On(.command("it's")) { _ in } },
        Mistake("command with arguments and a quote", ["is not a command word"], line: #line) { On(.command("'", .word("w"))) { _ in } },
        Mistake("argument behind the rest", ["\"b\" gets nothing", "\"a\" takes everything", "put that one last"], line: #line) {
            On(.command("x", .rest("a"), .word("b"))) { _ in }
        },
        Mistake("needed argument behind one that is not", ["\"c\" is needed", "\"b\" before it can be left out", "last"], line: #line) {
            On(.command("x", .word("a"), .optional(.integer("b")), .word("c"))) { _ in }
        },
        Mistake("command in two handlers", ["/a has a handler at", "HandlerFaultTests.swift:", "remove one of them"], line: #line) {
            On(.command("a")) { _ in }
            On(.command("/A")) { _ in }
        },
        Mistake("interval", ["\"poll\" is shorter than a second"], line: #line) { On(.every(.milliseconds(1), "poll")) { _ in } },
        Mistake("schedule", ["has 2 fields", "a schedule has five"], line: #line) { On(.cron("9 *", "news")) { _ in } },
        Mistake("schedule that never comes", ["\"0 0 31 feb *\" never comes"], line: #line) { On(.cron("0 0 31 feb *", "news")) { _ in } },
        Mistake("schedules of one name", ["is called \"poll\" too", "give each its own name"], line: #line) {
            On(.every(.seconds(5), "poll")) { _ in }
            On(.every(.seconds(6), "poll")) { _ in }
        },
        Mistake("events of two kinds", ["joins triggers of one kind of event", "give each a handler"], line: #line) {
            On(Trigger<EventContext>.anyEvent || Trigger<EventContext>.otherKind) { _ in }
        },
        Mistake("two schedules joined", ["|| joins no two schedules", "give each a handler"], line: #line) {
            On(.every(.seconds(5), "a") || .every(.seconds(6), "b")) { _ in }
        },
        Mistake("conversation without a name", ["the name of a conversation has 1 to 64 bytes"], line: #line) { Conversation("", on: .command("a")) { _ in } },
        Mistake("conversation with a long name", ["the name of a conversation has 1 to 64 bytes"], line: #line) {
            Conversation(String(repeating: "ä", count: 33), on: .command("a")) { _ in }
        },
        Mistake("request with an automatic address", ["accepts everybody or is missing", "address: .manual"], line: #line) { On(.contactRequest) { _ in } },
        Mistake("handler below one that takes all", ["takes every message before this one can", "put it below"], line: #line) {
            On(.anyMessage) { _ in }
            On(.text("a")) { _ in }
        },
    ]

    @Test(arguments: mistakes) private func isToldOnceWithItsPlaceAndAWayOut(_ mistake: Mistake) {
        let faults = mistake.bot.validationErrors
        #expect(faults.count == 1, "\(faults)")
        guard let fault = faults.first else { return }
        for part in mistake.parts { #expect(fault.message.contains(part), "\(fault.message)") }
        #expect(fault.file.hasSuffix("HandlerFaultTests.swift"), "\(fault.file)")
        if let line = mistake.line { #expect(line...line + 2 ~= fault.line) }
        #expect(fault.description == "\(fault.file):\(fault.line):\(fault.column): error: \(fault.message)")
    }

    @Test func allMistakesOfABotAreToldTogether() {
        let bot = Bot("Faulty") {
            Handlers(in: .groups) {
                On(.matches("[")) { _ in }
                Handlers { On(.cron("", "news")) { _ in } }
            }
            if true { On(.command("")) { _ in } }
        }
        #expect(bot.validationErrors.count == 3)
    }

    @Test func whatIsAtABoundIsFine() {
        let bot = Bot("Fine") {
            Conversation(String(repeating: "a", count: 64), on: .command("begin")) { _ in }
            On(.matches(String(repeating: "a", count: 512))) { _ in }
            On(.command("x", .word("a"), .optional(.integer("b")), .optional(.rest("c")))) { _ in }
            On(.command("new ticket", .word("a").withDefault(""), .rest("b").withDefault(""))) { _ in }
            On(.every(.seconds(1), "a") || .scheduled("a")) { _ in }
        }
        #expect(bot.validationErrors == [])
    }
}

extension Trigger where Context == EventContext {
    /// Events of the network as they are, for handlers of another kind of event.
    fileprivate static var otherKind: Self { Self(.message) { $0.source } }
}
