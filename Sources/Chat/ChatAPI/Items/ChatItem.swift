public import ChatProtocol

/// One entry of a chat: a message, a call, an event.
@JSONMembers
public struct ChatItem: JSONObjectConvertible, Hashable, Identifiable {
    /// Which way it went and who wrote it.
    @JSONName("chatDir") public var direction: ItemDirection
    /// Ids, times, status.
    public var meta: ItemMeta
    /// The content.
    public var content: ItemContent
    /// Members mentioned in a group message, by the name used in the text.
    public var mentions: [String: ItemMention] = [:]
    /// The text split at its markdown; absent when it has none.
    public var formattedText: [FormattedText]?
    /// The item that it answers.
    public var quotedItem: ItemQuote?
    /// Reactions to it.
    public var reactions: [ReactionCount] = []
    /// File that came with it.
    public var file: ItemFile?

    /// Equal to `meta.itemID`.
    public var id: ChatItemID { meta.itemID }
}

/// Which way an item went, and in which kind of chat.
@JSONForms
public indirect enum ItemDirection: JSONTagged, Hashable {
    /// Sent to a contact.
    @JSONName("directSnd") case directSent
    /// Received from a contact.
    @JSONName("directRcv") case directReceived
    /// Sent to a group.
    @JSONName("groupSnd") case groupSent
    /// Received from a group member.
    @JSONName("groupRcv", ["member": "groupMember"])
    case groupReceived(member: GroupMember)
    /// Received from a channel, without an author.
    @JSONName("channelRcv") case channelReceived
    /// A note to oneself.
    @JSONName("localSnd") case localSent
    /// A note by the core.
    @JSONName("localRcv") case localReceived
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A member mentioned in a message.
@JSONMembers
public struct ItemMention: JSONObjectConvertible, Hashable {
    /// Id that all members use.
    public var memberID: MemberID
    /// The member, when it is known here.
    @JSONName("memberRef") public var member: MentionedMember?
}

/// The member that a mention means.
@JSONMembers
public struct MentionedMember: JSONObjectConvertible, Hashable {
    /// Database id.
    public var groupMemberID: GroupMemberID
    /// Name.
    public var displayName: String
    /// Name given locally.
    public var localAlias: String?
    /// The member's role.
    @JSONName("memberRole") public var role: GroupMemberRole
}

/// The number of people with one reaction.
@JSONMembers
public struct ReactionCount: JSONObjectConvertible, Hashable {
    /// The reaction.
    public var reaction: MessageReaction
    /// True if this profile reacted so.
    public var userReacted: Bool
    /// The number of these people.
    public var totalReacted: Int
}

/// One reaction to an item.
@JSONMembers
public struct ItemReaction: JSONObjectConvertible, Hashable {
    /// The side that reacted.
    @JSONName("chatDir") public var direction: ItemDirection
    /// The item.
    public var chatItem: ChatItem
    /// When.
    public var sentAt: UTCTimestamp
    /// How.
    public var reaction: MessageReaction
}

/// A member who reacted.
@JSONMembers
public struct MemberReaction: JSONObjectConvertible, Hashable {
    /// The member.
    @JSONName("groupMember") public var member: GroupMember
    /// When.
    @JSONName("reactionTs") public var reactionTimestamp: UTCTimestamp
}

/// A quote of the item that another answers.
@JSONMembers
public struct ItemQuote: JSONObjectConvertible, Hashable {
    /// The side that wrote it; absent when unknown.
    @JSONName("chatDir") public var direction: ItemDirection?
    /// The item, when it is stored here.
    public var itemID: ChatItemID?
    /// Its id that both sides use.
    @JSONName("sharedMsgId") public var sharedMessageID: SharedMessageID?
    /// When it was sent.
    public var sentAt: UTCTimestamp
    /// The content of the quoted item.
    public var content: MessageContent
    /// Its text split at its markdown.
    public var formattedText: [FormattedText]?
}
