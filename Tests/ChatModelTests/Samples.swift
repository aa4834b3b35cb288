import ChatAPI
import ChatProtocol

/// Values for tests that need few of their parts.
enum Samples {
    static func time(_ seconds: Int64) -> UTCTimestamp { UTCTimestamp(seconds: seconds) }

    static func user(_ id: UserID = 1, name: String = "alice", isActive: Bool = true) -> User {
        User(
            userID: id, agentUserID: "\(id)", userContactID: ContactID(id.rawValue), localDisplayName: name,
            profile: LocalProfile(profileID: ProfileID(id.rawValue), displayName: name), fullPreferences: .defaults, isActive: isActive,
            activeOrder: id.rawValue, showsNotifications: true, sendsReceiptsToContacts: true, sendsReceiptsToSmallGroups: true)
    }

    static func contact(
        _ id: ContactID, notifications: NotificationFilter = .all, chatTimestamp: Int64 = 0, connection: ChatConnectionID? = nil
    ) -> Contact {
        Contact(
            contactID: id, localDisplayName: "contact\(id)", profile: LocalProfile(profileID: ProfileID(id.rawValue), displayName: "contact\(id)"),
            activeConnection: connection.map(Samples.connection), status: .active,
            chatSettings: ChatSettings(notifications: notifications, isFavorite: false), userPreferences: ChatPreferences(),
            mergedPreferences: ContactUserPreferences(
                user: nil, userForContact: ChatPreferences(), contact: nil, isIncognito: false),
            createdAt: time(0), updatedAt: time(0), chatTimestamp: time(chatTimestamp))
    }

    static func connection(_ id: ChatConnectionID) -> Connection {
        Connection(
            connectionID: id, agentConnectionID: "c\(id)", chatVersion: 17,
            peerChatVersions: ChatVersionRange(minVersion: 1, maxVersion: 17), level: 0, type: .contact, status: .ready,
            createdAt: time(0))
    }

    static func pending(_ id: ChatConnectionID) -> PendingContactConnection {
        PendingContactConnection(
            connectionID: id, agentConnectionID: "c\(id)", status: .new, createdAt: time(0), updatedAt: time(0))
    }

    /// A message; times are in seconds.
    static func item(
        _ id: ChatItemID, text: String = "text", isReceived: Bool = true, status: ItemStatus? = nil, createdAt: Int64? = nil,
        updatedAt: Int64 = 0, mention: Bool = false
    ) -> ChatItem {
        let created = time(createdAt ?? id.rawValue)
        let meta = ItemMeta(
            itemID: id, itemTimestamp: created, text: text, status: status ?? (isReceived ? .receivedNew : .sendNew),
            userMention: mention, createdAt: created, updatedAt: time(updatedAt))
        return ChatItem(
            direction: isReceived ? .directReceived : .directSent, meta: meta,
            content: isReceived ? .receivedMessage(content: .text(text)) : .sentMessage(content: .text(text)))
    }

    static func located(_ item: ChatItem, in contact: Contact) -> ItemInChat {
        ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)
    }

    static func message(_ id: ChatItemID, in contact: Contact, isReceived: Bool = true, mention: Bool = false) -> ChatEvent {
        .newChatItems(user: user(), chatItems: [located(item(id, isReceived: isReceived, mention: mention), in: contact)])
    }
}

extension Samples {
    /// A member; `order` tells members apart, also by the id that all members use.
    static func member(
        _ order: Int64, name: String? = nil, role: GroupMemberRole = .member, status: GroupMemberStatus = .connected,
        category: GroupMemberCategory = .post, contact: ContactID? = nil, supportChat: GroupSupportChat? = nil
    ) -> GroupMember {
        let name = name ?? "member\(order)"
        return GroupMember(
            groupMemberID: GroupMemberID(order), groupID: 1, memberID: MemberID([UInt8(truncatingIfNeeded: order)]), role: role, category: category,
            status: status, settings: GroupMemberSettings(showsMessages: true), invitedBy: .unknown, localDisplayName: name,
            profile: LocalProfile(profileID: ProfileID(order + 100), displayName: name), contactID: contact, profileID: ProfileID(order + 100),
            chatVersions: ChatVersionRange(minVersion: 1, maxVersion: 17), createdAt: time(0), updatedAt: time(0), supportChat: supportChat)
    }

    static func group(attention: Int = 0) -> GroupInfo {
        GroupInfo(
            groupID: 1, localDisplayName: "team", groupProfile: GroupProfile(displayName: "team"), fullGroupPreferences: .defaults,
            membership: member(1, name: "alice", role: .owner, status: .creator, category: .user),
            chatSettings: ChatSettings(notifications: .all, isFavorite: false), createdAt: time(0), updatedAt: time(0),
            groupSummary: GroupSummary(currentMembers: 2), membersRequireAttention: attention)
    }
}
