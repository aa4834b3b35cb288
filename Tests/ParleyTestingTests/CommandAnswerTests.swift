import ChatProtocol
import Parley
import ParleyTesting
import Testing

private func shop() -> Bot {
    Bot("Shop", address: .automatic(welcome: nil)) {
        On(.command("order", .integer("count"), .rest("what"))) { order in
            try await order.react("👍")
            try await order.reply("\(order.arguments.0) × \(order.arguments.1)")
            try await order.reply(.text("It will come."))
            if let chat = order.chat.reference { try await order.forward(to: chat) }
            try await order.send(order.item.meta.text)
        }
        On(.command("burn", .word("what"))) { command in
            try await command.deleteLocally()
            try await command.send("\(try await command.chat.history().count)")
        }
    }
}

/// The context of a command with arguments is one of a message.
@Suite struct CommandAnswerTests {
    @Test func aCommandWithArgumentsIsAnsweredLikeAnyMessage() async throws {
        try await withBots(shop()) { room in
            let ann = try await room.person("Ann")
            try await ann.say("/order 2 tea")
            for text in ["2 × tea", "It will come."] { #expect(try await ann.expect(text).quote == "/order 2 tea") }
            for _ in 1...2 { #expect(try await ann.expect("/order 2 tea").quote == nil) }
            try await ann.expectReaction("👍")
        }
    }

    @Test func aCommandWithArgumentsIsDeletedFromTheHistoryOfTheBot() async throws {
        try await withBots(shop()) { room in
            let ann = try await room.person("Ann")
            try await ann.say("/burn it")
            try await ann.expect("0")
        }
    }
}
