import Parley

@main struct Polls {
    static func main() async {
        let bot = Bot("Polls", bio: "I count votes", address: .automatic(welcome: nil)) {
        }
        await bot.run()
    }
}
