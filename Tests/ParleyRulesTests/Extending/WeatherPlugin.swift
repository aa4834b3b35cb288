import Parley
import ParleyRules

// The code that docs/extending.md shows, from here to the end.

struct Weather: BotPlugin {
    struct Configuration: Decodable {
        enum Unit: String, Decodable, CaseIterable { case celsius, fahrenheit }
        let city: String
        let unit: Unit?
    }

    struct Asked: StoredState { var times = 0 }

    static let name = "weather"
    static let summary = "Tells the weather of a city."
    let configuration: Configuration

    init(_ configuration: Configuration, instance: PluginInstance) throws {
        if configuration.city.isEmpty { throw RuleParameterError("the city has no name") }
        self.configuration = configuration
    }

    var handlers: Handlers {
        Handlers {
            On(.command("weather", "Tells the weather")) { message in
                let times = try await message.update(Asked.self, of: .bot) { asked in
                    asked.times += 1
                    return asked.times
                }
                let degrees = configuration.unit == .fahrenheit ? "68 °F" : "20 °C"
                try await message.reply("\(configuration.city): \(degrees), asked \(times)")
            }
        }
    }
}

struct Digits: Decodable { let above: Int }

let digits = CustomCondition("digits", "Digits in the text.", Digits.self, events: [.message, .edited]) { digits, message in
    message.text.filter(\.isNumber).count > digits.above
}

struct Repeat: Decodable {
    let text: Template
    let times: Int?
}

let echoes = CustomAction(
    "repeat", "Send a text several times.", Repeat.self, detail: { parameters, values in parameters.text.filled(with: values) }
) { parameters, event in
    for _ in 1...max(1, min(parameters.times ?? 2, 5)) { try await event.chat.send(event.filled(parameters.text)) }
}
