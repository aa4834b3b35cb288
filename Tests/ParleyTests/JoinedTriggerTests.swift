import ChatAPI
import Testing

@testable import Parley

/// Triggers joined with `||` and narrowed with `&&`: commands and schedules among them.
@Suite(.timeLimit(.minutes(5))) struct JoinedTriggerTests {
    private static func wagers() -> Bot {
        Bot("Wagers") {
            On(.command("bet", "Bet", .integer("points")) || .command("wager", .integer("euros"))) { try await $0.reply("\($0.arguments)") }
            On(.anyMessage) { try await $0.send("?") }
        }
    }

    @Test(arguments: [
        ("/bet 5", "5"), ("/wager 6", "6"), ("/bet x", "\"x\" is not a whole number\nUsage: /bet <points>"),
        ("/wager x", "\"x\" is not a whole number\nUsage: /wager <euros>"), ("/wager", "euros is missing\nUsage: /wager <euros>"), ("bet", "?"),
    ])
    func eachCommandOfAUnionTellsItsOwnUsage(_ said: String, _ answer: String) async throws {
        #expect(try await BotSessionRunner.answers(to: [said], of: Self.wagers()) == [answer])
    }

    @Test(arguments: [("/pay 5", "number 5"), ("/pay all", "word all"), ("/pay", "n is missing\nUsage: /pay <n>")])
    func aCommandOfTwoFormsIsRefusedOnlyIfNeitherFits(_ said: String, _ answer: String) async throws {
        let number = CommandArgument<String>.custom("n", "a number") { Int($0).map { "number \($0)" } }
        let word = CommandArgument<String>.custom("who", "everybody") { $0 == "all" ? "word all" : nil }
        let bot = Bot("Payer") { On(.command("pay", number) || .command("pay", word)) { try await $0.reply($0.arguments) } }
        #expect(try await BotSessionRunner.answers(to: [said], of: bot) == [answer])
    }

    @Test func aConditionThatDoesNotHoldLeavesAReadableCommandToTheHandlersBelow() async throws {
        let bot = Bot("Wagers") {
            On(.command("bet", .integer("points")), where: { $0.arguments < 10 }) { try await $0.reply("small \($0.arguments)") }
            On(.command("bet", .integer("points"))) { try await $0.reply("large \($0.arguments)") }
        }
        #expect(bot.validationErrors == [])
        #expect(try await BotSessionRunner.answers(to: ["/bet 5", "/bet 50"], of: bot) == ["small 5", "large 50"])
    }

    @Test func aScheduleInAUnionRunsWhicheverSideItStandsOn() async throws {
        let log = EventLog<String>()
        let bot = Bot("Feed") {
            On(.scheduled("once") || .every(.seconds(3_600), "right")) { _ in log.add("right") }
            On(.every(.seconds(3_600), "left") || .scheduled("other")) { _ in log.add("left") }
        }
        #expect(bot.validationErrors == [])
        let runner = try BotSessionRunner()
        try await runner.run(bot) { _, session in await session.settleTimers() }
        #expect(log.all.sorted() == ["left", "right"])
    }

    @Test func theMenuOfAUnionHasBothCommandsAndItsKindsAreThoseOfBoth() {
        let union = Trigger<MessageContext>.command("a", "First") || .command("b", "Second", parameters: "<n>")
        let bot = Bot("Menu") { On(union, in: [.contacts, .groups]) { _ in } }
        #expect(bot.menu.map(\.keyword) == ["a", "b"] && bot.groupMenu == bot.menu)
        #expect(bot.commandHelp.map(\.parameters) == [nil, "<n>"])
    }

    @Test func aCommandOfSeveralWordsIsShownAsItIsWritten() async throws {
        let bot = Bot("Desk") {
            On.help("I take tickets.")
            On(.command("New ticket", "Open a ticket", .integer("urgency"))) { try await $0.reply("urgency \($0.arguments)") }
        }
        #expect(bot.menu.map(\.keyword) == ["help", "New ticket"], "the apps put the quotes themselves")
        let answers = try await BotSessionRunner.answers(to: ["/help", "/'new ticket' 3", "/'NEW TICKET'"], of: bot)
        #expect(answers[0].hasSuffix("\n/'New ticket' <urgency> – Open a ticket"))
        #expect(answers.dropFirst() == ["urgency 3", "urgency is missing\nUsage: /'new ticket' <urgency>"])
    }
}
