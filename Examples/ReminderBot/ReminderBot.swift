import Foundation
import Parley

/// Reminds people of what they ask it to. Run it with `swift run ReminderBot`.
@main struct ReminderBot {
    static func main() async { await bot.run() }

    /// Reminders that one person can have at a time.
    static let limit = 20

    static let bot = Bot("Reminder", bio: "I remember for you", address: .automatic(welcome: "Hello! Try: /remind 10m tea")) {
        Use(.limit(10, per: .seconds(60)) { call in try await call.message?.reply("Too fast. Wait a minute, please.") })
        On.help("I remind you of things, also after a restart.")
        On(.command("remind", "Remind me", .duration("when"), .rest("what"))) { call in
            let (delay, text) = call.arguments
            guard delay <= .seconds(366 * 86_400) else {
                try await call.reply("That is more than a year away.")
                return
            }
            let number: Int? = try await call.update(Reminders.self, of: .person) { $0.add(text) }
            guard let number else {
                try await call.reply("You have \(limit) reminders already. /list shows them.")
                return
            }
            try await call.schedule("reminder", key: "\(call.person)/\(number)", after: delay, number)
            try await call.reply("Reminder \(number) is set.")
        }
        On(.command("list", "Show my reminders")) { message in
            let reminders = try await message.state(Reminders.self, of: .person).texts.sorted { $0.key < $1.key }
            let lines = reminders.map { "\($0.key). \($0.value)" }
            try await message.send(lines.isEmpty ? "You have no reminders." : lines.joined(separator: "\n"))
        }
        On(.command("cancel", "Cancel a reminder", .integer("number", in: 1...1_000_000))) { call in
            let number = call.arguments
            let text: String? = try await call.update(Reminders.self, of: .person) { $0.texts.removeValue(forKey: number) }
            try await call.client.cancelScheduled("reminder", key: "\(call.person)/\(number)")
            try await call.reply(text == nil ? "You have no reminder \(number)." : "Reminder \(number) is cancelled.")
        }
        On(.scheduled("reminder", Int.self)) { timer in
            let number = timer.value
            let text: String? = try await timer.update(Reminders.self) { $0.texts.removeValue(forKey: number) }
            if let text { try await timer.send("⏰ \(text)") }
        }
        On(.anyMessage) { message in try await message.send(message.help) }
    }
}

/// The reminders of one person, by number.
struct Reminders: StoredState {
    var texts: [Int: String] = [:]
    var last = 0

    /// - Returns: the number; nil if there are too many.
    mutating func add(_ text: String) -> Int? {
        guard texts.count < ReminderBot.limit else { return nil }
        last += 1
        texts[last] = text
        return last
    }
}
