import Parley

/// Decides who may come in, greets guests, and remembers what they said. Run it with `swift run DoormanBot`.
@main struct DoormanBot {
    static let unwelcome: Set<String> = ["mallory"]

    static func main() async { await bot.run() }

    static let bot = Bot("Doorman", bio: "I let people in", address: .manual(welcome: nil)) {
        On(.contactRequest, where: { unwelcome.contains($0.name.lowercased()) }) { request in
            try await request.reject()
        }
        On(.contactRequest) { request in
            try await request.accept()
        }
        On(.connected) { guest in
            try await guest.send("Welcome, \(guest.name)! Tell me something, or send /guests or /recap.")
        }
        On(.command("guests", "How many are here")) { message in
            try await message.reply("Guests: \(await message.chats.all.count)")
        }
        On(.command("recap", "What you said last")) { message in
            let texts = try await message.history(10).filter(\.isReceived).map(\.text)
            try await message.reply(texts.isEmpty ? "Nothing yet." : texts.joined(separator: "\n"))
        }
        On(.reaction("👍")) { reaction in
            try await reaction.reply("Glad you like it.")
        }
        On(.text) { message in
            try await message.react("✅")
        }
    }
}
