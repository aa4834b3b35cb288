import ChatAPI
import ChatProtocol
import Synchronization

@testable import Parley

extension ScriptedCore {
    /// A member types a message live: it is stored and announced with its first letters.
    func beginTyping(_ text: String, from member: GroupMember, in group: GroupInfo, announcing: Bool = true) -> ChatItemID {
        receive(text, from: member, in: group, announcing: announcing) { $0.meta.isLive = true }
    }

    /// The text of a message in a group changes.
    ///
    /// - Parameters:
    ///   - isLive: whether it is still being typed.
    ///   - isEdited: whether it was finished before.
    func type(
        _ text: String, as id: ChatItemID, in group: GroupInfo, isLive: Bool = true, isEdited: Bool = false, announcing: Bool = true,
        _ change: (inout ChatItem) -> Void = { _ in }
    ) {
        let chat = ChatReference.group(group.groupID)
        let entry = state.withLock { state -> ItemInChat? in
            guard let index = state.groupItems[chat]?.firstIndex(where: { $0.id == id }), var item = state.groupItems[chat]?[index] else { return nil }
            item.content = .receivedMessage(content: .text(text))
            item.meta.text = text
            item.meta.isEdited = isEdited
            item.meta.isLive = isLive
            change(&item)
            state.groupItems[chat]?[index] = item
            return ItemInChat(chatInfo: .group(groupInfo: group, scope: nil), chatItem: item)
        }
        if announcing, let entry { publish { .chatItemUpdated(user: $0, chatItem: entry) } }
    }

    /// The author deletes a message of a group.
    func delete(_ id: ChatItemID, in group: GroupInfo) {
        let chat = ChatReference.group(group.groupID)
        let deleted = state.withLock { state -> ChatItem? in
            let item = state.groupItems[chat]?.first { $0.id == id }
            state.groupItems[chat]?.removeAll { $0.id == id }
            return item
        }
        guard let deleted else { return }
        let entry = ItemInChat(chatInfo: .group(groupInfo: group, scope: nil), chatItem: deleted)
        publish { .chatItemsDeleted(user: $0, deletions: [ChatItemDeletion(deletedChatItem: entry)], byUser: false, timed: false) }
    }
}
