import AsyncPrimitives

/// Received messages, for tasks that wait for the next one.
///
/// Messages from before the last ones sent do not count: a welcome is not the answer to a question.
struct Arrivals {
    /// Texts that came and nobody has waited for, oldest first.
    private var texts: [String] = []
    private var isSending = false
    private var waiting: [(text: String?, arrival: Promise<Void>)] = []

    /// The number of texts that are kept for later waits.
    static let limit = 1000

    /// A message is about to be sent. The first of several in a row makes what came before it the past.
    mutating func beginSending() {
        if !isSending { texts = [] }
        isSending = true
    }

    /// Discards the messages that came before.
    mutating func forget() { texts = [] }

    /// Ends a sequence of sent messages.
    mutating func endSending() { isSending = false }

    /// A message came.
    mutating func add(_ text: String = "") {
        if give({ Self.matches(text, $0) }) { return }
        if texts.count < Self.limit { texts.append(text) }
    }

    /// A message was changed: that is no new one, but it may have the text that somebody waits for.
    mutating func change(_ text: String) { _ = give { $0 != nil && Self.matches(text, $0) } }

    /// The next message, or one that came since the last were sent and nobody has waited for.
    ///
    /// - Parameter text: a part of the message's text, without regard to case; messages before it are passed over. Nil for any message.
    mutating func take(_ text: String? = nil) -> Promise<Void> {
        let arrival = Promise<Void>()
        if let index = texts.firstIndex(where: { Self.matches($0, text) }) {
            texts.removeFirst(index + 1)
            arrival.resolve(())
        } else {
            if text != nil { texts = [] }
            waiting.append((text, arrival))
        }
        return arrival
    }

    /// Ends the first wait that fits.
    private mutating func give(_ fits: (String?) -> Bool) -> Bool {
        guard let index = waiting.firstIndex(where: { fits($0.text) }) else { return false }
        waiting.remove(at: index).arrival.resolve(())
        return true
    }

    private static func matches(_ text: String, _ wanted: String?) -> Bool {
        guard let wanted else { return true }
        return text.lowercased().firstRange(of: wanted.lowercased()) != nil
    }
}
