import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import GRDB
import SMPWire

// Contacts made from members: one side invites over the connection of the group, the other joins.

/// Turns members of groups into contacts.
struct MemberContacts: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Contacts that are made of members.
    var memberContacts: MemberContacts { MemberContacts(transaction: self) }
}

extension MemberContacts {
    /// Makes the contact of a member, with the connection that it is invited to.
    func add(
        _ member: GroupMember, connection: Bytes, link: String, in group: GroupInfo, of user: User
    ) throws -> Contact {
        let id = try insert(member, in: group, of: user)
        try db.contacts.update(id, groupMember: member.groupMemberID)
        var new = NewConnectionRecord(
            userID: user.userID, agentConnectionID: connection, status: .new, contactID: id,
            chatVersion: ChatVersions.connectionVersion(local: ChatVersions.supported, peer: member.versionRange))
        new.peerVersions = member.chatVersions
        new.pqSupport = false
        new.isInitiated = true
        new.fullLink = link
        new.incognitoProfileID = group.isIncognito ? group.membership.profile.profileID : nil
        new.level = member.activeConnection?.level ?? 0
        _ = try db.connections.insert(new, at: now)
        var contact = try transaction.conversations.contact(id, of: user)
        _ = try transaction.items.addBanner(to: &contact, of: user)
        return try transaction.conversations.contact(id, of: user)
    }

    /// Stores a contact that has the name and the profile of a member.
    private func insert(_ member: GroupMember, in group: GroupInfo, of user: User) throws -> ContactID {
        let id = try db.contacts.insert(sharing: member, user: user.userID, at: now)
        try db.members.update(member.groupMemberID, contact: id)
        return id
    }

    /// Stores the connection by which an invitation of a member is joined.
    func insertConnection(_ agentID: Bytes, with contact: Contact, of user: User) throws {
        let group = try contact.groupDirectInvitation?.fromGroupID.flatMap { try db.groups.find($0, user: user.userID) }
        let member = try contact.groupDirectInvitation?.fromGroupMemberID.flatMap { try db.members.find($0) }
        var new = NewConnectionRecord(
            userID: user.userID, agentConnectionID: agentID, status: .prepared, contactID: contact.contactID,
            chatVersion: ChatVersions.connectionVersion(
                local: ChatVersions.supported, peer: member?.versionRange ?? ChatVersions.initial))
        new.peerVersions = member?.chatVersions ?? ChatVersionRange(ChatVersions.initial)
        new.pqSupport = false
        if let group, group.isIncognito { new.incognitoProfileID = group.membership.profile.profileID }
        _ = try db.connections.insert(new, at: now)
    }

