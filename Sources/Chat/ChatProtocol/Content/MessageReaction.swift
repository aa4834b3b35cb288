/// A reaction to a message. Only emoji of the known set are sent; others are kept, and shown as unknown.
public enum MessageReaction: Hashable, JSONConvertible {
    case emoji(ReactionEmoji)
    case unknown(tag: String, JSONObject)

    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        let tag: String = try object.required("type")
        if tag == "emoji", let text = object["emoji"]?.stringValue, let emoji = ReactionEmoji(text) {
            self = .emoji(emoji)
        } else {
            self = .unknown(tag: tag, object)
        }
    }

    /// The JSON form.
    public var json: JSONValue {
        switch self {
        case .emoji(let emoji): ["type": "emoji", "emoji": .string(emoji.text)]
        case .unknown(_, let object): .object(object)
        }
    }
}

/// One of the emoji that official clients can send: 👍 👎 😀 😂 😢 ❤ 🚀 ✅, each a single Unicode scalar.
public struct ReactionEmoji: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The emoji.
    public let scalar: Unicode.Scalar

    // The official set is written with a variation selector behind the heart, which makes the selector itself a member.
    private static let scalars = Array("👍👎😀😂😢❤️🚀✅".unicodeScalars)

    /// All emoji of the set, in the order in which they are offered.
    public static let allCases: [ReactionEmoji] = scalars.filter { $0 != "\u{FE0F}" }.map(ReactionEmoji.init(scalar:))

    private init(scalar: Unicode.Scalar) { self.scalar = scalar }

    /// - Returns: nil if the text is not exactly one scalar of the set.
    public init?(_ text: String) {
        guard let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1, Self.scalars.contains(scalar) else {
            return nil
        }
        self.scalar = scalar
    }

    /// The emoji as text.
    public var text: String { String(Character(scalar)) }
    /// A textual form, for messages and logs.
    public var description: String { text }
}
