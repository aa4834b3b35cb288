import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPCrypto

// Business chats: a group for each customer that comes by a business address.

extension GroupProfile {
    /// The profile of a business chat, with the name of the customer.
    init(business profile: Profile, preferences: GroupPreferences) {
        self.init(
            displayName: profile.displayName, fullName: profile.fullName, shortDescription: profile.shortDescription, image: profile.image,
            groupPreferences: preferences)
    }
}

/// Begins the group in which a business talks with a customer.
struct BusinessChats: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Groups in which businesses talk with customers.
    var businessChats: BusinessChats { BusinessChats(transaction: self) }
}

extension BusinessChats {
    /// A customer asks by the business address: the request opens a group, and is accepted.
    func receive(
        _ id: InvitationID, _ asked: ContactRequest, _ message: ChatMessage, address: UserContactLink, user: User
    ) throws {
        // The same event again, after a crash.
        if try db.members.hasMember(invitationID: id.bytes) { return }
        if let tag = asked.requestID, let known = try db.groups.find(user: user.userID, businessRequestTag: tag) {
            return emit(.businessRequestAlreadyAccepted(user: user, groupInfo: known))
        }
        let own = MemberID(random.bytes(12)), customer = MemberID(random.bytes(12))
        var new = NewGroupRecord(
            profile: GroupProfile(business: asked.profile, preferences: .business(of: user.profile.published)),
            business: BusinessChatInfo(chatType: .customer, businessID: own, customerID: customer))
        new.businessRequestTag = asked.requestID
        let groupID = try db.groups.insert(new, user: user.userID, at: now)
        try transaction.members.insertMembership(groupID, memberID: own, role: .owner, status: .creator, invitedBy: .user, of: user)
        var group = try transaction.conversations.group(groupID, of: user)
        let memberID = try db.members.insert(
            NewMemberRecord(
                groupID: groupID, memberID: customer, role: .member, category: .invitee, status: .accepted, invitedBy: .user,
                invitedByMember: group.membership.groupMemberID, profile: asked.profile, versions: ChatVersionRange(message.versions),
                requestTag: asked.requestID, invitationID: id.bytes, welcomeSharedMessageID: asked.welcomeMessageID),
            user: user.userID, at: now)
        group = try transaction.conversations.group(groupID, of: user)
        let member = try transaction.conversations.member(memberID, in: group)
        try enqueue(.group(.accept(member: memberID, invitation: id.bytes)), user: user)
        var chat = GroupConversation(group)
        try transaction.groups.addOwnOpening(to: &chat, of: user)
        try transaction.groupItems.addBanner(to: &chat.group, of: user)
        if let reply = address.addressSettings.autoReply, let welcome = asked.welcomeMessageID {
            // The customer has seen the welcome message before.
            var draft = ItemDraft(.sentMessage(content: reply), isSent: true)
            draft.sharedMessageID = welcome
            _ = try transaction.groupItems.add(draft, to: &chat, of: user)
        }
        if let request = asked.message {
            var draft = ItemDraft(.receivedMessage(content: request.content), isSent: false)
            draft.sharedMessageID = request.messageID
            try transaction.groupItems.announce(draft, from: member, in: &chat, of: user)
        }
        emit(.acceptingBusinessRequest(user: user, groupInfo: group))
    }

    /// The answer to a customer who asks by a business address.
    func invitation(of member: GroupMember, to group: GroupInfo, of user: User) throws -> ChatMessageEvent {
        let profile = user.profile.published, membership = group.membership
        return .groupLinkInvitation(
            GroupLinkInvitation(
                fromMember: MemberIDRole(memberID: membership.memberID, role: membership.role), fromMemberName: profile.displayName,
                invitedMember: MemberIDRole(memberID: member.memberID, role: .member),
                groupProfile: GroupProfile(business: profile, preferences: .business(of: profile)), accepted: .accepted,
                business: BusinessChatInfo(chatType: .business, businessID: membership.memberID, customerID: member.memberID),
                groupSize: 1))
    }

    /// Sends the welcome message of the address to a customer; a message that was shown before is only repeated, under its id.
    ///
    /// - Parameter isSecured: True once the customer's queue takes messages, before the connection is complete. Clients that know
    ///   batches of messages get it then, older ones when the connection is complete.
    func sendWelcome(to member: GroupMember, in group: GroupInfo, of user: User, isSecured: Bool = false) throws {
        guard let business = group.businessChat, business.chatType == .customer, business.customerID == member.memberID,
            let connection = member.activeConnection, isSecured == (connection.chatVersion >= Int(ChatVersions.directBatching)),
            let reply = try db.addresses.find(ofUser: user.userID)?.addressSettings.autoReply
        else { return }
        if let welcome = try db.members.joinRequest(member: member.groupMemberID).welcome {
            try transaction.outbox.send(.updateMessage(MessageUpdate(messageID: welcome, content: reply)), to: [member], in: group)
            return
        }
        var chat = GroupConversation(group)
        var message = try OutgoingMessage(.newMessage(MessageContainer(content: reply)), id: newSharedMessageID())
        var draft = ItemDraft(.sentMessage(content: reply), isSent: true)
        draft.sharedMessageID = message.id
        let item = try transaction.groupItems.add(draft, to: &chat, of: user)
        message.itemID = item.meta.itemID
        try transaction.outbox.send([message], to: [member], in: group)
        emit(.newChatItems(user: user, chatItems: [chat.containing(item)]))
    }
}
