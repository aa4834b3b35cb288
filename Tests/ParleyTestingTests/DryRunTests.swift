import ChatAPI
import Parley
import ParleyTesting
import Testing

private struct Visits: StoredState { var count = 0 }

private func greeter() -> Bot {
    Bot("Greeter", address: .automatic(welcome: "Hello!")) {
        On(.text("hi")) { message in
            let sent = try await message.reply("Hi, \(message.senderName)!")
            try await sent.edit("Hi!")
            try await message.react("👍")
            let count = try await message.update(Visits.self, of: .person) { visits in
                visits.count += 1
                return visits.count
            }
            #expect(try await sent.awaitDelivery(within: .seconds(1)) == .reached)
            try await message.send("Visit \(count)")
        }
        On(.text("read")) { message in
            let history = try await message.history()
            try await message.send("\(history.count)")
        }
        Conversation("talk", on: .command("talk")) { talk in
            let name = try await talk.ask("Name?")
            try await talk.say("So, \(name).")
        }
    }
}

@Suite("A dry run") struct DryRunTests {
    @Test("does nothing, reports what would be done, and forgets what was stored") func dry() async throws {
        try await withBots(greeter(), isDryRun: true) { room in
            let ann = try await room.person("Ann")
            // That is the address's, not a handler's.
            try await ann.expect("Hello!")
            for text in ["hi", "hi", "read", "/talk", "Ann"] { try await ann.say(text) }
            try await ann.expectNothing()
            let effects = room.suppressed
            #expect(effects.map(\.kind) == ["send", "edit", "react", "send", "send", "edit", "react", "send", "send", "send", "send"])
            #expect(
                effects.map(\.text) == [
                    "Hi, Ann!", "Hi!", "👍", "Visit 1", "Hi, Ann!", "Hi!", "👍", "Visit 2", "3", "Name?", "So, Ann.",
                ])
            #expect(Set(effects.map(\.bot)) == ["Greeter"])
            #expect(Set(effects.compactMap(\.chat)).count == 1)
            try await room.restart()
            try await room.settle()
            // What was handled dry is handled again, on what was stored before.
            #expect(room.suppressed.dropFirst(effects.count).map(\.text) == effects.map(\.text))
        }
    }

    @Test("of a moderator touches nobody") func moderator() async throws {
        var bot = Bot("Guard", address: .none) {
            On(.anyMessage, in: .groups) { message in
                try await message.moderate()
                try await message.member?.warn(reason: "test", evidence: message.text)
                try await message.member?.moderate(.block, reason: "test")
                try await message.member?.remove()
            }
        }
        bot.groups = [ManagedGroup("lobby", GroupSettings("Lobby"))]
        try await withBots(bot, isDryRun: true) { room in
            let ann = try await room.stranger("Ann"), ben = try await room.stranger("Ben")
            try await ann.join(group: "lobby")
            try await ben.join(group: "lobby")
            try await ann.say("casino", in: "Lobby")
            try await room.settle()
            #expect(room.suppressed.map(\.kind) == ["moderate", "block", "remove"])
            try await ben.say("Still there?", in: "Lobby")
            try await room.settle()
            #expect(try await ann.conversation(in: "Lobby").map(\.text).contains("Still there?"))
        }
    }
}
