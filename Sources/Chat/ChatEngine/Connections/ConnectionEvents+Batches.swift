import ChatAPI
import ChatProtocol

// The messages of one body, and the count of those that are of no use.

extension ConnectionEvents {
    /// Receives the messages of a body one by one: a refused message is rolled back and does not affect the others.
    ///
    /// - Parameters:
    ///   - receive: Receives a message that could be read.
    ///   - unreadable: Shows that some could not be read: it runs once for a body, however many they are.
    func receiveEach(
        _ messages: [ReceivedChatMessage.ParsingResult], in context: inout ReceivingContext,
        _ receive: (ReceivedChatMessage, inout ReceivingContext) throws -> Void, unreadable: (String, inout ReceivingContext) throws -> Void
    ) throws {
        var errors: [ChatProtocolError] = []
        for message in messages {
            switch message {
            case .success(let received):
                let known = transaction.effects.events.count
                let isTaken = try attempt(in: &context) { try receive(received, &$0) }
                if !isTaken || transaction.effects.areUseless(since: known) { transaction.effects.uselessMessages += 1 }
            case .failure(let error): errors.append(error)
            }
        }
        guard let first = errors.first else { return }
        transaction.effects.uselessMessages += errors.count
        let text = "\(first.code.rawValue): \(first.message)"
        try attempt(in: &context) { try unreadable(errors.count == 1 ? text : "\(text) (and \(errors.count - 1) more in the same body)", &$0) }
    }
}

extension Effects {
    /// Tells whether a message had no other effect than reports of errors. A repeated message does not count: while members become connected to each other,
    /// each of their messages comes twice.
    fileprivate func areUseless(since known: Int) -> Bool {
        let added = events.dropFirst(known)
        return !added.isEmpty
            && added.allSatisfy { event in
                switch event {
                case .chatError(error: .store(error: .duplicateGroupMessage)): false
                case .chatError, .messageError: true
                default: false
                }
            }
    }
}
