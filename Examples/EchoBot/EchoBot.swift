import Parley

/// Says what you say. Run it with `swift run EchoBot`.
@main struct EchoBot {
    static func main() async { await bot.run() }

    static let bot = Bot("Echo", bio: "I say what you say", address: .automatic(welcome: "Hello! Write something.")) {
        On(.text) { message in
            try await message.reply(message.text)
        }
        On(.anyMessage) { message in
            try await message.send("I can only repeat text.")
        }
        On(.edited) { edit in
            try await edit.reply("So you meant: \(edit.text)")
        }
    }
}
