import ChatAPI
import ChatRules
import ChatStore

extension Conversations {
    /// The comments on a post that a command names.
    ///
    /// - Throws: `chatItemNotFound` if there is no such post.
    func comments(on post: ChatItemID, in group: GroupInfo) throws -> GroupConversation {
        guard group.usesRelays else { throw Refusal.command(CommentRefusal.noChannel.rawValue) }
        guard let stored = try db.items.find(post, owner: .group(group.groupID), at: now), stored.isPost, stored.item.meta.sharedMessageID != nil else {
            throw Refusal.store(.chatItemNotFound(itemID: post))
        }
        return GroupConversation(group, post: stored)
    }

    func comments(on post: ChatItemID, in chat: ChatReference, of user: User) throws -> GroupConversation {
        guard chat.type == .group, chat.scope == nil else { throw Refusal.command(CommentRefusal.noChannel.rawValue) }
        return try comments(on: post, in: try group(GroupID(chat.id), of: user))
    }

    /// The post that an item comments; nil for all other items.
    func commentedPost(of stored: StoredItem) throws -> StoredItem? {
        try stored.item.meta.parentItemID.flatMap { try db.items.find($0, owner: stored.owner, at: now) }
    }

    /// The part of a group that an item is in.
    func groupConversation(of stored: StoredItem, in group: GroupID, of user: User) throws -> GroupConversation {
        var chat = try groupConversation(group, scope: stored.scope, of: user)
        chat.post = try commentedPost(of: stored)
        return chat
    }

    /// True if the client of a connected member knows comments.
    func knowsComments(_ member: GroupMember) throws -> Bool {
        try member.activeConnection.map { try db.connections.knowsComments($0.connectionID) } ?? false
    }
}
