import Parley

/// Takes the orders of a pizzeria in a conversation. Run it with `swift run OrderBot`.
@main struct OrderBot {
    enum Base: String, CaseIterable, Codable {
        case thin, deep
    }

    /// The orders so far.
    struct Orders: StoredState {
        var count = 0
    }

    static func main() async { await bot.run() }

    static var bot: Bot {
        var texts = ConversationTexts()
        texts.timedOut = "I have stopped waiting. Send /order to begin again."
        return Bot("Pizzeria", bio: "I bake pizza", address: .automatic(welcome: "Hello! Send /order for a pizza.")) {
            On.help("I take orders. /cancel ends one.")
            Conversation("order", on: .command("order", "Order a pizza"), timeout: .seconds(1800), texts: texts) { talk in
                let size = try await talk.ask("Which size, in centimetres?", .integer(in: 20...60))
                let base = try await talk.choose("Which base?", of: Base.self)
                let address = try await talk.ask("Where to?", .text(upTo: 200))
                guard try await talk.confirm("\(size) cm, \(base.rawValue), to \(address). Right?") else { return try await talk.say("Then not.") }
                let number = try await talk.perform("order") { step in
                    try await step.update(Orders.self, of: .bot) { orders in
                        orders.count += 1
                        return orders.count
                    }
                }
                try await talk.say("Order \(number) is on its way.")
            }
            On(.text) { message in try await message.reply("Send /order for a pizza.") }
        }
    }
}
