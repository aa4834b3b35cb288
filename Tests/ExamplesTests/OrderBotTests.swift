import Parley
import ParleyTesting
import Testing

@testable import OrderBot

@Suite(.timeLimit(.minutes(5))) struct OrderBotTests {
    @Test func anOrderGoesOnOverRestartsAndIsCountedOnce() async throws {
        try await withBots(OrderBot.bot) { room in
            let ann = try await room.person("Ann")
            try await ann.expect(containing: "Hello!")
            let steps = [
                ("/order", "Which size, in centimetres?"), ("huge", "Please write a whole number from 20 to 60."), ("30", "Which base?\n1. thin\n2. deep"),
                ("2", "Where to?"), ("Rue 1", "30 cm, deep, to Rue 1. Right?"), ("yes", "Order 1 is on its way."), ("thanks", "Send /order for a pizza."),
            ]
            for (text, answer) in steps {
                try await ann.say(text)
                try await ann.expect(answer)
                try await room.restart()
            }
        }
    }

    @Test func anOrderEndsWhenItIsCancelledOrForgotten() async throws {
        try await withBots(OrderBot.bot) { room in
            let ann = try await room.person("Ann")
            try await ann.expect(containing: "Hello!")
            try await ann.say("/order")
            try await ann.expect(containing: "Which size")
            try await ann.say("/cancel")
            try await ann.expect("Cancelled.")
            try await ann.say("/order")
            try await ann.expect(containing: "Which size")
            try await room.advance(by: .seconds(1800))
            try await ann.expect(containing: "I have stopped waiting.")
        }
    }
}
