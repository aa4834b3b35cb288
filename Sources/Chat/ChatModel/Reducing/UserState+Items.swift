import ChatAPI
import ChatProtocol

extension UserState {
    /// Takes in an item that came or was made.
    mutating func add(_ item: ItemInChat, _ changes: inout [ChatModelChange]) {
        guard let reference = item.chatInfo.reference, !deletedChats.contains(reference.whole) else { return }
        if knownItem(item.chatItem.id, in: reference) != nil { return refresh(item, &changes) }
        update(item.chatInfo, &changes)
        take(item.chatInfo, with: item.chatItem, &changes)
        for key in windowKeys(of: reference) where key.contains(item.chatItem) {
            windows[key]?.append(item.chatItem)
            changes.append(.items(user.userID, key, added: true))
        }
        countComment(item.chatItem, by: item.chatItem.meta.deleted == nil ? 1 : 0, in: reference, &changes)
        // Parts of a group and comments have no place in the list of chats.
        guard reference.scope == nil, item.chatItem.meta.parentItemID == nil, let chat = chats[reference] else {
            count(item.chatItem, in: reference, before: nil, &changes)
            return
        }
        count(item.chatItem, in: reference, before: nil, &changes)
        if chat.chatItems.last.map({ chat.precedes($0, item.chatItem) }) ?? true {
            chats[reference]?.chatItems = [item.chatItem]
            changes.append(.chat(user.userID, reference))
        }
    }

    /// Takes in an item that is not as it was.
    ///
    /// - Parameter isDeletion: True if the item has just been marked as deleted.
    mutating func refresh(_ item: ItemInChat, isDeletion: Bool = false, _ changes: inout [ChatModelChange]) {
        guard let reference = item.chatInfo.reference, !deletedChats.contains(reference.whole) else { return }
        update(item.chatInfo, &changes)
        take(item.chatInfo, &changes)
        let known = knownItem(item.chatItem.id, in: reference)
        var item = item
        if let known {
            // What a command answers may be older than what was reported while it was on its way.
            if item.chatItem.meta.updatedAt < known.meta.updatedAt { return }
            if item.chatItem.meta.status.stage < known.meta.status.stage { item.chatItem.meta.status = known.meta.status }
        }
        if let known {
            let before = known.meta.deleted == nil ? 1 : 0, after = item.chatItem.meta.deleted == nil ? 1 : 0
            countComment(item.chatItem, by: after - before, in: reference, &changes)
        } else if isDeletion, item.chatItem.meta.deleted != nil {
            countComment(item.chatItem, by: -1, in: reference, &changes)
        }
        for key in windowKeys(of: reference) where windows[key]?.update(item.chatItem) == true {
            changes.append(.items(user.userID, key, added: false))
        }
        if let known { count(item.chatItem, in: reference, before: known, &changes) }
        if reference.scope == nil, chats[reference]?.chatItems.last?.id == item.chatItem.id {
            chats[reference]?.chatItems = [item.chatItem]
            changes.append(.chat(user.userID, reference))
        }
    }

    /// Takes in that an item was deleted, or marked as deleted.
    mutating func delete(_ deletion: ChatItemDeletion, _ changes: inout [ChatModelChange]) {
        if let marked = deletion.toChatItem {
            refresh(marked, isDeletion: deletion.deletedChatItem.chatItem.meta.deleted == nil, &changes)
        } else if let reference = deletion.deletedChatItem.chatInfo.reference {
            update(deletion.deletedChatItem.chatInfo, &changes)
            remove([deletion.deletedChatItem.chatItem.id], from: reference, last: deletion.deletedChatItem.chatItem, &changes)
        }
    }

    /// Applies that items were deleted. `last` is one of them, if the event contains it.
    mutating func remove(
        _ ids: [ChatItemID], from reference: ChatReference, last: ChatItem? = nil, _ changes: inout [ChatModelChange]
    ) {
        for id in ids {
            let known = knownItem(id, in: reference) ?? (last?.id == id ? last : nil)
            for key in windowKeys(of: reference) where windows[key]?.remove(id) != nil {
                changes.append(.items(user.userID, key, added: false))
            }
            if let known, known.meta.deleted == nil { countComment(known, by: -1, in: reference, &changes) }
            guard reference.scope == nil else { continue }
            if let known {
                updateStats(reference, &changes) { stats in
                    if known.isUnread { stats.unreadCount = max(0, stats.unreadCount - 1) }
                    if known.isUnread, known.meta.userMention { stats.unreadMentions = max(0, stats.unreadMentions - 1) }
                    if known.isActiveReport { stats.reportsCount = max(0, stats.reportsCount - 1) }
                }
                updateFirstUnread(reference, without: known, &changes)
            }
            if chats[reference]?.chatItems.last?.id == id { replacePreview(reference, &changes) }
        }
    }

