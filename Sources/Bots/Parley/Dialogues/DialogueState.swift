/// A conversation of several steps: an enumeration with a case for each question that the bot waits for the answer of.
///
/// ```swift
/// enum Order: DialogueState {
///     case size
///     case address(size: Int)
/// }
///
/// On(.command("order", "Order a pizza")) { message in
///     try await message.begin(Order.size, "Which size, in centimetres?")
/// }
/// On(.dialogue(Order.self)) { step in
///     switch step.state {
///     case .size:
///         guard let size = Int(step.text) else { return try await step.stay("A number, please.") }
///         try await step.next(.address(size: size), "Where to?")
///     case .address(let size):
///         try await step.end("\(size) cm to \(step.text): thank you.")
///     }
/// }
/// ```
///
/// The state is stored with the progress of the handler, so a dialogue goes on after a restart where it was. A person, or a chat, is in one dialogue
/// at a time: to begin another ends it.
public protocol DialogueState: Codable, Sendable {
    /// The name in the database: the name of the type, unless the type says otherwise. Keep it when the type is renamed.
    static var dialogueName: String { get }
    /// The people whose messages continue the dialogue: the person who began it, unless the type says otherwise.
    static var participants: DialogueParticipants { get }
    /// The time after which a dialogue ends that nobody continues: a day, unless the type says otherwise. Nil for never.
    static var timeout: Duration? { get }
}

extension DialogueState {
    /// The name of the type.
    public static var dialogueName: String { String(describing: Self.self) }
    /// The person who began it.
    public static var participants: DialogueParticipants { .person }
    /// A day.
    public static var timeout: Duration? { .seconds(86_400) }
}

/// The people whose messages continue a dialogue.
public enum DialogueParticipants: Sendable, Hashable {
    /// The person with whom it was begun, in the chat in which it was begun.
    case person
    /// Everybody in the chat.
    case chat
}
