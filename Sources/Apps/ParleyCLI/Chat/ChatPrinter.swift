internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Parley

/// Prints a chat: for a person lines to read, for a script one JSON object a line.
struct ChatPrinter: Sendable {
    let json: Bool

    /// Something that is no message.
    func say(_ text: String) {
        if json { object("note", ["text": .string(text)]) } else { Output.line(text) }
    }

    /// A message of a chat, or what stands in the place of one that could not be read.
    func show(_ item: ChatItem, in info: ChatInfo, from user: User, withTime: Bool = false) {
        let chat = info.localDisplayName
        let sender = item.direction.isReceived ? item.direction.member?.localDisplayName ?? chat : user.localDisplayName
        if json {
            let time = item.meta.itemTimestamp.description
            return object(
                "message",
                [
                    "chat": .string(chat), "from": .string(sender), "text": .string(item.meta.text), "item": .int(item.id),
                    "time": .string(time),
                ])
        }
        let time = withTime ? "[\(Self.time(item.meta.itemTimestamp))] " : ""
        if let quote = item.quotedItem { Output.line("    | \(Self.line(quote.content.text, 100))") }
        Output.line(item.isMessage ? "\(time)\(sender): \(item.meta.text)" : "\(time)(\(item.meta.text))")
    }

    /// A chat in a list.
    func show(_ chat: Chat) {
        let name = chat.chatInfo.localDisplayName, unread = chat.chatStats.unreadCount
        let last = chat.chatItems.last.flatMap { $0.isMessage ? $0.meta.text : nil } ?? ""
        if json {
            return object("chat", ["name": .string(name), "unread": .int(unread), "last": .string(last)])
        }
        if case .contactRequest = chat.chatInfo { return Output.line("\(name) asks to connect: :accept \(name), or :reject \(name)") }
        Output.line(name + (unread > 0 ? " (\(unread) unread)" : "") + (last.isEmpty ? "" : ": \(Self.line(last, 60))"))
    }

    func show(link: CreatedConnectionLink) {
        guard json else { return Output.link(link.shortLink ?? link.fullLink) }
        object("link", ["link": .string(link.shortLink ?? link.fullLink), "fullLink": .string(link.fullLink)])
    }

    func connected(_ contact: Contact) {
        let name = contact.localDisplayName
        if json { object("connected", ["chat": .string(name)]) } else { Output.line("\(name) is connected.") }
    }

    /// What others do beside writing.
    func show(_ event: ChatEvent) {
        switch event {
        case .chatItemUpdated(_, let entry) where entry.chatItem.direction.isReceived && entry.chatItem.meta.isEdited:
            say("\(entry.chatInfo.localDisplayName) changed a message: \(entry.chatItem.meta.text)")
        case .chatItemReaction(_, let added, let reaction) where reaction.chatReaction.direction.isReceived:
            guard case .emoji(let emoji) = reaction.chatReaction.reaction else { return }
            let text = Self.line(reaction.chatReaction.chatItem.meta.text, 60)
            say("\(reaction.chatInfo.localDisplayName) \(added ? "reacted" : "took back") \(emoji.text): \(text)")
        case .chatItemsDeleted(_, let deletions, byUser: false, _):
            for deletion in deletions { say("\(deletion.deletedChatItem.chatInfo.localDisplayName) deleted a message.") }
        case .receivedContactRequest(_, let request, _):
            say("\(request.localDisplayName) asks to connect: :accept \(request.localDisplayName), or :reject \(request.localDisplayName)")
        case .contactDeletedByContact(_, let contact):
            say("\(contact.localDisplayName) has deleted you.")
        default: break
        }
    }

    private func object(_ event: String, _ members: KeyValuePairs<String, JSONValue>) {
        Output.line(.object(JSONObject([("event", .string(event))] + members.map { ($0.key, $0.value) })))
    }

    /// The beginning of a text, in one line.
    private static func line(_ text: String, _ limit: Int) -> String {
        String(text.prefix(limit).map { $0.isNewline ? " " : $0 })
    }

    private static func time(_ timestamp: UTCTimestamp) -> String {
        let style = Date.VerbatimFormatStyle(
            format: "\(year: .defaultDigits)-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
            timeZone: .current, calendar: Calendar(identifier: .gregorian))
        return Date(timeIntervalSince1970: timestamp.timeIntervalSince1970).formatted(style)
    }
}

extension ChatItem {
    /// Whether a person wants to see it in a conversation: messages, and what tells of messages that are missing. What features a
    /// chat has and how it is encrypted is not.
    var isWorthShowing: Bool {
        switch content {
        case .sentMessage, .receivedMessage, .receivedIntegrityError, .receivedDecryptionError, .receivedMessageError: true
        default: false
        }
    }
}
