import Parley

@main struct Polls {
    static func main() async {
        let bot = Bot("Polls", bio: "I count votes", address: .automatic(welcome: nil)) {
            On(.connected) { contact in
                try await contact.send("Welcome, \(contact.name)!")
            }
        }
        await bot.run()
    }
}
