import ChatAPI
import ChatProtocol
import EncryptedSQLite
import GRDB
import SMPWire

/// The state of an item that was deleted and is kept as a mark. The numbers are stored.
enum StoredDeletion: Int64, Sendable {
    case none = 0
    case deleted = 1
    /// The author is blocked here.
    case blocked = 2
    /// The author was blocked for all.
    case blockedByAdmin = 3
    case moderated = 4
}

/// The part of an item's row that only items of groups have.
struct GroupItemDetails: Sendable, Hashable {
    /// The value of the column `scope` for items of support chats.
    static let supportScope = "support"

    /// The author; nil for sent items, and for items in the name of the group.
    var memberID: GroupMemberID?
    /// The part of the group that the item is in; nil for what all members see.
    var scope: GroupChatScope?
    var isAsGroup = false
    /// The member who passed the message on.
    var forwardedBy: GroupMemberID?
    /// The moderator who deleted the item.
    var deletedBy: GroupMemberID?
    /// The author of the quoted message.
    var quotedMember: MemberID?
    /// Members by the names that stand in the text.
    var mentions: [String: MemberID] = [:]
    /// The outcome of checking the signature of the message.
    var signature: SignatureStatus?
    /// The post of a channel that the item comments.
    var parent: ChatItemID?
    /// The number of comments on the item.
    var commentsTotal = 0
    /// True if nobody may comment the item any more.
    var commentsDisabled = false

    init(memberID: GroupMemberID? = nil, scope: GroupChatScope? = nil) {
        self.memberID = memberID
        self.scope = scope
    }

    /// Reads the columns behind `group_id`.
    init(_ row: inout RowReader) throws {
        memberID = row.optionalInt().map { GroupMemberID($0) }
        let kind = row.optionalText()
        let scopeMember = row.optionalInt().map { GroupMemberID($0) }
        scope = kind == nil ? nil : .memberSupport(scopeMember)
        isAsGroup = row.flag()
        forwardedBy = row.optionalInt().map { GroupMemberID($0) }
        deletedBy = row.optionalInt().map { GroupMemberID($0) }
        quotedMember = MemberID(stored: row.optionalBytes())
        mentions = try row.optionalText().map { try MessageMentions(json: JSONValue(parsing: $0)).members } ?? [:]
        signature = row.optionalText().map { SignatureStatus(rawValue: $0) }
        parent = row.optionalID()
        commentsTotal = Int(row.int())
        commentsDisabled = row.flag()
    }

    /// The member whose support chat the item is in; nil for all other items, and for the support chat of this profile.
    var scopeMember: GroupMemberID? {
        if case .memberSupport(let member) = scope { member } else { nil }
    }

    /// The mentions as they are stored.
    var mentionsText: String? { mentions.isEmpty ? nil : MessageMentions(mentions).json.text }
}

/// The members that items name.
struct ItemMembers: Sendable {
    var byID: [GroupMemberID: GroupMember] = [:]
    var byMemberID: [MemberID: GroupMember] = [:]

    /// Adds a member as items show it: without the connection.
    mutating func add(_ member: GroupMember) {
        var member = member
        member.activeConnection = nil
        byID[member.groupMemberID] = member
        byMemberID[member.memberID] = member
    }
}

extension Database {
    /// The members that items of groups name: authors, moderators, those who are quoted and mentioned.
    ///
    /// - Parameter known: A member who need not be read.
    func members(of records: [ItemRecord], known: GroupMember? = nil) throws -> ItemMembers {
        var found = ItemMembers()
        if let known { found.add(known) }
        for record in records {
            guard let group = record.owner.groupID else { continue }
            for id in [record.group.memberID, record.group.deletedBy].compactMap(\.self) where found.byID[id] == nil {
                if let member = try member(id) { found.add(member) }
            }
            for id in [record.quote?.memberID].compactMap(\.self) + Array(record.group.mentions.values) where found.byMemberID[id] == nil {
                if let member = try member(id, group: group) { found.add(member) }
            }
        }
        return found
    }
}

extension ItemDirection {
    init(_ record: ItemRecord, _ members: ItemMembers) {
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
    init?(_ quote: QuoteRecord, in owner: ItemOwner, _ members: ItemMembers) {
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
    init?(_ record: ItemRecord, _ members: ItemMembers) {
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
    init(_ member: GroupMember) {
        let alias = member.profile.localAlias
        self.init(
            groupMemberID: member.groupMemberID, displayName: member.profile.displayName, localAlias: alias, role: member.role)
    }
}
