import Parley
import ParleyTesting
import Testing

private enum Colour: String, CaseIterable, Codable {
    case red, green
}

private func painter() -> Bot {
    var bot = Bot("Painter", address: .automatic(welcome: "Hello!")) {
        Conversation("paint", on: .command("paint", "Order paint"), in: [.contacts, .groups]) { talk in
            let litres = try await talk.ask("How many litres?", .integer(in: 1...100))
            let colour = try await talk.choose("Which colour?", of: Colour.self)
            try await talk.say("\(litres) l of \(colour.rawValue) for you.")
        }
        On(.command("riddle")) { message in
            let answer = try await message.sendAndWait("What has hands and no legs?")
            try await answer.reply(answer.text == "A clock" ? "Yes." : "No.")
        }
    }
    bot.groups = [ManagedGroup("lobby", GroupSettings("Lobby"))]
    return bot
}

@Suite("A conversation under test") struct ConversationBotTests {
    @Test("of two people in a group, and in chats of their own, goes on over a restart") func people() async throws {
        try await withBots(painter()) { room in
            let ann = try await room.person("Ann"), ben = try await room.person("Ben")
            try await ann.expect("Hello!")
            try await ben.expect("Hello!")
            try await ann.join(group: "lobby")
            try await ben.join(group: "lobby")
            try await ann.say("/paint", in: "Lobby")
            try await room.settle()
            try await ben.say("/paint", in: "Lobby")
            try await room.settle()
            try await ann.say("/paint")
            try await ann.expect("How many litres?")
            try await room.restart()
            try await ben.say("5", in: "Lobby")
            try await room.settle()
            try await ann.say("many", in: "Lobby")
            try await room.settle()
            try await ann.say("7", in: "Lobby")
            try await ann.say("1")
            try await ann.expect("Which colour?\n1. red\n2. green")
            try await room.settle()
            try await ben.say("red", in: "Lobby")
            try await ben.expect("5 l of red for you.", ofAllIn: "Lobby")
            try await ann.say("2", in: "Lobby")
            try await ann.expect("7 l of green for you.", ofAllIn: "Lobby")
            try await ann.say("2")
            try await ann.expect("1 l of green for you.")
        }
    }

    @Test("within one handler waits for the answer") func riddle() async throws {
        try await withBots(painter()) { room in
            let ann = try await room.person("Ann")
            try await ann.expect("Hello!")
            try await ann.say("/riddle")
            try await ann.expect("What has hands and no legs?")
            try await ann.say("A clock")
            #expect(try await ann.expect("Yes.").quote == "A clock")
        }
    }

    @Test("can be with a contact that the bot has connected with by a link") func connects() async throws {
        try await withBots(painter()) { room in
            let ann = try await room.person("Ann")
            try await ann.expect("Hello!")
            let painter = try room.bot("Painter")
            let link = try await ann.makeInvitation(), other = try await ann.makeInvitation()
            async let chat = painter.connect(to: link)
            async let second = painter.connect(to: other)
            let (first, last) = try await (chat, second)
            #expect(first.reference != last.reference)
            try await first.send("By the first link.")
            try await last.send("By the second link.")
            // The connections are numbered in the order in which they are complete.
            var heard: Set<String> = []
            for name in ["Painter_1", "Painter_2"] { heard.insert(try await ann.expect("a message", in: name, where: { _ in true }).text) }
            #expect(heard == ["By the first link.", "By the second link."])
        }
    }
}

extension TestPerson {
    /// Passes over what others are told in a group until a message comes.
    fileprivate func expect(_ text: String, ofAllIn group: String) async throws {
        while try await expect("any message", in: group, where: { _ in true }).text != text {}
    }
}
