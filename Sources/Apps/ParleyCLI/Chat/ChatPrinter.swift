internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Hosting

/// Prints a chat: for a person lines to read, for a script one JSON object a line.
struct ChatPrinter: Sendable {
    let json: Bool

    /// Something that is no message, in words of our own: names in it are made with ``name(_:)``.
    func say(_ text: String) { say(text, of: nil) }

    /// Something that is no message, with a text of somebody else behind it.
    private func say(_ words: String, of text: String?) {
        if json { return object("note", ["text": .string(words + (text ?? ""))]) }
        if let text { Output.block(words, text) } else { Output.line(words) }
    }

    /// A name for a text that ``say(_:)`` prints: made safe for a terminal, or unchanged for a script.
    func name(_ name: String) -> String { json ? name : VisibleText.name(name) }

    /// A message of a chat, or a placeholder for one that could not be read.
    func show(_ item: ChatItem, in info: ChatInfo, from user: User, withTime: Bool = false, withNumber: Bool = false) {
        let chat = info.localDisplayName, own = info.groupInfo?.membership.localDisplayName ?? user.localDisplayName
        let sender = item.direction.isReceived ? item.direction.member?.localDisplayName ?? chat : own
        if json {
            return Output.line(
                Output.object { object in
                    object["event"] = item.isGroupEvent ? "groupEvent" : "message"
                    object["chat"] = chat
                    object["from"] = sender
                    object["support"] = info.supportSubject
                    object["post"] = item.meta.parentItemID
                    object["mentioned"] = item.meta.userMention && item.direction.isReceived ? true : nil
                    object["text"] = item.meta.text
                    object["item"] = item.id
                    object["file"] = item.file.map { file in JSONValue.object(JSONObject([("name", .string(file.fileName)), ("size", .int(file.fileSize))])) }
                    object["time"] = item.meta.itemTimestamp.description
                    object["quotes"] = item.quotedItem?.content.text
                    object["deleted"] = item.meta.deleted == nil ? nil : true
                })
        }
        let number = withNumber ? "#\(item.id) " : "", time = withTime ? "[\(Self.time(item.meta.itemTimestamp))] \(number)" : number
        if let quote = item.quotedItem { Output.line("    | \(VisibleText.line(quote.content.text, limit: 100))") }
        let place = item.meta.parentItemID == nil ? "" : "(comment) "
        let group = info.chatType == .group ? "\(title(of: info)) \(place)" : ""
        if item.isMessage {
            let mark = item.meta.deleted.map { " (\(Self.mark(of: $0)))" } ?? ""
            let file = item.file.map { self.mark(of: $0, isReceived: item.direction.isReceived) } ?? ""
            Output.block("\(time)\(group)\(name(sender))\(mark): \(file)", item.meta.text)
        } else if item.isGroupEvent {
            Output.block("\(time)\(group)(\(name(sender)): ", "\(item.meta.text))")
        } else {
            Output.block("\(time)\(group)(", "\(item.meta.text))")
        }
    }

    /// Why a message is kept as a mark only. The messages of blocked members are hidden, and not deleted.
    private static func mark(of deletion: ItemDeleted) -> String {
        switch deletion {
        case .blocked, .blockedByAdmin: "blocked"
        case .deleted, .moderated, .other: "deleted"
        }
    }

    /// A chat in a list.
    func show(_ chat: Chat) {
        let name = chat.chatInfo.localDisplayName, unread = chat.chatStats.unreadCount
        let last = chat.chatItems.last.flatMap { $0.isMessage ? $0.meta.text : nil } ?? ""
        if let group = chat.chatInfo.groupInfo { return show(chat, of: group, last: last) }
        // The contact of a request is prepared before it is answered.
        let asks =
            switch chat.chatInfo {
            case .contactRequest: true
            case .direct(let contact): contact.contactRequestID != nil && contact.activeConnection == nil
            default: false
            }
        if json {
            return Output.line(
                Output.object { object in
                    object["event"] = "chat"
                    object["name"] = name
                    object["unread"] = unread
                    object["last"] = last
                    object["request"] = asks ? true : nil
                })
        }
        if asks { return Output.line(Self.request(by: self.name(name))) }
        Output.line(self.name(name) + (unread > 0 ? " (\(unread) unread)" : "") + (last.isEmpty ? "" : ": \(VisibleText.line(last, limit: 60))"))
    }