    /// A member invites this profile to a contact.
    func receiveInvitation(
        _ link: String, content: MessageContent?, _ received: GroupMessage, from member: GroupMember, in group: inout GroupInfo, of user: User
    ) throws {
        guard group.allows(.directMessages, member) else {
            return reportError("x.grp.direct.inv: direct messages not allowed", of: user)
        }
        guard !member.isBlocked else {
            return reportError("x.grp.direct.inv: member is blocked (ignoring)", severity: "warning", of: user)
        }
        let accepts = user.autoAcceptsMemberContacts
        var contact: Contact
        if let known = try member.contactID.flatMap({ try db.contacts.find($0, of: user) }) {
            contact = known
            // A member can be mistaken for a contact: a working connection is not given up for one that the member offers.
            guard !known.isNamedByOwner, !known.isReachable else {
                return reportError("x.grp.direct.inv: the contact is connected (ignoring)", severity: "warning", of: user)
            }
            // Both have invited each other: the side that received the greater link joins by it.
            if let connection = known.activeConnection, known.contactGroupInvitationSent,
                let own = try db.connections.link(ofConnection: connection.connectionID)?.fullLink, link <= own
            {
                try announce(contact, received, content, from: member, in: &group, of: user)
                return
            }
            if let connection = known.activeConnection, let record = try db.connections.find(connection.connectionID) {
                try enqueue(.connection(.delete(connections: [record.agentConnectionID], after: [])), user: user)
                try db.connections.delete(record.id)
            }
        } else {
            contact = try transaction.conversations.contact(try insert(member, in: group, of: user), of: user)
            let banner = try transaction.items.addBanner(to: &contact, of: user)
            emit(.newChatItems(user: user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: banner)]))
        }
        let isKnown = member.contactID != nil
        try db.contacts.update(contact.contactID, directInvitation: link, from: member, started: accepts)
        contact = try transaction.conversations.contact(contact.contactID, of: user)
        if accepts { try enqueue(.group(.joinContact(contact: contact.contactID)), user: user) }
        if isKnown { try transaction.connectionEvents.resetVerification(of: &contact, user: user) }
        if !accepts {
            try transaction.items.addInternal(
                [.receivedDirectEvent(event: .groupInvitationLinkReceived(groupProfile: group.groupProfile))], isSent: false, to: &contact, of: user)
        }
        try announce(contact, received, content, from: member, in: &group, of: user)
    }

    private func announce(
        _ contact: Contact, _ received: GroupMessage, _ content: MessageContent?, from member: GroupMember, in group: inout GroupInfo, of user: User
    ) throws {
        try transaction.groupItems.addEvent(.memberCreatedContact, from: member, in: &group, of: user)
        let current = try db.members.find(member.groupMemberID) ?? member
        emit(.newMemberContactReceivedInv(user: user, contact: contact, groupInfo: group, member: current))
        guard let content else { return }
        var contact = contact
        var draft = ItemDraft(.receivedMessage(content: content), isSent: false)
        draft.timestamp = received.sentAt
        draft.sharedMessageID = received.message.messageID
        let item = try transaction.items.add(draft, to: &contact, of: user)
        emit(.newChatItems(user: user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
    }
}

extension Contact {
    /// True while messages reach the contact, as far as is known.
    fileprivate var isReachable: Bool {
        guard let connection = activeConnection, status == .active else { return false }
        return connection.status == .ready && !connection.isDisabled
    }
}

extension MemberContacts {
    /// Invites a member to the contact that was made for it.
    func invite(_ id: ContactID, message: MessageContent?) throws -> ChatResponse {
        let user = try transaction.user()
        var contact = try transaction.conversations.contact(id, of: user)
        guard let memberID = contact.contactGroupMemberID, let member = try db.members.find(memberID),
            let connection = contact.activeConnection, let link = try db.connections.link(ofConnection: connection.connectionID)?.fullLink
        else { throw Refusal.store(.memberContactGroupMemberNotFound(contactID: id)) }
        let group = try transaction.conversations.group(member.groupID, of: user)
        guard !contact.contactGroupInvitationSent else { throw Refusal.command("x.grp.direct.inv already sent") }
        guard let memberConnection = member.activeConnection else { throw Refusal.chat(.groupMemberNotActive) }
        let sent = try OutgoingMessage(
            .groupDirectInvitation(connectionRequest: link, content: message, scope: nil), id: newSharedMessageID())
        var encoder = OutgoingBodyEncoder([sent])
        for body in try encoder.bodies(for: memberConnection, isBatched: member.supports(ChatVersions.batching), store: db.deliveries.insertBody) {
            transaction.effects.deliveries.append(
                try db.deliveries.insert(to: DeliveryTarget(memberConnection), body: body.stored, notifies: sent.notifies, at: now))
        }
        try db.contacts.update(id, groupInvitationSent: true)
        contact.contactGroupInvitationSent = true
        let response = ChatResponse.newMemberContactSentInv(user: user, contact: contact, groupInfo: group, member: member)
        guard let message else { return response }
        var draft = ItemDraft(.sentMessage(content: message), isSent: true)
        draft.sharedMessageID = sent.id
        let item = try transaction.items.add(draft, to: &contact, of: user)
        emit(.newChatItems(user: user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
        return response
    }
}
