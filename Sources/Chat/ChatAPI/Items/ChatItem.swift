public import ChatProtocol

/// One entry of a chat: a message, a call, an event.
public struct ChatItem: JSONObjectConvertible, Hashable, Identifiable {
    /// Which way it went and who wrote it.
    public var direction: ItemDirection
    /// Ids, times, status.
    public var meta: ItemMeta
    /// What it says.
    public var content: ItemContent
    /// Members mentioned in a group message, by the name used in the text.
    public var mentions: [String: ItemMention]
    /// The text split at its markdown; absent when it has none.
    public var formattedText: [FormattedText]?
    /// What it answers.
    public var quotedItem: ItemQuote?
    /// Reactions to it.
    public var reactions: [ReactionCount]
    /// File that came with it.
    public var file: ItemFile?

    /// Equal to `meta.itemID`.
    public var id: ChatItemID { meta.itemID }

    /// Makes the value from its parts.
    public init(
        direction: ItemDirection, meta: ItemMeta, content: ItemContent, mentions: [String: ItemMention] = [:],
        formattedText: [FormattedText]? = nil, quotedItem: ItemQuote? = nil, reactions: [ReactionCount] = [],
        file: ItemFile? = nil
    ) {
        self.direction = direction
        self.meta = meta
        self.content = content
        self.mentions = mentions
        self.formattedText = formattedText
        self.quotedItem = quotedItem
        self.reactions = reactions
        self.file = file
    }
}

extension ChatItem {
    public init(object: JSONObject) throws(JSONError) {
        direction = try object.required("chatDir")
        meta = try object.required("meta")
        content = try object.required("content")
        mentions = try object.map("mentions")
        formattedText = try object.optional("formattedText")
        quotedItem = try object.optional("quotedItem")
        reactions = try object.optional("reactions") ?? []
        file = try object.optional("file")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["chatDir"] = direction
        object["meta"] = meta
        object["content"] = content
        object["mentions"] = mentions
        object["formattedText"] = formattedText
        object["quotedItem"] = quotedItem
        object["reactions"] = reactions
        object["file"] = file
    }
}

