import ChatAPI
import ChatProtocol
import TestSupport
import Testing

@testable import Parley

/// The search for handlers, against asking one after another.
@Suite struct HandlerIndexTests {
    @Test func manyPatternsAndCommandsChooseTheFirstHandlerThatMatches() async throws {
        let bot = Bot("Many") {
            for number in 0..<10 {
                On(.matches("^word\(number) ([0-9]+)$")) { message in _ = try await message.send("pattern \(number) \(message.match?[1] ?? "")") }
                On(.command("c\(number)")) { message in _ = try await message.send("command \(number)") }
            }
            On(.matches("^LOUD", ignoringCase: true)) { message in _ = try await message.send("loud") }
            On(.matches("^either") || .matches("or$")) { message in _ = try await message.send("joined") }
            On(.matches("^word[0-9]") && .contains("!")) { message in _ = try await message.send("filtered") }
            On(.text) { message in _ = try await message.send("else") }
        }
        let expected = [
            "word0 1": "pattern 0 1", "word9 22": "pattern 9 22", "word3 x": "else", "/c7 a": "command 7", "/c10": "else", "loud noise": "loud",
            "either": "joined", "this or": "joined", "word5!": "filtered", "": "else",
        ]
        let runner = try BotSessionRunner()
        for (text, answer) in expected {
            let probe = HandlerProbe(bot, core: runner.core)
            let contact = try ScriptedCore.contact(4, "ann")
            let item = ScriptedCore.item(1, .receivedMessage(content: .text(text)), .directReceived, text)
            let found = try #require(probe.message(ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)))
            #expect(probe.places(of: found).count == 1, "\(text)")
            #expect(probe.places(of: found).first == Self.line(of: answer, in: bot), "\(text)")
        }
    }

    /// The place of the handler that gives an answer: handlers of a loop share their lines, so they are told apart by their order.
    private static func line(of answer: String, in bot: Bot) -> HandlerPlace? {
        switch answer.split(separator: " ").first {
        case "pattern": bot.handlers.first { $0.pattern?.hasPrefix("^word") ?? false }?.place
        case "command": bot.handlers.first { $0.command?.hasPrefix("c") ?? false }?.place
        case "loud": bot.handlers[20].place
        case "joined": bot.handlers[21].place
        case "filtered": bot.handlers[22].place
        default: bot.handlers.last?.place
        }
    }

    @Test func aCommandOfSeveralWordsIsReadWithoutQuotesAsTheAppsSendIt() async throws {
        let runner = try BotSessionRunner(), contact = try ScriptedCore.contact(4, "ann")
        let bot = Bot("Desk") {
            On(.command("new")) { message in _ = try await message.send("new: \(message.arguments)") }
            On(.command("new ticket", "Open a ticket")) { message in _ = try await message.send("ticket: \(message.arguments)") }
            On(.command("remind me", .duration("when"))) { command in _ = try await command.message.send("in \(command.arguments.components.seconds)") }
            On(.command("+", "Add")) { message in _ = try await message.send("plus") }
        }
        #expect(bot.menu.map(\.keyword) == ["new ticket", "+"] && bot.handlers.allSatisfy { $0.fault == nil })
        for (index, (text, line)) in [
            ("/new ticket", 1), ("/new ticket my printer", 1), ("/'new ticket'", 1), ("/new tickets", 0), ("/new", 0), ("/remind me 5m", 2), ("/+", 3),
        ].enumerated() {
            let probe = HandlerProbe(bot, core: runner.core)
            let item = ScriptedCore.item(ChatItemID(Int64(index + 1)), .receivedMessage(content: .text(text)), .directReceived, text)
            let found = probe.message(ItemInChat(chatInfo: .direct(contact: contact), chatItem: item))
            #expect(found.map { probe.places(of: $0) } == [bot.handlers[line].place], "\(text)")
        }
    }

    @Test func handlersThatFallThroughLeadToTheNext() async throws {
        let bot = Bot("Fall") {
            for number in 0..<6 { On(.matches("[a-\(["c", "d", "e", "f", "g", "h"][number])]+")) { _ in }.fallThrough() }
            On(.matches("^abc$")) { _ in }
            On(.anyMessage) { _ in }
        }
        let probe = HandlerProbe(bot, core: try BotSessionRunner().core), contact = try ScriptedCore.contact(4, "ann")
        func count(_ text: String) throws -> Int {
            let item = ScriptedCore.item(1, .receivedMessage(content: .text(text)), .directReceived, text)
            return probe.places(of: try #require(probe.message(ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)))).count
        }
        #expect(try count("abc") == 7)
        #expect(try count("h") == 2)
        #expect(try count("xyz") == 1)
    }
}
