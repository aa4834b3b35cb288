internal import ChatAPI
internal import Foundation

/// A conversation as it is stored: the steps that are done, with what they returned.
struct ConversationRecord: Codable, Sendable, Hashable {
    struct Step: Codable, Sendable, Hashable {
        /// The fingerprint of the step.
        var mark: String
        /// JSON of an array with what the step returned; empty for a step that returns nothing.
        var value: String
    }

    /// A question that was asked and is not answered.
    struct Question: Codable, Sendable, Hashable {
        var mark: String
        /// Answers that could not be used.
        var refusals = 0
    }

    /// The event that began it: with the name it is the idempotency key of all its effects.
    var id: String
    /// The chat that it is in.
    var chat: String
    /// The post that it is a comment on.
    var post: Int64?
    /// The text of the message that began it; empty if it was none.
    var text: String
    /// The time at which it began, in seconds since 1970.
    var began: Double
    var steps: [Step] = []
    var question: Question?

    static func name(_ conversation: String) -> String { "conversation/\(conversation)" }

    func isIn(_ chat: BotChat) -> Bool { self.chat == chat.scopeText && post == chat.post?.rawValue }

    /// The fingerprint of a step: a short hash that does not change between runs of the program.
    static func mark(_ kind: String, _ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "\(kind)-\(String(hash, radix: 36))"
    }

    static func json<Value: Encodable>(_ value: Value) throws -> String { String(decoding: try JSONEncoder().encode([value]), as: UTF8.self) }

    static func value<Value: Decodable>(_ json: String) throws -> Value {
        guard let value = try JSONDecoder().decode([Value].self, from: Data(json.utf8)).first else {
            throw ConversationStepError(.changed, "a recorded step is empty")
        }
        return value
    }
}

/// A conversation that cannot continue.
public struct ConversationStepError: CodedError, Sendable, Hashable {
    /// A stable code.
    public enum Code: String, Sendable, Hashable {
        /// The function takes more than ``Conversation/maximumSteps`` steps.
        case tooManySteps = "conversation.tooManySteps"
        /// The recorded steps do not fit the function.
        case changed = "conversation.changed"
        /// Two steps run at the same time.
        case parallelSteps = "conversation.parallelSteps"
        /// The conversation has been going on for longer than ``Conversation/longestDuration``.
        case tooLong = "conversation.tooLong"
    }

    /// The code.
    public let code: Code
    /// A message that a person can act on.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
