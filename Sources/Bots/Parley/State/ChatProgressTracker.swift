internal import ChatAPI

/// Decides which items of a profile's chats go to the handlers, so that each goes there once and in order, whether it was
/// announced by an event or found in the store at a start.
///
/// A value without I/O: its caller reports what arrived and what was handled, and it answers what to do.
struct ChatProgressTracker: Sendable {
    private struct Progress: Sendable {
        /// The last item given to the job queue.
        var submitted: ChatItemID
        /// The newest of the items that were refused since: nothing that is announced may be given before they have been fetched.
        var refused: ChatItemID?
    }

    private var chats: [String: Progress]
    private var references: [HandledProgress.Kind: Set<Int64>]

    init(_ handled: HandledProgress) {
        chats = handled.items.mapValues { Progress(submitted: $0) }
        references = handled.references
    }

    /// The last item of a chat that was given to its job queue; 0 if none was.
    func submitted(in chat: String) -> ChatItemID { chats[chat]?.submitted ?? 0 }

    /// The newest item of a chat that was refused, as long as refused items have to be fetched.
    func refused(in chat: String) -> ChatItemID? { chats[chat]?.refused }

    /// Checks whether an item that was announced is new and its turn has come. One whose turn has not come counts as refused.
    mutating func admits(announced item: ChatItemID, in chat: String) -> Bool {
        guard let progress = chats[chat] else { return true }
        guard item > progress.submitted else { return false }
        guard progress.refused == nil else {
            didRefuse(item, in: chat)
            return false
        }
        return true
    }

    /// Checks whether an item that was fetched is new. Items are fetched in order from the last that was given to the queue, so the turn of each
    /// has come.
    func admits(fetched item: ChatItemID, in chat: String) -> Bool { item > submitted(in: chat) }

    /// True for an item that came after all that were given to the queue of its chat. Every chat of the network begins with items of its own.
    func isUnseen(_ item: ChatItemID, in chat: String) -> Bool { chats[chat].map { item > $0.submitted } ?? false }

    /// The queue took the item.
    mutating func didSubmit(_ item: ChatItemID, in chat: String) {
        chats[chat, default: Progress(submitted: 0)].submitted = max(item, submitted(in: chat))
    }

    /// The queue refused the item.
    mutating func didRefuse(_ item: ChatItemID, in chat: String) {
        chats[chat, default: Progress(submitted: 0)].refused = max(item, refused(in: chat) ?? 0)
    }

    /// True if there may be items that nobody was given.
    var hasGaps: Bool { chats.values.contains { $0.refused != nil } }

    /// Nothing of a chat is to be fetched any more.
    mutating func forgetGap(in chat: String) { chats[chat]?.refused = nil }

    /// There may be items of a chat that nobody was given.
    mutating func openGap(in chat: String) { didRefuse(submitted(in: chat), in: chat) }

    /// All items of a chat that were there have been fetched.
    ///
    /// - Parameter refused: what ``refused(in:)`` was before the last of them were read.
    /// - Returns: false when further items were refused since, so that they have to be fetched too.
    mutating func closeGap(in chat: String, refusedBefore refused: ChatItemID?) -> Bool {
        guard self.refused(in: chat) == refused else { return false }
        chats[chat]?.refused = nil
        return true
    }

    /// Checks whether something that happens once has not been seen yet; from now on it has.
    mutating func isFirst(_ kind: HandledProgress.Kind, _ reference: Int64) -> Bool {
        references[kind, default: []].insert(reference).inserted
    }
}
