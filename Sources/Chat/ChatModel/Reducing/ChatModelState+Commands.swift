import ChatAPI
import ChatProtocol

extension ChatModelState {
    /// Applies a command whose response says only that it succeeded.
    mutating func applyDone(_ command: ChatCommand, as sender: UserID?, _ changes: inout [ChatModelChange]) {
        switch command {
        case .users(let command): applyDone(command, &changes)
        case .chats(let command):
            guard let user = (sender ?? activeUserID).flatMap({ users[$0]?.user }) else { return }
            mutate(user) { $0.applyDone(command, &changes) }
        case .contacts(.setCustomData(let id, let data)):
            updateContact(id, as: sender, &changes) { $0.customData = data }
        case .groups(.setCustomData(let id, let data)):
            updateGroup(id, as: sender, &changes) { $0.customData = data }
        case .groups(.setMemberSettings(let group, let id, let settings)):
            guard let user = (sender ?? activeUserID).flatMap({ users[$0]?.user }) else { return }
            mutate(user) { state in
                guard var member = state.members[group]?[id] else { return }
                member.settings = settings
                state.updateMembers(of: group, &changes) { $0.set(member) }
            }
        default: break
        }
    }

    private mutating func applyDone(_ command: UserCommand, _ changes: inout [ChatModelChange]) {
        switch command {
        case .delete(let id, _, _): removeUser(id, &changes)
        case .deleteNamed(let name, _):
            if let id = users.values.first(where: { $0.user.localDisplayName == name })?.user.userID { removeUser(id, &changes) }
        case .setContactReceipts(let id, let settings): updateUser(id, &changes) { $0.sendsReceiptsToContacts = settings.enable }
        case .setGroupReceipts(let id, let settings): updateUser(id, &changes) { $0.sendsReceiptsToSmallGroups = settings.enable }
        case .setAllReceipts(let on):
            for id in users.keys {
                updateUser(id, &changes) { user in
                    user.sendsReceiptsToContacts = on
                    user.sendsReceiptsToSmallGroups = on
                }
            }
        case .setAutoAcceptMemberContacts(let id, let on): updateUser(id, &changes) { $0.autoAcceptsMemberContacts = on }
        case .setThemes(let id, let themes): updateUser(id, &changes) { $0.uiThemes = themes }
        case .markRead(let id):
            guard let user = (id ?? activeUserID).flatMap({ users[$0]?.user }) else { return }
            mutate(user) { state in
                for reference in state.chats.keys { state.markRead(nil, in: reference, &changes) }
            }
        default: break
        }
    }

    private mutating func updateUser(_ id: UserID?, _ changes: inout [ChatModelChange], _ change: (inout User) -> Void) {
        guard var user = (id ?? activeUserID).flatMap({ users[$0]?.user }) else { return }
        change(&user)
        update(user, &changes)
    }

    private mutating func updateContact(
        _ id: ContactID, as sender: UserID?, _ changes: inout [ChatModelChange], _ change: (inout Contact) -> Void
    ) {
        guard let user = (sender ?? activeUserID).flatMap({ users[$0]?.user }) else { return }
        mutate(user) { state in
            guard var contact = state.chats[.direct(id)]?.chatInfo.contact else { return }
            change(&contact)
            state.update(.direct(contact: contact), &changes)
        }
    }

    private mutating func updateGroup(
        _ id: GroupID, as sender: UserID?, _ changes: inout [ChatModelChange], _ change: (inout GroupInfo) -> Void
    ) {
        guard let user = (sender ?? activeUserID).flatMap({ users[$0]?.user }) else { return }
        mutate(user) { state in
            guard var group = state.chats[.group(id)]?.chatInfo.groupInfo else { return }
            change(&group)
            state.update(.group(groupInfo: group, scope: nil), &changes)
        }
    }
}

extension UserState {
    fileprivate mutating func applyDone(_ command: ChatsCommand, _ changes: inout [ChatModelChange]) {
        switch command {
        case .markRead(let reference): markRead(nil, in: reference, &changes)
        case .markUnread(let reference, let unread): updateStats(reference, &changes) { $0.unreadChat = unread }
        case .setSettings(let reference, let settings): change(reference, &changes) { $0.with(settings: settings) }
        case .setMessageTTL(_, let reference, let seconds): change(reference, &changes) { $0.with(ttl: seconds) }
        case .setThemes(let reference, let themes): change(reference, &changes) { $0.with(themes: themes) }
        case .deleteTag(let id):
            tags.removeAll { $0.chatTagID == id }
            changes.append(.tags(user.userID))
            for (reference, chat) in chats where chat.chatInfo.tags.contains(id) {
                change(reference, &changes) { $0.with(tags: $0.tags.filter { $0 != id }) }
            }
        case .updateTag(let id, let data):
            guard let index = tags.firstIndex(where: { $0.chatTagID == id }) else { return }
            tags[index] = ChatTag(chatTagID: id, text: data.text, emoji: data.emoji)
            changes.append(.tags(user.userID))
        case .reorderTags(let ids):
            let order = Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            tags.sort { order[$0.chatTagID] ?? .max < order[$1.chatTagID] ?? .max }
            changes.append(.tags(user.userID))
        default: break
        }
    }

    private mutating func change(
        _ reference: ChatReference, _ changes: inout [ChatModelChange], _ change: (ChatInfo) -> ChatInfo
    ) {
        guard let info = chats[reference]?.chatInfo else { return }
        update(change(info), &changes)
    }
}
