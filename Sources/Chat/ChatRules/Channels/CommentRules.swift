package import ChatAPI
package import ChatProtocol
import SMPWire

/// The reason why a comment is refused. Errors have these texts.
package enum CommentRefusal: String, Error, Hashable {
    case noChannel = "comments are only supported in channel groups"
    case noPost = "channel comment parent not found"
    case welcome = "the welcome message of a channel takes no comments"
    case forgedPost = "channel comment parent has another author"
    case noAuthor = "a comment requires an author"
    case notAllowed = "channel comments are not allowed"
    case disabled = "comments of the channel post are disabled"
    case closed = "channel post comments are closed"
    case role = "member is not allowed to comment"
    case content = "reports and support messages are no comments"
    case foreignQuote = "quoted item does not belong to the same comment section"
    case noRelay = "no relay of the channel passes on comments"
    case tooMany = "too many comments of a member"
}

/// The rules of comments. The same rules hold for the comments of this profile and for those that come: a relay checks them before it passes one on, and
/// each receiver again.
package enum CommentRules {
    /// - Parameters:
    ///   - post: The post that is commented.
    ///   - member: The author of the comment.
    ///   - time: The time at which the comment was sent, as its router tells.
    /// - Returns: nil if the comment is taken.
    package static func refusal(on post: StoredItem, by member: GroupMember, in group: GroupInfo, at time: UTCTimestamp) -> CommentRefusal? {
        guard group.usesRelays else { return .noChannel }
        guard post.isPost, post.item.meta.deleted == nil else { return .noPost }
        guard group.allows(.comments) else { return .notAllowed }
        guard post.item.meta.commentsDisabled != true else { return .disabled }
        if let duration = group.fullGroupPreferences.comments.duration,
            time.seconds - post.item.meta.itemTimestamp.seconds > Int64(clamping: duration)
        {
            return .closed
        }
        return GroupAction.write(.comments).right.permits(member.role, inChannel: true) ? nil : .role
    }
}

extension StoredItem {
    /// True for an item that can be commented: a message that all members of a group see, and that is not a comment itself.
    package var isPost: Bool { message != nil && scope == nil && owner.groupID != nil && item.meta.parentItemID == nil }
}

extension GroupConversation {
    /// The post whose comments the conversation is, as messages name it.
    package var postReference: MessageReference? {
        post.map { post in
            MessageReference(
                messageID: post.item.meta.sharedMessageID, sentAt: post.item.meta.itemTimestamp, sent: post.isSent,
                memberID: post.author(in: .group(self)))
        }
    }

    /// Tells whether messages of the conversation may quote an item: comments quote their post and what else is said about it.
    package func mayQuote(_ stored: StoredItem) -> Bool {
        guard let post else { return true }
        return stored.id == post.id || stored.item.meta.parentItemID == post.id
    }
}
