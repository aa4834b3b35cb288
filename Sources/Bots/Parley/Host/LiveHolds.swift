internal import ChatAPI
internal import Foundation

/// The messages of a bot that are still being typed and have not been handled as messages yet.
///
/// A value without I/O: it learns what came, and answers when a message is to be handled with the text that it has then.
struct LiveHolds: Sendable {
    /// Seconds without a change after which a message is handled with its last text.
    static let longestPause = 60.0
    /// Seconds after which a message is handled however often it is changed.
    static let longestTyping = 600.0
    /// Messages of one chat that are held back at once. Another one is handled with the text that it has.
    static let maximumPerChat = 100

    private struct Hold: Sendable {
        let begun: Date
        var changed: Date
        /// True if a handler has deleted the message for everybody while it was typed.
        var isModerated = false
        /// True once its end waits in the queue of its chat: what follows is a change of a finished message.
        var isEnding = false
    }

    private var chats: [String: [ChatItemID: Hold]] = [:]
    /// The messages that were handled with their whole text before their end was announced, the oldest first.
    private var early: [ChatItemID] = []
    /// Messages of ``early`` that are remembered at the most.
    private static let maximumEarly = 1_000

    /// Holds a message back.
    ///
    /// - Parameter begun: when it was announced, if that was before now.
    /// - Returns: false if too many are held back in the chat.
    mutating func begin(_ item: ChatItemID, in chat: String, at now: Date, begun: Date? = nil) -> Bool {
        var holds = chats[chat] ?? [:]
        guard holds[item] != nil || holds.count < Self.maximumPerChat else { return false }
        if holds[item] == nil { holds[item] = Hold(begun: min(begun ?? now, now), changed: now) }
        chats[chat] = holds
        return true
    }

    func contains(_ item: ChatItemID, in chat: String) -> Bool { chats[chat]?[item] != nil }

    /// The text of a message has changed.
    mutating func change(_ item: ChatItemID, in chat: String, at now: Date) { chats[chat]?[item]?.changed = now }

    /// A message that is held back has its whole text.
    ///
    /// - Returns: false if its end waits for its turn already.
    mutating func beginEnd(_ item: ChatItemID, in chat: String) -> Bool {
        guard chats[chat]?[item]?.isEnding == false else { return false }
        chats[chat]?[item]?.isEnding = true
        return true
    }

    /// A message is handled whose end was found in the store, and may still be announced.
    mutating func noteEarly(_ item: ChatItemID) {
        early.append(item)
        if early.count > Self.maximumEarly { early.removeFirst() }
    }

    /// True for the end of a message that was handled with its whole text already: once.
    mutating func takeEarly(_ item: ChatItemID) -> Bool {
        guard let index = early.firstIndex(of: item) else { return false }
        early.remove(at: index)
        return true
    }

    /// A handler has deleted a message for everybody.
    mutating func moderate(_ item: ChatItemID, in chat: String) { chats[chat]?[item]?.isModerated = true }

    func isModerated(_ item: ChatItemID, in chat: String) -> Bool { chats[chat]?[item]?.isModerated ?? false }

    /// The time until which a message that is still being typed is held back; nil if its time is over.
    func end(of item: ChatItemID, in chat: String, at now: Date) -> Date? {
        guard let hold = chats[chat]?[item] else { return nil }
        let end = min(hold.changed.addingTimeInterval(Self.longestPause), hold.begun.addingTimeInterval(Self.longestTyping))
        return end > now ? end : nil
    }

    /// The message is handled, or is gone.
    mutating func remove(_ item: ChatItemID, in chat: String) {
        chats[chat]?[item] = nil
        if chats[chat]?.isEmpty == true { chats[chat] = nil }
    }
}

/// A message that is held back, as its timer has it: the message waits for its end across restarts.
struct LiveHoldRecord: Codable, Sendable, Hashable {
    /// The name of the timer.
    static let timerName = "parley.live"

    var item: Int64
    /// The post that the message comments; nil if it is no comment.
    var post: Int64?
    /// When it was announced, in seconds since 1970.
    var begun: Double

    init(_ item: ChatItem, begun: Date) {
        (self.item, post, self.begun) = (item.id.rawValue, item.meta.parentItemID?.rawValue, begun.timeIntervalSince1970)
    }

    init?(_ timer: TimerRecord) {
        guard timer.kind == .once, timer.name == Self.timerName, let json = timer.value, let record = try? JSONDecoder().decode(Self.self, from: json)
        else { return nil }
        self = record
    }

    var place: ItemPlace { ItemPlace(id: ChatItemID(item), post: post.map { ChatItemID($0) }) }

    static func key(_ item: ChatItemID, in chat: String) -> String { "\(chat)/\(item)" }

    func timer(in chat: String, of user: UserID) throws -> TimerRecord {
        TimerRecord(
            id: 0, userID: user, kind: .once, name: Self.timerName, key: Self.key(ChatItemID(item), in: chat), chat: chat,
            due: Date(timeIntervalSince1970: begun + LiveHolds.longestPause), value: try StateCoding.json(self, name: Self.timerName),
            setAt: Date(timeIntervalSince1970: begun))
    }
}
