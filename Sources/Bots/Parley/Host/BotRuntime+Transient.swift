internal import ChatAPI
internal import ChatModel
internal import ChatProtocol

// Events that are reported once, while the process lives.

extension BotRuntime {
    /// - Returns: false if the event says nothing of groups that handlers have a trigger for.
    func takeGroupEvent(_ event: ChatEvent, in group: GroupInfo) -> Bool {
        let effects = effects(nil)
        guard let content = GroupEvents.content(of: event, chat: { chat(.group(groupInfo: $0, scope: nil), effects: effects) }) else { return false }
        submit("\(ChatReference.group(group.groupID))", incoming(content, event, effects))
        return true
    }

    func takeEdit(_ entry: ItemInChat, event: ChatEvent) {
        guard let chat = entry.chatInfo.reference, case .receivedMessage = entry.chatItem.content else { return }
        let meta = entry.chatItem.meta
        if isUnseen(meta.itemID, in: chat), let user = event.user {
            // The change of a message that never came, or was deleted: it is shown as a new message, and announced by its change alone.
            take(entry, event: .newChatItems(user: user, chatItems: [entry]))
            return
        }
        if meta.isLive != nil, takeLive(entry, in: "\(chat)", event: event) { return }
        // Going on with a live message that was handled already, and finishing it, changes it.
        guard meta.isEdited || meta.isLive != nil, let edit = edit(entry, event: event) else { return }
        submit("\(chat)", edit)
    }

    /// The change of a message as handlers get it; nil for one that is not for handlers.
    func edit(_ entry: ItemInChat, event: ChatEvent) -> Incoming? {
        guard case .receivedMessage(let content) = entry.chatItem.content, GroupEvents.isToBeHandled(entry.chatItem, in: entry.chatInfo) else { return nil }
        let effects = effects(nil)
        let context = EditContext(chat: self.chat(entry.chatInfo, effects: effects, of: entry.chatItem), item: entry.chatItem, content: content)
        return incoming(.edited(context), event, effects)
    }

    func takeDeletions(_ deletions: [ChatItemDeletion], event: ChatEvent) {
        var byChat: [ChatReference: (info: ChatInfo, items: [ChatItem], member: GroupMember?)] = [:]
        for deletion in deletions {
            let entry = deletion.deletedChatItem
            guard let chat = entry.chatInfo.reference else { continue }
            byChat[chat, default: (entry.chatInfo, [], GroupEvents.member(who: deletion))].items.append(entry.chatItem)
        }
        for (chat, deleted) in byChat {
            let effects = effects(nil), inChat = self.chat(deleted.info, effects: effects)
            let context = DeletionContext(chat: inChat, items: deleted.items, member: inChat.member(deleted.member))
            submit("\(chat)", incoming(.deleted(context), event, effects))
        }
    }

    func takeReaction(_ reaction: ReactionInChat, added: Bool, event: ChatEvent) {
        guard let chat = reaction.chatInfo.reference, reaction.chatReaction.direction.isReceived,
            case .emoji(let emoji) = reaction.chatReaction.reaction
        else { return }
        let effects = effects(nil), inChat = self.chat(reaction.chatInfo, effects: effects, of: reaction.chatReaction.chatItem)
        let context = ReactionContext(
            chat: inChat, item: reaction.chatReaction.chatItem, emoji: emoji.text, isAdded: added,
            member: inChat.member(reaction.chatReaction.direction.member))
        submit("\(chat)", incoming(.reaction(context), event, effects))
    }

    func takeDelivery(of items: [ItemInChat], event: ChatEvent) {
        // A bot that sends much gets many of these, and most bots do not want them.
        guard !dispatcher.isEmpty(.delivery) else { return }
        for entry in items {
            guard let chat = entry.chatInfo.reference, entry.chatItem.direction.isSent, let status = DeliveryStatus(entry.chatItem.meta.status) else {
                continue
            }
            let effects = effects(nil)
            let context = DeliveryContext(chat: self.chat(entry.chatInfo, effects: effects, of: entry.chatItem), item: entry.chatItem, status: status)
            submit("\(chat)", incoming(.delivery(context), event, effects))
        }
    }

    /// - Returns: false if the event is not the end of a transfer.
    func takeTransfer(of entry: ItemInChat, event: ChatEvent) -> Bool {
        guard !dispatcher.isEmpty(.file), let chat = entry.chatInfo.reference, let file = entry.chatItem.file, let step = FileTransferStep(file)
        else { return false }
        let effects = effects(nil), inChat = self.chat(entry.chatInfo, effects: effects, of: entry.chatItem), content: Incoming.Content
        switch step {
        case .complete(let file):
            guard entry.chatItem.direction.isReceived, let received = effects.received(file) else { return false }
            content = .file(FileContext(chat: inChat, item: entry.chatItem, file: received))
        case .failed(let error): content = .fileFailure(FileFailureContext(chat: inChat, item: entry.chatItem, error: error))
        case .progress, .offered: return false
        }
        submit("\(chat)", incoming(content, event, effects))
        return true
    }
}
