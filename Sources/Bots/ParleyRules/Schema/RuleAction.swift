/// An action of a rule.
public enum RuleAction: Sendable {
    /// Answers the message with a quote of it; without a message it sends.
    case reply(Template)
    /// Sends a message into the chat.
    case send(Template)
    /// Adds a reaction to the message.
    case react(String)
    /// Accepts the contact request.
    case accept
    /// Refuses the contact request.
    case reject

    /// The reactions that the official apps show and send.
    static let emoji = ["👍", "👎", "😀", "😂", "😢", "❤", "🚀", "✅"]
    static let keys = ["reply", "send", "react", "accept", "reject"]

    /// - Parameter condition: nil when it could not be read; then only the shape is checked.
    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.keys)
        let present = Self.keys.filter { mapping.value($0) != nil }
        guard present.count == 1, let key = present.first, let value = mapping.value(key) else {
            if present.count > 1 {
                reader.report(.badValue, "one action, not \(present.joined(separator: " and "))", hint: "make a list: put \"- \" before each")
            } else if mapping.keys.isEmpty {
                reader.report(.missingKey, "no action", hint: "expected one of: " + Self.keys.joined(separator: ", "))
            }
            return nil
        }
        let action: RuleAction? =
            switch key {
            case "reply": Template(value, in: condition).map(RuleAction.reply)
            case "send": Template(value, in: condition).map(RuleAction.send)
            case "react": Self.reaction(value).map(RuleAction.react)
            case "accept": Self.affirmed(value) ? .accept : nil
            default: Self.affirmed(value) ? .reject : nil
            }
        guard let action, let condition else { return nil }
        guard action.isPossible(after: condition.event) else {
            reader.report(.badValue, "\"\(key)\" does not go with \"\(condition.event.rawValue)\": \(action.need)")
            return nil
        }
        self = action
    }

    private func isPossible(after event: RuleEvent) -> Bool {
        switch self {
        case .reply, .send: event != .request
        case .react: event.hasMessage
        case .accept, .reject: event == .request
        }
    }

    private var need: String {
        switch self {
        case .reply, .send: "a message can be sent once the contact has connected"
        case .react: "there is no message to react to"
        case .accept, .reject: "there is no request to answer"
        }
    }

    private static func reaction(_ reader: NodeReader) -> String? {
        guard let text = reader.nonEmptyString() else { return nil }
        // The heart is often typed with a variation selector that the network's reaction does not have.
        let plain = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FE0F}" }))
        if emoji.contains(plain) { return plain }
        reader.report(.badValue, "\"\(text)\" is not a reaction", hint: "expected one of: " + emoji.joined(separator: " "))
        return nil
    }

    private static func affirmed(_ reader: NodeReader) -> Bool {
        switch reader.bool() {
        case true?: return true
        case false?:
            reader.report(.badValue, "leave the action out instead of saying false")
            return false
        case nil: return false
        }
    }
}
