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

    /// Chats that were asked for.
    mutating func load(_ chats: [Chat], _ user: User, _ command: ChatCommand, _ changes: inout [ChatModelChange]) {
        let newest = chats.compactMap { $0.chatItems.last?.id }.max()
        mutate(user) { $0.load(chats, listing: ChatListing(command, count: chats.count), newest: newest, &changes) }
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
            state.place(window, as: key, &changes)
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

/// Which of the chats a list of chats has.
enum ChatListing {
    /// All.
    case all
    /// All but connections that are not those of contacts yet.
    case allButPending
    /// Some.
    case some

    init(_ command: ChatCommand, count: Int) {
        guard case .chats(.list(_, let pending, .last(let limit), .all)) = command, count < limit else {
            self = .some
            return
        }
        self = pending ? .all : .allButPending
    }
}

extension UserState {
    /// Takes in chats as they are now. Those of a whole list replace what was known.
    ///
    /// - Parameter newest: The newest item that the core had shown in the list. Events of items up to it may still be on their way.
    mutating func load(_ list: [Chat], listing: ChatListing, newest: ChatItemID?, _ changes: inout [ChatModelChange]) {
        if listing != .some {
            let listed = Set(list.compactMap { $0.chatInfo.reference })
            for reference in chats.keys where !listed.contains(reference) {
                if reference.type == .contactConnection, listing == .allButPending { continue }
                remove(reference, &changes)
            }
            isLoaded = true
            missesEvents = false
        }
        for chat in list {
            if let reference = chat.chatInfo.reference { counted[reference] = newest }
            replace(chat, &changes)
        }
    }

    /// Puts a window with a page that was loaded in its place; nil if its chat is gone.
    mutating func place(_ window: ItemsWindow?, as key: ItemsKey, _ changes: inout [ChatModelChange]) {
        windows[key] = window
        changes.append(.items(user.userID, key, added: false))
        let reference = key.chat
        guard key == ItemsKey(reference.whole), window?.reachesNewest == true else { return }
        if chats[reference]?.chatItems.isEmpty == true, let newest = window?.newest {
            chats[reference]?.chatItems = [newest]
            changes.append(.chat(user.userID, reference))
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
