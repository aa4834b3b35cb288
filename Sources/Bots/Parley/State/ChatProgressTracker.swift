/// Decides which items of a profile's chats go to the handlers, so that each goes there once and in order, whether it was
/// announced by an event or found in the store at a start.
///
/// A value without I/O: it is told what came and what was handled, and answers what to do.
struct ChatProgressTracker: Sendable {
    private struct Progress: Sendable {
        /// The last item given to the lane.
        var submitted: Int64
        /// Items were refused since: nothing more may be given before they have been fetched again.
        var hasGap = false
    }

    private var chats: [String: Progress]
    private var references: [HandledProgress.Kind: Set<Int64>]

    init(_ handled: HandledProgress) {
        chats = handled.items.mapValues { Progress(submitted: $0) }
        references = handled.references
    }

    /// The last item of a chat that was given to its lane; 0 if none was.
    func submitted(in chat: String) -> Int64 { chats[chat]?.submitted ?? 0 }

    func hasGap(in chat: String) -> Bool { chats[chat]?.hasGap ?? false }

    /// Whether an announced item is new and its turn has come.
    func admits(_ item: Int64, in chat: String) -> Bool {
        guard let progress = chats[chat] else { return true }
        return !progress.hasGap && item > progress.submitted
    }

    /// The lane took the item.
    mutating func didSubmit(_ item: Int64, in chat: String) {
        chats[chat, default: Progress(submitted: 0)].submitted = max(item, submitted(in: chat))
    }

    /// The lane refused an item.
    mutating func didRefuse(in chat: String) {
        chats[chat, default: Progress(submitted: 0)].hasGap = true
    }

    /// The refused items are about to be fetched again.
    mutating func closeGap(in chat: String) { chats[chat]?.hasGap = false }

    /// Whether something that happens once has not been seen yet; from now on it has.
    mutating func isFirst(_ kind: HandledProgress.Kind, _ reference: Int64) -> Bool {
        references[kind, default: []].insert(reference).inserted
    }
}
