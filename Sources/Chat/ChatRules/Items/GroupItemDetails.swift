package import ChatAPI
package import ChatProtocol

/// The state of an item that was deleted and is kept as a mark. The numbers are stored.
package enum StoredDeletion: Int64, Sendable {
    case none = 0
    case deleted = 1
    /// The author is blocked here.
    case blocked = 2
    /// The author was blocked for all.
    case blockedByAdmin = 3
    case moderated = 4
}

/// The part of an item's row that only items of groups have.
package struct GroupItemDetails: Sendable, Hashable {
    /// The value of the column `scope` for items of support chats.
    package static let supportScope = "support"

    /// The author; nil for sent items, and for items in the name of the group.
    package var memberID: GroupMemberID?
    /// The part of the group that the item is in; nil for what all members see.
    package var scope: GroupChatScope?
    package var isAsGroup = false
    /// The member who passed the message on.
    package var forwardedBy: GroupMemberID?
    /// The moderator who deleted the item.
    package var deletedBy: GroupMemberID?
    /// The author of the quoted message.
    package var quotedMember: MemberID?
    /// Members by their names in the text.
    package var mentions: [String: MemberID] = [:]
    /// The outcome of checking the signature of the message.
    package var verification = MessageVerification.unsigned
    /// The post of a channel that the item comments.
    package var parent: ChatItemID?
    /// The number of comments on the item.
    package var commentsTotal = 0
    /// True if nobody may comment the item any more.
    package var commentsDisabled = false

    package init(memberID: GroupMemberID? = nil, scope: GroupChatScope? = nil) {
        self.memberID = memberID
        self.scope = scope
    }

    /// The member whose support chat the item is in; nil for all other items, and for the support chat of this profile.
    package var scopeMember: GroupMemberID? {
        if case .memberSupport(let member) = scope { member } else { nil }
    }

    /// The mentions as they are stored.
    package var mentionsText: String? { mentions.isEmpty ? nil : MessageMentions(mentions).json.text }
}

/// The members that items name.
package struct ItemMembers: Sendable {
    package var byID: [GroupMemberID: GroupMember] = [:]
    package var byMemberID: [MemberID: GroupMember] = [:]

    package init(
        byID: [GroupMemberID: GroupMember] = [:], byMemberID: [MemberID: GroupMember] = [:]
    ) {
        self.byID = byID
        self.byMemberID = byMemberID
    }

    /// Adds a member as items show it: without the connection.
    package mutating func add(_ member: GroupMember) {
        var member = member
        member.activeConnection = nil
        byID[member.groupMemberID] = member
        byMemberID[member.memberID] = member
    }
}

extension ItemDirection {
    package init(_ record: ItemRecord, _ members: ItemMembers) {
        switch record.owner {
        case .contact: self = record.isSent ? .directSent : .directReceived
        case .notes: self = record.isSent ? .localSent : .localReceived
        case .group:
            if record.isSent {
                self = .groupSent
            } else if let author = record.group.memberID.flatMap({ members.byID[$0] }) {
                self = .groupReceived(member: author)
            } else {
                self = .channelReceived
            }
        }
    }

    /// The author of a quoted message; nil if it is not known.
    package init?(_ quote: QuoteRecord, in owner: ItemOwner, _ members: ItemMembers) {
        guard let isSent = quote.isSent else { return nil }
        switch owner {
        case .contact, .notes: self = isSent ? .directSent : .directReceived
        case .group:
            if isSent {
                self = .groupSent
            } else if let author = quote.memberID.flatMap({ members.byMemberID[$0] }) {
                self = .groupReceived(member: author)
            } else {
                return nil
            }
        }
    }
}

extension ItemDeleted {
    package init?(_ record: ItemRecord, _ members: ItemMembers) {
        let time = record.deletedAt
        let type: ChatType =
            switch record.owner {
            case .contact: .direct
            case .group: .group
            case .notes: .local
            }
        switch record.deletion {
        case .none: return nil
        case .deleted: self = .deleted(deletedAt: time, chatType: type)
        case .blocked: self = .blocked(deletedAt: time)
        case .blockedByAdmin: self = .blockedByAdmin(deletedAt: time)
        case .moderated:
            if let moderator = record.group.deletedBy.flatMap({ members.byID[$0] }) {
                self = .moderated(deletedAt: time, byMember: moderator)
            } else {
                self = .deleted(deletedAt: time, chatType: type)
            }
        }
    }
}

extension MentionedMember {
    package init(_ member: GroupMember) {
        let alias = member.profile.localAlias
        self.init(
            groupMemberID: member.groupMemberID, displayName: member.profile.displayName, localAlias: alias, role: member.role)
    }
}
