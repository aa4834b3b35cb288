import ChatAPI

// The answer to a read may be older than what the model has taken in while the read was out, and some of that may be in the answer already. So the
// answer is first brought up to date in a state that knows nothing else, and then put in the place of what was known. Counts that have moved
// meanwhile are those of the model, where it has counted from before: what is in the answer already would be counted twice.

extension ChatModelState {
    /// Applies the answer of a core to a read, and the changes since the read was sent.
    mutating func apply(
        _ response: ChatResponse, to command: ChatCommand, as sender: UserID?, before later: ArraySlice<ChatModelInput>
    ) -> [ChatModelChange] {
        guard !later.isEmpty else { return apply(response, to: command, as: sender) }
        let (answered, current, reported) = replay(later, over: response, to: command, as: sender)
        var changes: [ChatModelChange] = []
        if case .usersList = response {
            take(users: answered, current, &changes)
            return changes
        }
        // The profile may have been deleted meanwhile.
        guard let user = response.user, let answered = answered.users[user.userID], let current = current.users[user.userID] else { return [] }
        know(user, &changes)
        mutate(user) { state in
            switch (response, command) {
            case (.apiChats(_, let chats), _):
                let listing = ChatListing(command, count: chats.count), newest = answered.counted.values.max()
                state.load(state.chats(answered, current), listing: listing, newest: newest, &changes)
                for case .previewMissing(_, let chat) in reported where state.chats[chat]?.chatItems.isEmpty == true {
                    changes.append(.previewMissing(user.userID, chat))
                }
            case (.apiChat(_, let chat, _), .chats(.page(let reference, _, _, _, _))):
                if let info = current.chats[reference.whole]?.chatInfo { state.update(info, &changes) }
                for key in answered.windows.keys { state.place(state.window(key, showing: chat.chatItems, answered, current), as: key, &changes) }
            case (.groupMembers(_, let group), _):
                let id = group.groupInfo.groupID
                if let info = current.chats[.group(id)]?.chatInfo { state.update(info, &changes) }
                guard let old = answered.members[id], let new = current.members[id] else { return }
                state.place(new.keeping(state.members[id], whereChangedFrom: old), of: id, &changes)
            case (.chatTags, _):
                guard state.tags != current.tags else { return }
                state.tags = current.tags
                changes.append(.tags(user.userID))
            case (.userContactLink, _):
                guard state.address != current.address else { return }
                state.address = current.address
                changes.append(.address(user.userID))
            default: break
            }
        }
        return changes
    }

    /// Checks whether the counts of a list are unknown: unread items were deleted or read while it was read, the list does not show whether it has counted
    /// them, and nothing is known from before.
    func cannotCount(_ later: ArraySlice<ChatModelInput>, over command: ChatCommand) -> Bool {
        guard case .chats(.list(let id, _, _, _)) = command, later.contains(where: \.mayLowerCounts) else { return false }
        return users[id]?.isCurrent != true
    }

    /// Takes in the newest item of a chat whose preview is not known, from a page of the newest items. The page is not kept.
    mutating func applyPreview(
        of chat: ChatReference, _ response: ChatResponse, to command: ChatCommand, as sender: UserID, before later: ArraySlice<ChatModelInput>
    ) -> [ChatModelChange] {
        let (_, current, _) = replay(later, over: response, to: command, as: sender, isAlone: true)
        guard users[sender]?.chats[chat]?.chatItems.isEmpty == true, let window = current.users[sender]?.windows[ItemsKey(chat)] else { return [] }
        guard let newest = window.newest else { return window.reachesOldest ? [] : [.previewMissing(sender, chat)] }
        users[sender]?.chats[chat]?.chatItems = [newest]
        return [.chat(sender, chat)]
    }

    /// The state of an answer alone, as it was answered and as it is after the inputs since.
    ///
    /// - Parameter isAlone: True if a page is not added to what is loaded of the chat.
    private func replay(
        _ later: ArraySlice<ChatModelInput>, over response: ChatResponse, to command: ChatCommand, as sender: UserID?, isAlone: Bool = false
    ) -> (answered: ChatModelState, current: ChatModelState, reported: [ChatModelChange]) {
        var state = ChatModelState()
        state.windowLimit = windowLimit
        state.activeUserID = activeUserID
        if let user = response.user {
            state.users[user.userID] = UserState(user: user)
            state.users[user.userID]?.deletedChats = users[user.userID]?.deletedChats ?? []
            if !isAlone, case .chats(.page(let reference, let post, let content, _, _)) = command,
                let filter = ItemsKey.Filter(content: content, commentsOn: post)
            {
                let key = ItemsKey(reference, filter: filter)
                state.users[user.userID]?.windows[key] = users[user.userID]?.windows[key]
            }
        }
        state.apply(response, to: command, as: sender)
        let answered = state
        var reported: [ChatModelChange] = []
        for input in later {
            switch input {
            case .event(let event): reported += state.apply(event)
            case .answer(let response, let command, let sender): reported += state.apply(response, to: command, as: sender)
            }
        }
        return (answered, state, reported)
    }

    /// Takes in all profiles that are not hidden. Of one that is not listed what is known here is newer.
    private mutating func take(users answered: ChatModelState, _ current: ChatModelState, _ changes: inout [ChatModelChange]) {
        let list = current.users.values.map { listed in
            let known = answered.users[listed.user.userID] == nil ? users[listed.user.userID] : nil
            return UserInfo(user: (known ?? listed).user, unreadCount: (known ?? listed).reportedUnreadCount)
        }
        replaceUsers(list, &changes)
    }
}

extension ChatModelInput {
    /// True if a count can be lower by it than before, by a number that depends on what was counted.
    fileprivate var mayLowerCounts: Bool {
        switch self {
        case .event(.chatItemsDeleted), .event(.groupChatItemsDeleted), .answer(.chatItemsDeleted, _, _), .answer(.groupChatItemsDeleted, _, _),
            .answer(_, .chats(.markItemsRead), _):
            true
        default: false
        }
    }
}

extension UserState {
    /// True if what is known of chats and counts goes back to a list of all chats, without a gap.
    fileprivate var isCurrent: Bool { isLoaded && !missesEvents }

    /// The chats of an answer, and those that came since.
    fileprivate func chats(_ answered: UserState, _ current: UserState) -> [Chat] {
        current.chats.map { reference, chat in
            guard let answer = answered.chats[reference] else { return chats[reference] ?? chat }
            guard answer != chat, let known = chats[reference], isCurrent else { return chat }
            return Chat(chatInfo: chat.chatInfo, chatItems: known.chatItems, chatStats: known.chatStats)
        }
    }

    /// A window with a page, after what came since the page was read.
    fileprivate func window(_ key: ItemsKey, showing page: [ChatItem], _ answered: UserState, _ current: UserState) -> ItemsWindow? {
        guard var window = current.windows[key] else { return nil }
        for item in page {
            if let now = window[item.id], now != item, let known = knownItem(item.id, in: key.chat) { window.update(known) }
        }
        return window
    }
}

extension GroupMembers {
    /// These members, with the records that were kept of those who have changed since an answer.
    fileprivate func keeping(_ known: GroupMembers?, whereChangedFrom answered: GroupMembers) -> GroupMembers {
        guard let known, known.isLoaded else { return self }
        var members = self
        members.countedItems = known.countedItems
        for member in all where answered[member.groupMemberID] != member {
            if let record = known[member.groupMemberID] { _ = members.set(record) }
        }
        return members
    }
}
