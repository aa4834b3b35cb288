import Parley

@main struct Polls {
    static func main() async {
        let bot = Bot("Polls", bio: "I count votes", address: .automatic(welcome: nil)) {
            On(.connected) { contact in
                try await contact.send("Welcome, \(contact.name)!")
            }
            On(.text) { message in
                try await message.reply("I only know the command /vote.")
            }
        }
        await bot.run()
    }
}