    /// Takes in that items were read.
    mutating func markRead(_ ids: [ChatItemID]?, in reference: ChatReference, _ changes: inout [ChatModelChange]) {
        let marked = ids.map { Set($0) }
        var newlyRead: [ChatItemID: ChatItem] = [:]
        func read(_ item: inout ChatItem) {
            guard item.isUnread, marked?.contains(item.id) ?? true else { return }
            newlyRead[item.id] = item
            item.meta.status = .receivedRead
        }
        for key in windowKeys(of: reference) where windows[key]?.updateAll({ read(&$0) }) == true {
            changes.append(.items(user.userID, key, added: false))
        }
        if let marked, reference.scope != nil { markRead(marked.count, items: Array(newlyRead.values), in: reference, &changes) }
        guard reference.scope == nil, var chat = chats[reference] else { return }
        for index in chat.chatItems.indices { read(&chat.chatItems[index]) }
        if let marked {
            // Of items that are not loaded it is not known whether they were unread; the core only lets unread ones be read.
            let mentions = newlyRead.values.count { $0.meta.userMention }
            chat.chatStats.unreadCount = max(0, chat.chatStats.unreadCount - marked.count)
            chat.chatStats.unreadMentions = max(0, chat.chatStats.unreadMentions - mentions)
            if chat.chatStats.unreadCount == 0 { chat.chatStats.minUnreadItemID = 0 }
        } else {
            chat.chatStats.unreadCount = 0
            chat.chatStats.unreadMentions = 0
            chat.chatStats.minUnreadItemID = 0
            chat.chatStats.unreadChat = false
        }
        guard chat != chats[reference] else { return }
        chats[reference] = chat
        changes.append(.chat(user.userID, reference))
        if chat.chatStats.minUnreadItemID != 0 { updateFirstUnread(reference, without: nil, &changes) }
    }

    /// Takes in that members were removed with their messages: these are marked as moderated, or emptied where the group has
    /// irreversible deletion.
    mutating func moderate(
        _ members: Set<GroupMemberID>, by moderator: GroupMember, in group: GroupInfo, _ changes: inout [ChatModelChange]
    ) {
        let isFull = group.fullGroupPreferences.fullDelete.enable == .on
        func mark(_ item: inout ChatItem) {
            let author = item.direction == .groupSent ? group.membership.groupMemberID : item.direction.member?.groupMemberID
            guard let author, members.contains(author), item.meta.deleted == nil else { return }
            if isFull, item.isMessage { item.content = item.direction.isSent ? .sentModerated : .receivedModerated }
            item.meta.deleted = .moderated(deletedAt: nil, byMember: moderator)
        }
        for key in windows.keys where key.chat.whole == .group(group.groupID) && windows[key]?.updateAll({ mark(&$0) }) == true {
            changes.append(.items(user.userID, key, added: false))
        }
        guard var chat = chats[.group(group.groupID)] else { return }
        for index in chat.chatItems.indices { mark(&chat.chatItems[index]) }
        guard chat != chats[.group(group.groupID)] else { return }
        chats[.group(group.groupID)] = chat
        changes.append(.chat(user.userID, .group(group.groupID)))
    }

    /// Takes in that all items of a chat, or of a part of a group, are gone but its head.
    mutating func clear(_ reference: ChatReference, _ changes: inout [ChatModelChange]) {
        for key in windows.keys where key.chat == reference || key.chat.whole == reference {
            windows[key]?.clear()
            changes.append(.items(user.userID, key, added: false))
        }
        guard let stats = chats[reference]?.chatStats else { return }
        chats[reference]?.chatStats = ChatStats(unreadChat: stats.unreadChat)
        replacePreview(reference, &changes)
    }
}