/// Which way an item went, and in which kind of chat.
public indirect enum ItemDirection: JSONTagged, Hashable {
    /// Sent to a contact.
    case directSent
    /// Received from a contact.
    case directReceived
    /// Sent to a group.
    case groupSent
    /// Received from a group member.
    case groupReceived(member: GroupMember)
    /// Received from a channel, without an author.
    case channelReceived
    /// A note to oneself.
    case localSent
    /// A note by the core.
    case localReceived
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ItemDirection {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "directSnd": self = .directSent
        case "directRcv": self = .directReceived
        case "groupSnd": self = .groupSent
        case "groupRcv": self = .groupReceived(member: try object.required("groupMember"))
        case "channelRcv": self = .channelReceived
        case "localSnd": self = .localSent
        case "localRcv": self = .localReceived
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .directSent: object.write("directSnd")
        case .directReceived: object.write("directRcv")
        case .groupSent: object.write("groupSnd")
        case .groupReceived(let member): object.write("groupRcv", ["groupMember": member])
        case .channelReceived: object.write("channelRcv")
        case .localSent: object.write("localSnd")
        case .localReceived: object.write("localRcv")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// A member mentioned in a message.
public struct ItemMention: JSONObjectConvertible, Hashable {
    /// Id that all members use.
    public var memberID: MemberID
    /// The member, when it is known here.
    public var member: MentionedMember?

    /// Makes the value from its parts.
    public init(memberID: MemberID, member: MentionedMember? = nil) {
        self.memberID = memberID
        self.member = member
    }
}

extension ItemMention {
    public init(object: JSONObject) throws(JSONError) {
        memberID = try object.required("memberId")
        member = try object.optional("memberRef")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["memberId"] = memberID
        object["memberRef"] = member
    }
}

/// Who a mention means.
public struct MentionedMember: JSONObjectConvertible, Hashable {
    /// Database id.
    public var groupMemberID: GroupMemberID
    /// Name.
    public var displayName: String
    /// Name given locally.
    public var localAlias: String?
    /// What the member may do.
    public var role: GroupMemberRole

    /// Makes the value from its parts.
    public init(groupMemberID: GroupMemberID, displayName: String, localAlias: String? = nil, role: GroupMemberRole) {
        self.groupMemberID = groupMemberID
        self.displayName = displayName
        self.localAlias = localAlias
        self.role = role
    }
}

extension MentionedMember {
    public init(object: JSONObject) throws(JSONError) {
        groupMemberID = try object.required("groupMemberId")
        displayName = try object.required("displayName")
        localAlias = try object.optional("localAlias")
        role = try object.required("memberRole")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["groupMemberId"] = groupMemberID
        object["displayName"] = displayName
        object["localAlias"] = localAlias
        object["memberRole"] = role
    }
}

/// How many reacted in one way.
public struct ReactionCount: JSONObjectConvertible, Hashable {
    /// The reaction.
    public var reaction: MessageReaction
    /// Whether this profile did.
    public var userReacted: Bool
    /// How many did in all.
    public var totalReacted: Int

    /// Makes the value from its parts.
    public init(reaction: MessageReaction, userReacted: Bool, totalReacted: Int) {
        self.reaction = reaction
        self.userReacted = userReacted
        self.totalReacted = totalReacted
    }
}

extension ReactionCount {
    public init(object: JSONObject) throws(JSONError) {
        reaction = try object.required("reaction")
        userReacted = try object.required("userReacted")
        totalReacted = try object.required("totalReacted")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["reaction"] = reaction
        object["userReacted"] = userReacted
        object["totalReacted"] = totalReacted
    }
}

/// One reaction to an item.
public struct ItemReaction: JSONObjectConvertible, Hashable {
    /// Who reacted.
    public var direction: ItemDirection
    /// The item.
    public var chatItem: ChatItem
    /// When.
    public var sentAt: UTCTimestamp
    /// How.
    public var reaction: MessageReaction

    /// Makes the value from its parts.
    public init(direction: ItemDirection, chatItem: ChatItem, sentAt: UTCTimestamp, reaction: MessageReaction) {
        self.direction = direction
        self.chatItem = chatItem
        self.sentAt = sentAt
        self.reaction = reaction
    }
}

extension ItemReaction {
    public init(object: JSONObject) throws(JSONError) {
        direction = try object.required("chatDir")
        chatItem = try object.required("chatItem")
        sentAt = try object.required("sentAt")
        reaction = try object.required("reaction")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["chatDir"] = direction
        object["chatItem"] = chatItem
        object["sentAt"] = sentAt
        object["reaction"] = reaction
    }
}

/// A member who reacted.
public struct MemberReaction: JSONObjectConvertible, Hashable {
    /// The member.
    public var member: GroupMember
    /// When.
    public var reactionTimestamp: UTCTimestamp

    /// Makes the value from its parts.
    public init(member: GroupMember, reactionTimestamp: UTCTimestamp) {
        self.member = member
        self.reactionTimestamp = reactionTimestamp
    }
}

extension MemberReaction {
    public init(object: JSONObject) throws(JSONError) {
        member = try object.required("groupMember")
        reactionTimestamp = try object.required("reactionTs")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["groupMember"] = member
        object["reactionTs"] = reactionTimestamp
    }
}

/// What an item answers.
public struct ItemQuote: JSONObjectConvertible, Hashable {
    /// Who wrote it; absent when unknown.
    public var direction: ItemDirection?
    /// The item, when it is stored here.
    public var itemID: ChatItemID?
    /// Its id that both sides use.
    public var sharedMessageID: SharedMessageID?
    /// When it was sent.
    public var sentAt: UTCTimestamp
    /// What it said.
    public var content: MessageContent
    /// Its text split at its markdown.
    public var formattedText: [FormattedText]?

    /// Makes the value from its parts.
    public init(
        direction: ItemDirection? = nil, itemID: ChatItemID? = nil, sharedMessageID: SharedMessageID? = nil,
        sentAt: UTCTimestamp, content: MessageContent, formattedText: [FormattedText]? = nil
    ) {
        self.direction = direction
        self.itemID = itemID
        self.sharedMessageID = sharedMessageID
        self.sentAt = sentAt
        self.content = content
        self.formattedText = formattedText
    }
}

extension ItemQuote {
    public init(object: JSONObject) throws(JSONError) {
        direction = try object.optional("chatDir")
        itemID = try object.optional("itemId")
        sharedMessageID = try object.optional("sharedMsgId")
        sentAt = try object.required("sentAt")
        content = try object.required("content")
        formattedText = try object.optional("formattedText")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["chatDir"] = direction
        object["itemId"] = itemID
        object["sharedMsgId"] = sharedMessageID
        object["sentAt"] = sentAt
        object["content"] = content
        object["formattedText"] = formattedText
    }
}
