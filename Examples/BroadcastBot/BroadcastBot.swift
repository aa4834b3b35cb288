import Foundation
import Parley

/// Sends what publishers write to everybody who has subscribed.
///
/// ```sh
/// PUBLISHERS="ann, ben" swift run BroadcastBot
/// ```
///
/// `PUBLISHERS` names those who may publish. The bot prints a link for each: whoever connects by it is that publisher, and nobody else is.
@main struct BroadcastBot {
    static func main() async {
        let names = (ProcessInfo.processInfo.environment["PUBLISHERS"] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        await bot(publishers: names).run()
    }

    static func bot(publishers: [String]) -> Bot {
        var bot = Bot("Broadcast", bio: "News, when there are some", address: .automatic(welcome: "Hello! Send /subscribe to get the news.")) {
            On.help("I pass on the news of my publishers.")
            On(.command("subscribe", "Get the news")) { message in
                let person = message.person.description
                let isNew = try await message.update(Subscribers.self, of: .bot) { $0.people.insert(person).inserted }
                try await message.reply(isNew ? "You will get the news." : "You get the news already.")
            }
            On(.command("unsubscribe", "Get no more news")) { message in
                let person = message.person.description
                try await message.update(Subscribers.self, of: .bot) { _ = $0.people.remove(person) }
                try await message.reply("You will get no more news.")
            }
            On(.text && .fromTrustedContact && !.isCommand) { message in
                let subscribers = try await message.state(Subscribers.self, of: .bot).people
                let chats = await message.client.contacts.filter { subscribers.contains("\($0)") && $0 != message.chat.reference }
                // Named by the message: a handler that runs again after a crash does not begin it again.
                try await message.client.broadcast(message.text, to: chats, onceAs: "\(message.id)")
                try await message.reply("On its way to \(chats.count).")
            }
            On(.anyMessage) { message in try await message.send(message.help) }
        }
        bot.trustedContacts = publishers
        return bot
    }
}

/// The people who get the news.
struct Subscribers: StoredState { var people: Set<String> = [] }