extension UserState {
    /// Counts an item that is new, or not as it was.
    private mutating func count(
        _ item: ChatItem, in reference: ChatReference, before: ChatItem?, _ changes: inout [ChatModelChange]
    ) {
        let isCounted = before == nil || item.isUnread != before?.isUnread || item.isActiveReport != before?.isActiveReport
        guard isCounted, item.meta.parentItemID == nil else { return }
        if before == nil, let counted = counted[reference.whole], item.id <= counted { return }
        // Reports count wherever they were made, unread items of a part of a group only there.
        let unread = reference.scope != nil ? 0 : (item.isUnread ? 1 : 0) - (before?.isUnread == true ? 1 : 0)
        let reports = (item.isActiveReport ? 1 : 0) - (before?.isActiveReport == true ? 1 : 0)
        updateStats(reference.whole, &changes) { stats in
            stats.unreadCount = max(0, stats.unreadCount + unread)
            if item.meta.userMention { stats.unreadMentions = max(0, stats.unreadMentions + unread) }
            if unread > 0, stats.minUnreadItemID == 0 || item.id < stats.minUnreadItemID { stats.minUnreadItemID = item.id }
            stats.reportsCount = max(0, stats.reportsCount + reports)
        }
        if unread < 0 { updateFirstUnread(reference, without: item, &changes) }
    }

    /// Finds the oldest unread item anew, as far as items are loaded.
    private mutating func updateFirstUnread(
        _ reference: ChatReference, without item: ChatItem?, _ changes: inout [ChatModelChange]
    ) {
        let loaded = windows[ItemsKey(reference)]?.items.filter(\.isUnread).map(\.id).min()
        updateStats(reference, &changes) { stats in
            if stats.unreadCount == 0 {
                stats.minUnreadItemID = 0
            } else if let loaded, item == nil || stats.minUnreadItemID == item?.id {
                stats.minUnreadItemID = loaded
            }
        }
    }

    /// Counts a comment at its post, as far as that is loaded. What a core answers later has the count of the core.
    private mutating func countComment(
        _ item: ChatItem, by change: Int, in reference: ChatReference, _ changes: inout [ChatModelChange]
    ) {
        guard change != 0, let id = item.meta.parentItemID, var post = knownItem(id, in: reference) else { return }
        let total = max(0, (post.meta.commentsTotal ?? 0) + change)
        post.meta.commentsTotal = total == 0 ? nil : total
        for key in windowKeys(of: reference) where windows[key]?.update(post) == true {
            changes.append(.items(user.userID, key, added: false))
        }
        guard chats[reference]?.chatItems.last?.id == id else { return }
        chats[reference]?.chatItems = [post]
        changes.append(.chat(user.userID, reference))
    }

    /// The item as it is known.
    func knownItem(_ id: ChatItemID, in reference: ChatReference) -> ChatItem? {
        if reference.scope == nil, let preview = chats[reference]?.chatItems.last, preview.id == id { return preview }
        for (key, window) in windows where key.chat == reference {
            if let item = window[id] { return item }
        }
        return nil
    }

    /// Puts the newest item that is loaded into the list; if that is not known, says so.
    private mutating func replacePreview(_ reference: ChatReference, _ changes: inout [ChatModelChange]) {
        let window = windows[ItemsKey(reference)]
        let newest = window?.reachesNewest == true ? window?.newest : nil
        chats[reference]?.chatItems = newest.map { [$0] } ?? []
        changes.append(.chat(user.userID, reference))
        if newest == nil { changes.append(.previewMissing(user.userID, reference)) }
    }

    /// The windows of a chat, or of a part of a group.
    private func windowKeys(of reference: ChatReference) -> [ItemsKey] { windows.keys.filter { $0.chat == reference } }
}

extension Chat {
    /// The order of items in the chat.
    fileprivate func precedes(_ left: ChatItem, _ right: ChatItem) -> Bool {
        ItemsWindow(byItemTime: chatInfo.chatType == .group).precedes(left, right)
    }
}

extension ItemStatus {
    /// The rank of a status: an item does not return to an earlier status.
    fileprivate var stage: Int {
        switch self {
        case .sendNew, .receivedNew, .invalid, .other: 0
        case .sendWarning: 1
        case .sent(.partial), .receivedRead: 2
        case .sent, .sendError, .sendErrorAuth: 3
        case .sendReceived(_, .partial): 4
        case .sendReceived: 5
        }
    }
}
