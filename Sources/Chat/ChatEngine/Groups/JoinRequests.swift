import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPCrypto
import SMPWire

/// Receives and answers requests to join by the link of a group.
struct JoinRequests: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Requests to join by the link of a group.
    var joinRequests: JoinRequests { JoinRequests(transaction: self) }
}

extension JoinRequests {
    /// The event that answers the invitation of an owner.
    func relayAnswer(in group: GroupInfo) throws -> ChatMessageEvent {
        if let refusal = try db.groups.relayRefusal(of: group.groupID) { return .rejectGroupRelay(refusal.reason) }
        guard let link = try db.groupLinks.find(group: group.groupID)?.connectionLink.shortLink else {
            throw Refusal.chat(.exception(message: "processRelayRequest: relay link doesn't have short link"))
        }
        return .acceptGroupRelay(link: link)
    }

    /// Somebody asks to join by the link of a group.
    ///
    /// - Parameter signed: The request as it was signed; nil without a signature.
    func receive(
        _ id: InvitationID, _ message: ChatMessage, signed: SignedMessage? = nil, forLink link: UserContactLinkID, in context: ReceivingContext
    ) throws {
        let user = context.user
        guard let link = try db.groupLinks.find(link), let group = try db.groups.find(ofLink: link.userContactLinkID, user: user.userID) else { return }
        let request: ContactRequest
        var subscriber: (id: MemberID, key: Ed25519.PublicKey, relay: MemberID?)?
        switch message.event {
        case .contact(let asked): request = asked
        case .info(let profile): request = ContactRequest(profile: profile)
        case .member(let profile, let memberID, let key, let relay):
            request = ContactRequest(profile: profile)
            subscriber = (memberID, key, relay)
        default: return transaction.connectionEvents.reportUnsupported(message, in: context)
        }
        guard group.usesRelays == (subscriber != nil), !group.usesRelays || group.isServedHere else {
            return reportError("a request to join that is not for this kind of group", severity: "warning", of: user)
        }
        guard group.membership.status.isActive || group.relayOwnStatus == .accepted || group.relayOwnStatus == .acknowledgedRoster else { return }
        // The link of a group stays when its host is demoted, and works again when it is promoted.
        guard group.usesRelays || GroupAction.announceMember.right.permits(group.membership.role) else {
            return reportError("a request to join by the link of a group of which this profile is no admin any more", severity: "warning", of: user)
        }
        let decision = JoinDecision(group.usesRelays ? nil : link.joinerAdmission, on: request.profile, as: link.acceptMemberRole)
        switch decision.answer {
        case .admit:
            guard message.versions.max >= ChatVersions.groupFastLinkJoin else {
                return reportError("chat version range incompatible for accepting group join request", of: user)
            }
        case .refuse:
            // Older clients would take the refusal for an error of their own.
            guard message.versions.max >= ChatVersions.groupJoinRejection else {
                return reportError("a request to join is refused, and its client is too old to be told", severity: "warning", of: user)
            }
        }
        // The same event again, after a crash.
        if try db.members.hasMember(invitationID: id.bytes) { return }
        if let subscriber, let known = try db.members.find(subscriber.id, group: group.groupID),
            JoinProof.isValid(signed, key: subscriber.key, relay: subscriber.relay, of: known, in: group)
        {
            return try readmit(known, by: id, profile: request.profile, versions: message.versions, of: user)
        }
        // Another relay may have the subscriber whose identifier this is.
        if let subscriber,
            try subscriber.id == group.membership.memberID || !BoundMemberID.permits(subscriber.id, key: subscriber.key)
                || db.members.find(subscriber.id, group: group.groupID) != nil
        {
            return emit(.chatError(error: .store(error: .duplicateGroupMember)))
        }
        // Identifiers and public keys are known to others. Whoever comes first with them would get the rights that an owner gives the member later.
        if let subscriber, JoinProof.isRequired(of: subscriber.id, versions: message.versions),
            !JoinProof.isSigned(signed, by: subscriber.id, key: subscriber.key, relay: subscriber.relay, in: group)
        {
            return reportError("a request to join a channel without a proof of its key", severity: "warning", of: user)
        }
        let role =
            group.usesRelays && link.acceptMemberRole == ChannelRules.subscriberRole
            ? ChannelRules.subscriberRole(in: group, knowComments: message.capabilities.contains(.comments)) : decision.role
        let member = try db.members.insert(
            NewMemberRecord(
                groupID: group.groupID, memberID: subscriber?.id ?? MemberID(random.bytes(12)), role: role, category: .invitee,
                status: GroupMemberStatus(decision.answer, admission: group.groupProfile.memberAdmission), invitedBy: .user,
                invitedByMember: group.membership.groupMemberID, profile: request.profile, versions: ChatVersionRange(message.versions),
                requestTag: request.requestID, invitationID: id.bytes, welcomeSharedMessageID: request.welcomeMessageID,
                publicKey: subscriber?.key), user: user.userID, at: now)
        try enqueue(.group(.accept(member: member, invitation: id.bytes, answer: decision.answer)), user: user)
    }

    /// A member that this relay knows comes to it, with a proof of its key. Its role and its key stay.
    private func readmit(_ member: GroupMember, by id: InvitationID, profile: Profile, versions: VersionRange, of user: User) throws {
        // One whom this relay serves stays, whatever the policy says of new ones.
        let isServed = try !db.connections.connections(ofMember: member.groupMemberID).isEmpty
        try transaction.members.deleteConnections(of: [member], afterDelivery: false, keepsRows: false, user: user)
        try db.members.update(member, user: user.userID, profile: profile, at: now)
        try db.members.update(member.groupMemberID, readmittedBy: id.bytes, versions: ChatVersionRange(versions), at: now)
        try enqueue(
            .group(.accept(member: member.groupMemberID, invitation: id.bytes, answer: .admit(.accepted), replacesConnection: isServed)), user: user)
    }

    /// Stores the connection by which a member is accepted, or refused, and reports it.
    func beginAcceptance(of member: GroupMember, by connection: Bytes, _ answer: JoinAnswer, in group: GroupInfo, user: User) throws {
        if group.isServedHere, member.category == .host {
            // A relay that has accepted its invitation shows that when it is connected.
            return try transaction.members.insertConnection(
                connection, with: member, status: .new, viaAddress: db.addresses.find(ofUser: user.userID)?.userContactLinkID, user: user)
        }
        let link = try db.groupLinks.find(group: group.groupID)?.userContactLinkID
        let address = try group.businessChat == nil ? nil : db.addresses.find(ofUser: user.userID)?.userContactLinkID
        try transaction.members.insertConnection(connection, with: member, status: .new, viaGroupLink: link, viaAddress: address, user: user)
        let connected = try transaction.conversations.member(member.groupMemberID, in: group)
        if case .refuse(let reason) = answer {
            return emit(.rejectingGroupJoinRequestMember(user: user, groupInfo: group, member: connected, reason: reason))
        }
        var (shown, chat) = try transaction.conversations.conversation(with: connected, in: group)
        guard group.businessChat == nil else { return }
        try transaction.groupItems.addEvent(.receivedGroupEvent(event: .invitedViaGroupLink), from: shown, in: &chat, of: user)
        shown = chat.supportMember ?? shown
        emit(.acceptingGroupJoinRequestMember(user: user, groupInfo: chat.group, member: shown))
    }
}
