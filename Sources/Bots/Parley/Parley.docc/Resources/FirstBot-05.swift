import Parley

actor Poll {
    private var votes: [String: String] = [:]

    /// Records the vote of a chat, and returns the number of votes for the same choice.
    func vote(_ choice: String, by chat: String) -> Int {
        votes[chat] = choice
        return votes.values.count { $0 == choice }
    }
}

@main struct Polls {
    static func main() async {
        let poll = Poll()
        let bot = Bot("Polls", bio: "I count votes", address: .automatic(welcome: nil)) {
            On(.connected) { contact in
                try await contact.send("Welcome, \(contact.name)! Vote with /vote tea or /vote coffee.")
            }
            On(.command("vote", "Vote for a choice", parameters: "<choice>")) { message in
                guard !message.arguments.isEmpty else {
                    try await message.reply("Send /vote and your choice.")
                    return
                }
                let count = await poll.vote(message.arguments.lowercased(), by: message.chat.name)
                try await message.reply("Votes for \(message.arguments): \(count)")
            }
            On(.text) { message in
                try await message.reply("I only know the command /vote.")
            }
        }
        await bot.run()
    }
}
