internal import ChatAPI
internal import Foundation

/// A timer of a bot, as it is stored.
struct TimerRecord: Sendable, Hashable {
    enum Kind: Int64, Sendable {
        /// Runs once, as a handler or a program has scheduled it.
        case once = 0
        /// Runs again and again, as a trigger of the bot says.
        case recurring = 1
        /// Ends a dialogue that nobody continues.
        case dialogue = 2
    }

    var id: Int64
    var userID: UserID
    var kind: Kind
    /// The name that triggers match.
    var name: String
    /// Tells timers of one name apart.
    var key: String
    /// The chat that it is about; nil for none.
    var chat: String?
    var due: Date
    /// The time after which it does not run any more; nil for none.
    var expires: Date?
    /// JSON of the value that the handler is given.
    var value: Data?
    /// The time of the clock when the timer was set; nil for a timer without a delay.
    var setAt: Date? = nil
}

/// A change of the stored timers.
enum TimerChange: Sendable {
    /// A timer; one of the same kind, name and key is replaced. Its id is not looked at.
    case set(TimerRecord)
    case cancel(kind: TimerRecord.Kind, name: String, key: String)

    /// True for a timer in a chat, or of a person as its key.
    func isAbout(_ scope: String) -> Bool {
        guard case .set(let timer) = self else { return false }
        return timer.chat == scope || timer.key == scope
    }
}

/// A dialogue with somebody, as it is stored.
struct DialogueRecord: Sendable, Hashable {
    /// The name of the type of its states.
    var name: String
    /// JSON of the state.
    var state: Data
    var expires: Date?
}
