import ChatAPI
import ChatProtocol

extension ChatModelState {
    /// All profiles that are not hidden.
    mutating func replaceUsers(_ list: [UserInfo], _ changes: inout [ChatModelChange]) {
        for info in list {
            update(info.user, &changes)
            users[info.user.userID]?.reportedUnreadCount = info.unreadCount
            if info.user.isActive { activeUserID = info.user.userID }
        }
        // Hidden profiles are not listed unless they are active.
        let listed = Set(list.map(\.user.userID))
        for (id, state) in users where !listed.contains(id) && state.user.viewPasswordHash == nil { removeUser(id, &changes) }
    }

    /// A profile that was deleted.
    mutating func removeUser(_ id: UserID, _ changes: inout [ChatModelChange]) {
        guard users.removeValue(forKey: id) != nil else { return }
        if activeUserID == id { activeUserID = nil }
        changes.append(.userRemoved(id))
    }

    /// The database was replaced: nothing that was known is true any more.
    mutating func reset(_ changes: inout [ChatModelChange]) {
        for id in users.keys { removeUser(id, &changes) }
        setRunning(false, &changes)
    }

    /// Chats that were asked for. Those of a whole list replace what was known.
    mutating func load(_ chats: [Chat], _ user: User, _ command: ChatCommand, _ changes: inout [ChatModelChange]) {
        mutate(user) { state in
            guard case .chats(.list(_, let pending, .last(let count), .all)) = command, chats.count < count else {
                for chat in chats { state.replace(chat, &changes) }
                return
            }
            let listed = Set(chats.compactMap { $0.chatInfo.reference })
            for reference in state.chats.keys where !listed.contains(reference) {
                if reference.type == .contactConnection, !pending { continue }
                state.remove(reference, &changes)
            }
            for chat in chats { state.replace(chat, &changes) }
            state.isLoaded = true
        }
    }

    /// A page of a chat. Pages that were searched for do not go into windows.
    mutating func load(
        _ chat: Chat, _ navigation: NavigationInfo?, _ user: User, _ command: ChatCommand, _ changes: inout [ChatModelChange]
    ) {
        guard case .chats(.page(let reference, let post, let content, let pagination, nil)) = command,
            let filter = ItemsKey.Filter(content: content, commentsOn: post)
        else { return }
        let key = ItemsKey(reference, filter: filter)
        let limit = windowLimit
        mutate(user) { state in
            state.update(chat.chatInfo, &changes)
            var window =
                state.windows[key] ?? ItemsWindow(limit: limit, byItemTime: reference.type == .group)
            window.add(page: chat.chatItems, pagination: pagination, navigation: navigation)
            state.windows[key] = window
            changes.append(.items(user.userID, key, added: false))
            guard key == ItemsKey(reference.whole), window.reachesNewest else { return }
            if state.chats[reference]?.chatItems.isEmpty == true, let newest = window.newest {
                state.chats[reference]?.chatItems = [newest]
                changes.append(.chat(user.userID, reference))
            }
        }
    }

    mutating func setTags(
        _ tags: [ChatTag], _ user: User, _ command: ChatCommand, _ response: ChatResponse, _ changes: inout [ChatModelChange]
    ) {
        mutate(user) { state in
            if state.tags != tags {
                state.tags = tags
                changes.append(.tags(user.userID))
            }
            if case .tagsUpdated(_, _, let ids) = response, case .chats(.setTags(let reference, _)) = command {
                guard let info = state.chats[reference]?.chatInfo.with(tags: ids) else { return }
                state.update(info, &changes)
            }
        }
    }

    mutating func setAddress(_ link: UserContactLink?, _ user: User, _ changes: inout [ChatModelChange]) {
        guard users[user.userID]?.address != link else { return }
        users[user.userID]?.address = link
        changes.append(.address(user.userID))
    }

    /// Some items were read.
    mutating func read(_ info: ChatInfo, _ user: User, _ command: ChatCommand, _ changes: inout [ChatModelChange]) {
        guard case .chats(.markItemsRead(let reference, let ids)) = command else { return }
        mutate(user) { state in
            state.update(info, &changes)
            state.markRead(ids, in: reference, &changes)
        }
    }
}

extension ChatInfo {
    /// The same with other settings.
    func with(settings: ChatSettings) -> ChatInfo {
        switch self {
        case .direct(var contact):
            contact.chatSettings = settings
            return .direct(contact: contact)
        case .group(var group, let scope):
            group.chatSettings = settings
            return .group(groupInfo: group, scope: scope)
        default: return self
        }
    }

    /// The same with other tags.
    func with(tags: [ChatTagID]) -> ChatInfo {
        switch self {
        case .direct(var contact):
            contact.chatTags = tags
            return .direct(contact: contact)
        case .group(var group, let scope):
            group.chatTags = tags
            return .group(groupInfo: group, scope: scope)
        default: return self
        }
    }

    /// The same with another time after which messages are deleted.
    func with(ttl: Int64?) -> ChatInfo {
        switch self {
        case .direct(var contact):
            contact.chatItemTTL = ttl
            return .direct(contact: contact)
        case .group(var group, let scope):
            group.chatItemTTL = ttl
            return .group(groupInfo: group, scope: scope)
        default: return self
        }
    }

    /// The same with other colours.
    func with(themes: JSONValue?) -> ChatInfo {
        switch self {
        case .direct(var contact):
            contact.uiThemes = themes
            return .direct(contact: contact)
        case .group(var group, let scope):
            group.uiThemes = themes
            return .group(groupInfo: group, scope: scope)
        default: return self
        }
    }
}
