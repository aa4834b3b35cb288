import Parley
import ParleyTesting
import Testing

@testable import DoormanBot
@testable import EchoBot
@testable import SquaringBot

@Suite struct EchoBotTests {
    @Test func aTextIsRepeatedWithAQuoteAndAnEditIsNoticed() async throws {
        try await withBots(EchoBot.bot) { room in
            let ann = try await room.person("Ann")
            try await ann.expect("Hello! Write something.")
            try await ann.say("tea")
            #expect(try await ann.expect("tea").quote == "tea")
            try await ann.edit("coffee")
            try await ann.expect("So you meant: coffee")
            try await ann.expectNothing()
        }
    }
}

@Suite struct SquaringBotTests {
    @Test func numbersAreSquaredAndOtherTextsAreNot() async throws {
        try await withBots(SquaringBot.bot) { room in
            let ann = try await room.person("Ann")
            try await ann.expect(containing: "Send me a number")
            try await ann.say("/square 7")
            try await ann.expect("7 × 7 = 49")
            try await ann.say("-3")
            try await ann.expect("-3 × -3 = 9")
            try await ann.say("/square seven")
            try await ann.expect("\"seven\" is not a number.")
            try await ann.say("hello")
            try await ann.expect("Send me a number, for example 7.")
        }
    }
}

@Suite struct DoormanBotTests {
    @Test func guestsComeInAndTheUnwelcomeDoNot() async throws {
        try await withBots(DoormanBot.bot) { room in
            let mallory = try await room.stranger("Mallory"), ann = try await room.stranger("Ann")
            try await mallory.request("Doorman")
            try await room.settle()
            try await ann.connect(with: "Doorman")
            try await ann.expect(containing: "Welcome, Ann!")
            try await ann.say("Nice place.")
            try await ann.expectReaction("✅")
            try await ann.say("/guests")
            try await ann.expect("Guests: 1")
            try await ann.say("/recap")
            try await ann.expect(containing: "Nice place.")
        }
    }
}
