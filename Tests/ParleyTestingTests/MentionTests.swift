import ChatAPI
import Parley
import ParleyTesting
import Testing

private func greeter() -> Bot {
    var bot = Bot("Greeter", address: .none) {
        On(.command("greet"), in: .all) { message in
            guard let group = message.chat.group else {
                try await message.reply(mentioning: "Hello, \(message.senderName)!")
                return
            }
            let members = try await group.members().filter { $0.displayName.hasPrefix("Ann") }
            guard let first = members.first, let last = members.last else { return }
            try await message.send(mentioning: "Hello, \(first) and \(last): \(members.count) of you")
        }
        On(.command("correct"), in: .all) { message in
            guard let member = message.member else { return }
            let sent = try await message.send("Hello, somebody!")
            try await sent.edit(mentioning: "Hello, \(member)!")
        }
        On(.command("inside"), in: .all) { message in
            guard let member = message.member else { return }
            try await message.send(mentioning: "mail\(member) is no mention")
        }
    }
    bot.groups = [ManagedGroup("lobby", GroupSettings("Lobby"))]
    return bot
}

@Suite("Mentions by a bot") struct MentionTests {
    @Test("reach those who are mentioned, also by names with spaces and by names that two have") func mentions() async throws {
        try await withBots(greeter()) { room in
            let ann = try await room.stranger("Ann Bell"), second = try await room.stranger("Ann Bell"), ben = try await room.stranger("Ben")
            for person in [ann, second, ben] { try await person.join(group: "lobby") }
            try await ben.say("/greet", in: "Lobby")
            let seen = try await ben.expect(containing: "Hello", in: "Lobby")
            #expect(seen.text == "Hello, @'Ann Bell' and @'Ann Bell_1': 2 of you")
            #expect(!seen.mentionsMe)
            #expect(seen.mentions == ["Ann Bell", "Ann Bell_1"])
            for person in [ann, second] {
                try await person.expect("/greet", in: "Lobby")
                #expect(try await person.expect(containing: "Hello", in: "Lobby").mentionsMe)
            }
        }
    }

    @Test("are added by an edit") func edit() async throws {
        try await withBots(greeter()) { room in
            let ann = try await room.stranger("Ann")
            try await ann.join(group: "lobby")
            try await ann.say("/correct", in: "Lobby")
            try await ann.expectEdited("Hello, @Ann!", in: "Lobby")
            let mentions = try await ann.conversation(in: "Lobby").map(\.mentions)
            #expect(mentions == [[], ["Ann"]])
        }
    }

    @Test("are text in a chat with a contact, and inside of a word") func text() async throws {
        try await withBots(greeter()) { room in
            let ann = try await room.stranger("Ann")
            try await ann.join(group: "lobby")
            try await ann.say("/inside", in: "Lobby")
            #expect(try await ann.expect("mail@Ann is no mention", in: "Lobby").mentionsMe == false)
        }
        var bot = greeter()
        bot.address = .automatic(welcome: nil)
        try await withBots(bot) { room in
            let ann = try await room.person("Ann")
            try await ann.say("/greet")
            try await ann.expect("Hello, Ann!")
        }
    }
}
