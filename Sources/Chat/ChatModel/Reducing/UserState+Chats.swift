import ChatAPI
import ChatProtocol

extension UserState {
    /// Takes in what is known of whom a chat is with, keeping items and counts. A chat that is not listed yet is added if it
    /// belongs into the list.
    mutating func update(_ info: ChatInfo, _ changes: inout [ChatModelChange]) {
        guard let reference = info.reference?.whole, !deletedChats.contains(reference) else { return }
        var info = info.whole
        if let old = chats[reference]?.chatInfo {
            info.keepLater(old)
            guard info != old else { return }
            chats[reference]?.chatInfo = info
            if let contact = info.contact, contact.profile != old.contact?.profile || contact.localDisplayName != old.contact?.localDisplayName {
                updateMembers(for: contact, &changes)
            }
        } else {
            guard info.isListed else { return }
            chats[reference] = Chat(chatInfo: info, chatItems: [])
        }
        changes.append(.chat(user.userID, reference))
        if let connection = info.contact?.activeConnection { remove(.connection(connection.connectionID), &changes) }
    }

    /// Adds a chat, or replaces it with its items and counts.
    mutating func replace(_ chat: Chat, _ changes: inout [ChatModelChange]) {
        guard let reference = chat.chatInfo.reference?.whole else { return }
        deletedChats.remove(reference)
        guard chats[reference] != chat else { return }
        chats[reference] = chat
        changes.append(.chat(user.userID, reference))
    }

    /// Removes a deleted chat; later events about it are ignored.
    mutating func remove(_ reference: ChatReference, buried: Bool = false, _ changes: inout [ChatModelChange]) {
        if buried { deletedChats.insert(reference) }
        for key in windows.keys where key.chat.whole == reference { windows[key] = nil }
        if reference.type == .group { members[GroupID(reference.id)] = nil }
        if chats.removeValue(forKey: reference) != nil { changes.append(.chatRemoved(user.userID, reference)) }
    }

    /// Changes the counts of a chat.
    mutating func updateStats(
        _ reference: ChatReference, _ changes: inout [ChatModelChange], _ change: (inout ChatStats) -> Void
    ) {
        guard var stats = chats[reference]?.chatStats else { return }
        change(&stats)
        guard stats != chats[reference]?.chatStats else { return }
        chats[reference]?.chatStats = stats
        changes.append(.chat(user.userID, reference))
    }
}

extension ChatInfo {
    /// The whole group, of a part of it.
    var whole: ChatInfo {
        if case .group(let group, _) = self { .group(groupInfo: group, scope: nil) } else { self }
    }

    /// True if the core puts the chat into lists.
    var isListed: Bool {
        switch self {
        case .direct(let contact): contact.contactUsed && contact.contactID > 1
        case .contactConnection(let connection): connection.status != .prepared
        case .group, .local, .contactRequest: true
        case .other: false
        }
    }

    /// Keeps what is known from later. Events show a chat as it was read some time before, and an answer can come behind an event of what happened after
    /// the command.
    mutating func keepLater(_ old: ChatInfo) {
        switch (self, old) {
        case (.direct(var contact), .direct(let old)):
            contact.keepLater(old)
            contact.chatTimestamp = later(contact.chatTimestamp, old.chatTimestamp)
            self = .direct(contact: contact)
        case (.group(var group, let scope), .group(let old, _)):
            group.keepLater(old)
            group.chatTimestamp = later(group.chatTimestamp, old.chatTimestamp)
            self = .group(groupInfo: group, scope: scope)
        case (.local(var folder), .local(let old)):
            folder.chatTimestamp = max(folder.chatTimestamp, old.chatTimestamp)
            self = .local(noteFolder: folder)
        default: break
        }
    }

    private func later(_ one: UTCTimestamp?, _ other: UTCTimestamp?) -> UTCTimestamp? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }
}

extension Contact {
    fileprivate mutating func keepLater(_ old: Contact) {
        if old.updatedAt > updatedAt {
            (localDisplayName, profile, updatedAt) = (old.localDisplayName, old.profile, old.updatedAt)
            (userPreferences, mergedPreferences, status) = (old.userPreferences, old.mergedPreferences, old.status)
        }
        // A connection that is ready does not go back.
        guard let known = old.activeConnection, let connection = activeConnection, known.connectionID == connection.connectionID, known.status == .ready
        else { return }
        switch connection.status {
        case .new, .prepared, .joined, .requested, .accepted, .sendReady: activeConnection = known
        case .ready, .deleted, .failed, .other: break
        }
    }
}

extension GroupInfo {
    fileprivate mutating func keepLater(_ old: GroupInfo) {
        if old.updatedAt > updatedAt {
            (localDisplayName, groupProfile, updatedAt) = (old.localDisplayName, old.groupProfile, old.updatedAt)
            (fullGroupPreferences, membership) = (old.fullGroupPreferences, old.membership)
        }
    }
}