    func show(link: CreatedConnectionLink) {
        guard json else { return Output.link(link.shortLink ?? link.fullLink) }
        object("link", ["link": .string(link.shortLink ?? link.fullLink), "fullLink": .string(link.fullLink)])
    }

    func connected(_ contact: Contact) {
        let name = contact.localDisplayName
        if json { object("connected", ["chat": .string(name)]) } else { Output.line("\(self.name(name)) is connected.") }
    }

    /// Shows an event other than a message.
    func show(_ event: ChatEvent) {
        if json, showObject(event) { return }
        switch event {
        case .chatItemUpdated(_, let entry) where entry.chatItem.direction.isReceived && entry.chatItem.meta.isEdited:
            say("\(speaker(entry.chatInfo, entry.chatItem.direction)) changed a message: ", of: entry.chatItem.meta.text)
        case .chatItemReaction(_, let added, let reaction) where reaction.chatReaction.direction.isReceived:
            guard case .emoji(let emoji) = reaction.chatReaction.reaction else { return }
            let text = VisibleText.line(reaction.chatReaction.chatItem.meta.text, limit: 60)
            say("\(speaker(reaction.chatInfo, reaction.chatReaction.direction)) \(added ? "reacted" : "took back") \(VisibleText.name(emoji.text)): \(text)")
        case .chatItemsDeleted(_, let deletions, byUser: false, _):
            for entry in deletions.map(\.deletedChatItem) {
                let speaker = speaker(entry.chatInfo, entry.chatItem.direction)
                guard entry.chatInfo.chatType == .group else {
                    say("\(speaker) deleted a message.")
                    continue
                }
                say(entry.chatItem.direction.isReceived ? "A message of \(speaker) was deleted." : "A message of yours in \(speaker) was deleted.")
            }
        case .receivedContactRequest(_, let request, _): say(Self.request(by: name(request.localDisplayName)))
        case .contactDeletedByContact(_, let contact):
            say("\(name(contact.localDisplayName)) has deleted you.")
        default: showGroup(event)
        }
    }

    /// Edits, reactions and deletions by others, as JSON for a script.
    ///
    /// - Returns: false if the event is something else.
    private func showObject(_ event: ChatEvent) -> Bool {
        switch event {
        case .chatItemUpdated(_, let entry) where entry.chatItem.direction.isReceived && entry.chatItem.meta.isEdited:
            let item = entry.chatItem
            object("edited", ["chat": .string(entry.chatInfo.localDisplayName), "item": item.id.json, "text": .string(item.meta.text)])
        case .chatItemReaction(_, let added, let reaction) where reaction.chatReaction.direction.isReceived:
            guard case .emoji(let emoji) = reaction.chatReaction.reaction else { return false }
            let item = reaction.chatReaction.chatItem
            object(
                "reaction",
                [
                    "chat": .string(reaction.chatInfo.localDisplayName), "item": item.id.json, "emoji": .string(emoji.text), "added": .bool(added),
                ])
        case .chatItemsDeleted(_, let deletions, byUser: false, _):
            for deletion in deletions {
                let entry = deletion.deletedChatItem
                object("deleted", ["chat": .string(entry.chatInfo.localDisplayName), "item": entry.chatItem.id.json])
            }
        default: return false
        }
        return true
    }

    func object(_ event: String, _ members: KeyValuePairs<String, JSONValue>) {
        Output.line(.object(JSONObject([("event", .string(event))] + members.map { ($0.key, $0.value) })))
    }

    private static func request(by name: String) -> String { "\(name) asks to connect: :accept \(name), or :reject \(name)" }

    private static func time(_ timestamp: UTCTimestamp) -> String {
        let style = Date.VerbatimFormatStyle(
            format:
                "\(year: .defaultDigits)-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
            timeZone: .current, calendar: Calendar(identifier: .gregorian))
        return Date(timeIntervalSince1970: timestamp.timeIntervalSince1970).formatted(style)
    }
}

extension ChatItem {
    /// True if a person wants to see it in a conversation: messages, and notices about missing messages. What features a
    /// chat has and how it is encrypted is not.
    var isWorthShowing: Bool {
        switch content {
        case .sentMessage, .receivedMessage, .receivedIntegrityError, .receivedDecryptionError, .receivedMessageError, .receivedModerated,
            .sentModerated, .receivedBlocked:
            true
        default: isGroupEvent
        }
    }

    /// True if it tells what a member did in a group other than write.
    var isGroupEvent: Bool {
        switch content {
        case .receivedGroupEvent, .sentGroupEvent: true
        default: false
        }
    }
}
