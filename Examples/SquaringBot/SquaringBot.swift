import Foundation
import Parley

/// Squares numbers. Run it with `swift run SquaringBot`.
@main struct SquaringBot {
    static func main() async { await bot.run() }

    static let bot = Bot("Squaring", bio: "Send me a number", address: .automatic(welcome: "Send me a number, or /square 7.")) {
        On(.command("square", "Square a number", parameters: "<number>")) { message in
            try await message.reply(square(message.arguments))
        }
        On(.matches("^\\s*-?[0-9]+([.][0-9]+)?\\s*$")) { message in
            try await message.reply(square(message.text))
        }
        On(.anyMessage) { message in
            try await message.send("Send me a number, for example 7.")
        }
    }

    /// The answer to a text that should be a number.
    static func square(_ text: String) -> String {
        guard let number = Double(text.trimmingCharacters(in: .whitespaces)) else { return "\"\(text)\" is not a number." }
        let square = number * number
        return "\(number.formatted()) × \(number.formatted()) = \(square.formatted())"
    }
}
