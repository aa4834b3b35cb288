package import ChatAPI
package import ChatProtocol

/// The owner of items.
package enum ItemOwner: Sendable, Hashable {
    case contact(ContactID)
    case group(GroupID)
    case notes(NoteFolderID)
}

/// A quoted message, as stored with the item that answers it.
package struct QuoteRecord: Sendable, Hashable {
    /// True if this profile wrote it; nil if it is not known.
    package var isSent: Bool?
    package var sharedMessageID: SharedMessageID?
    package var sentAt: UTCTimestamp
    package var content: MessageContent
    /// The author, in groups.
    package var memberID: MemberID?

    package init(
        isSent: Bool? = nil, sharedMessageID: SharedMessageID? = nil, sentAt: UTCTimestamp, content: MessageContent, memberID: MemberID? = nil
    ) {
        self.isSent = isSent
        self.sharedMessageID = sharedMessageID
        self.sentAt = sentAt
        self.content = content
        self.memberID = memberID
    }
}

/// The values of a row of items.
package struct ItemRecord: Sendable {
    /// 0 before it is stored.
    package var id: ChatItemID = 0
    package var userID: UserID
    package var owner: ItemOwner
    package var isSent: Bool
    package var content: ItemContent
    package var status: ItemStatus
    package var sharedMessageID: SharedMessageID?
    package var deletion = StoredDeletion.none
    package var deletedAt: UTCTimestamp?
    package var isEdited = false
    package var isLive: Bool?
    package var timer: ItemTimer?
    package var viaProxy: Bool?
    package var mentionsUser = false
    package var hasLink = false
    package var forwarded: ForwardedFrom?
    package var quote: QuoteRecord?
    package var itemTimestamp: UTCTimestamp
    package var createdAt: UTCTimestamp
    package var updatedAt: UTCTimestamp
    /// The item that is quoted, if it is there.
    package var quotedItemID: ChatItemID?
    package var reactions: [ReactionCount] = []
    package var file: ItemFile?
    package var group = GroupItemDetails()

    package init(
        id: ChatItemID = 0, userID: UserID, owner: ItemOwner, isSent: Bool, content: ItemContent, status: ItemStatus, sharedMessageID: SharedMessageID? = nil,
        deletion: StoredDeletion = StoredDeletion.none, deletedAt: UTCTimestamp? = nil, isEdited: Bool = false, isLive: Bool? = nil, timer: ItemTimer? = nil,
        viaProxy: Bool? = nil, mentionsUser: Bool = false, hasLink: Bool = false, forwarded: ForwardedFrom? = nil, quote: QuoteRecord? = nil,
        itemTimestamp: UTCTimestamp, createdAt: UTCTimestamp, updatedAt: UTCTimestamp, quotedItemID: ChatItemID? = nil, reactions: [ReactionCount] = [],
        file: ItemFile? = nil, group: GroupItemDetails = GroupItemDetails()
    ) {
        self.id = id
        self.userID = userID
        self.owner = owner
        self.isSent = isSent
        self.content = content
        self.status = status
        self.sharedMessageID = sharedMessageID
        self.deletion = deletion
        self.deletedAt = deletedAt
        self.isEdited = isEdited
        self.isLive = isLive
        self.timer = timer
        self.viaProxy = viaProxy
        self.mentionsUser = mentionsUser
        self.hasLink = hasLink
        self.forwarded = forwarded
        self.quote = quote
        self.itemTimestamp = itemTimestamp
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.quotedItemID = quotedItemID
        self.reactions = reactions
        self.file = file
        self.group = group
    }
}

/// An item with its chat, its profile and its place in a group.
package struct StoredItem: Sendable {
    package var item: ChatItem
    package var owner: ItemOwner
    package var userID: UserID
    /// The part of a group that contains the item; nil for other items.
    package var scope: GroupChatScope?

    package init(
        item: ChatItem, owner: ItemOwner, userID: UserID, scope: GroupChatScope? = nil
    ) {
        self.item = item
        self.owner = owner
        self.userID = userID
        self.scope = scope
    }

    package var id: ChatItemID { item.meta.itemID }
    /// The chat, or part of a group, that the item is in.
    package var chat: ItemScope {
        guard case .group(let id) = owner else { return .chat(owner) }
        return item.meta.parentItemID.map { .comments(id, on: $0) } ?? .group(id, scope)
    }
    package var isSent: Bool {
        switch item.direction {
        case .directSent, .localSent, .groupSent: true
        default: false
        }
    }
    /// The message, if the item is one.
    package var message: MessageContent? {
        switch item.content {
        case .sentMessage(let content), .receivedMessage(let content): content
        default: nil
        }
    }
}

extension StoredItem {
    /// The item at a given time: items can be edited and deleted for a day.
    ///
    /// - Parameter members: The members that items of groups name.
    package init(_ record: ItemRecord, at now: UTCTimestamp, members: ItemMembers = ItemMembers()) {
        let isLocal = record.owner.folderID != nil
        let isDeletable = ItemRules.isDeletable(
            content: record.content, isDeleted: record.deletion != .none, sentAt: record.itemTimestamp, isDirect: !isLocal, now: now)
        let meta = ItemMeta(
            itemID: record.id, itemTimestamp: record.itemTimestamp, text: record.content.text, status: record.status,
            sentViaProxy: record.viaProxy, sharedMessageID: record.sharedMessageID, forwarded: record.forwarded,
            deleted: ItemDeleted(record, members), isEdited: record.isEdited, timed: record.timer, isLive: record.isLive,
            userMention: record.mentionsUser, hasLink: record.hasLink, isDeletable: isDeletable,
            isEditable: isDeletable && record.forwarded == nil, forwardedByMember: record.group.forwardedBy,
            showGroupAsSender: record.group.isAsGroup, parentItemID: record.group.parent,
            commentsTotal: record.group.commentsTotal == 0 ? nil : record.group.commentsTotal,
            commentsDisabled: record.group.commentsDisabled ? true : nil, verification: record.group.verification,
            createdAt: record.createdAt,
            updatedAt: record.updatedAt)
        let quote = record.quote.map { quote in
            ItemQuote(
                direction: ItemDirection(quote, in: record.owner, members), itemID: record.quotedItemID,
                sharedMessageID: quote.sharedMessageID, sentAt: quote.sentAt, content: quote.content,
                formattedText: Markdown.parse(quote.content.text))
        }
        item = ChatItem(
            direction: ItemDirection(record, members), meta: meta, content: record.content,
            mentions: record.group.mentions.mapValues { ItemMention(memberID: $0, member: members.byMemberID[$0].map(MentionedMember.init)) },
            formattedText: record.content.message.flatMap { Markdown.parse($0.text) }, quotedItem: quote, reactions: record.reactions,
            file: record.file)
        (owner, userID, scope) = (record.owner, record.userID, record.group.scope)
    }
}

extension ItemOwner {
    package var contactID: ContactID? { if case .contact(let id) = self { id } else { nil } }
    package var groupID: GroupID? { if case .group(let id) = self { id } else { nil } }
    package var folderID: NoteFolderID? { if case .notes(let id) = self { id } else { nil } }
}
