internal import AsyncPrimitives
internal import ChatAPI
internal import ChatProtocol
internal import Synchronization

/// Received messages of a bot that calls of ``BotChat/sendAndWait(_:from:within:)`` wait for.
///
/// A message that somebody waits for is taken when it is received, before its turn in the queue of its chat: so a handler can wait for a message of the
/// chat whose queue it holds. Its job stays in the queue and notes in its turn that it is handled.
final class ReplyWaiters: Sendable {
    /// A received message between its arrival and its turn.
    final class Arrival: Sendable {
        fileprivate enum Phase { case new, queued, taken, begun }

        let entry: ItemInChat
        fileprivate let chat: String
        fileprivate let person: PersonID
        fileprivate let phase = Mutex(Phase.new)

        init(_ entry: ItemInChat, of message: MessageContext) {
            self.entry = entry
            chat = message.chat.replyKey
            person = message.person
        }
    }

    struct Wait: Sendable {
        let id: Int
        let chat: String
        /// The person whose reply is awaited; nil for anybody.
        let person: PersonID?
        /// The message that was sent: an answer quotes it or nothing. Nil until it is sent.
        var question: ChatItemID?
        let reply: Promise<ItemInChat>

        fileprivate func wants(_ arrival: Arrival) -> Bool {
            guard person == nil || person == arrival.person else { return false }
            guard let quote = arrival.entry.chatItem.quotedItem else { return true }
            return question != nil && quote.itemID == question
        }
    }

    private struct State {
        var lastID = 0
        var waits: [String: [Wait]] = [:]
        /// Messages that wait for their turn, by chat.
        var queued: [String: [Arrival]] = [:]
        /// The messages that were taken for waits that have not ended, by the ids of the waits.
        var taken: [Int: Arrival] = [:]
    }

    private let state = Mutex(State())

    /// A message is in the queue of its chat.
    func queued(_ arrival: Arrival) {
        let wait = state.withLock { state -> Wait? in
            guard arrival.phase.withLock({ $0 == .new }) else { return nil }
            guard let wait = state.waits[arrival.chat]?.first(where: { $0.wants(arrival) }) else {
                arrival.phase.withLock { $0 = .queued }
                state.queued[arrival.chat, default: []].append(arrival)
                return nil
            }
            Self.take(arrival, for: wait, &state)
            return wait
        }
        wait?.reply.resolve(arrival.entry)
    }

    /// The turn of a message has come.
    ///
    /// - Returns: false if somebody has waited for it: it is not for the handlers.
    func begins(_ arrival: Arrival) -> Bool {
        state.withLock { state in
            state.queued[arrival.chat]?.removeAll { $0 === arrival }
            if state.queued[arrival.chat]?.isEmpty == true { state.queued[arrival.chat] = nil }
            return arrival.phase.withLock { phase in
                defer { phase = .begun }
                return phase != .taken
            }
        }
    }

    /// Begins to wait, before the question is sent: its answer can come at once. A message that waits for its turn in the chat is taken.
    ///
    /// - Returns: nil if somebody waits for the same person in the chat already.
    func wait(in chat: String, for person: PersonID?) -> Wait? {
        let wait = state.withLock { state -> Wait? in
            guard !(state.waits[chat] ?? []).contains(where: { $0.person == person || $0.person == nil || person == nil }) else { return nil }
            state.lastID += 1
            let wait = Wait(id: state.lastID, chat: chat, person: person, reply: Promise())
            state.waits[chat, default: []].append(wait)
            return wait
        }
        if let wait { takeQueued(for: wait) }
        return wait
    }

    /// The question is sent: a message that quotes it is its answer from now on.
    func asked(_ question: ChatItemID, _ wait: Wait) {
        var asked = wait
        asked.question = question
        state.withLock { state in
            guard let index = state.waits[wait.chat]?.firstIndex(where: { $0.id == wait.id }) else { return }
            state.waits[wait.chat]?[index] = asked
        }
        takeQueued(for: asked)
    }

    private func takeQueued(for wait: Wait) {
        let found = state.withLock { state -> Arrival? in
            guard state.waits[wait.chat]?.contains(where: { $0.id == wait.id }) == true, let found = state.queued[wait.chat]?.first(where: wait.wants)
            else { return nil }
            state.queued[wait.chat]?.removeAll { $0 === found }
            Self.take(found, for: wait, &state)
            return found
        }
        if let found { wait.reply.resolve(found.entry) }
    }

    /// Ends a wait.
    ///
    /// - Returns: the message that was taken for it; nil if none came, or the wait has ended before.
    @discardableResult
    func end(_ wait: Wait) -> ItemInChat? {
        state.withLock { state in
            Self.remove(wait, &state)
            return state.taken.removeValue(forKey: wait.id)?.entry
        }
    }

    /// Ends a wait that has failed. A message that was taken for it is for the handlers again, unless its turn is over.
    func giveBack(_ wait: Wait) {
        state.withLock { state in
            Self.remove(wait, &state)
            guard let arrival = state.taken.removeValue(forKey: wait.id) else { return }
            let isQueued = arrival.phase.withLock { phase in
                guard phase == .taken else { return false }
                phase = .queued
                return true
            }
            guard isQueued else { return }
            var queue = state.queued[arrival.chat] ?? []
            queue.insert(arrival, at: queue.firstIndex { $0.entry.chatItem.id > arrival.entry.chatItem.id } ?? queue.endIndex)
            state.queued[arrival.chat] = queue
        }
    }

    private static func take(_ arrival: Arrival, for wait: Wait, _ state: inout State) {
        arrival.phase.withLock { $0 = .taken }
        state.taken[wait.id] = arrival
        remove(wait, &state)
    }

    private static func remove(_ wait: Wait, _ state: inout State) {
        state.waits[wait.chat]?.removeAll { $0.id == wait.id }
        if state.waits[wait.chat]?.isEmpty == true { state.waits[wait.chat] = nil }
    }
}

extension BotChat {
    /// The chat, or the comments on one post, as a key.
    var replyKey: String { scopeText + (post.map { "/\($0)" } ?? "") }
}
