import ChatAPI

/// Members of one group as an event or an answer shows them.
struct MemberReport {
    /// The group.
    let group: GroupID
    /// Members as they are after it. Events show counts of support chats as they were read some time before.
    var members: [GroupMember]
    /// True if counts of support chats are those of now: answers read them anew.
    var hasCounts = false
    /// A record that ``members`` replace.
    var replaced: GroupMemberID?
}

extension ChatEvent {
    /// The members that the event shows; nil for events that show none.
    var memberReport: MemberReport? {
        switch self {
        case .groupMemberSwitch(_, let group, let member, _), .groupMemberRatchetSync(_, let group, let member, _),
            .groupLinkConnecting(_, let group, let member), .businessLinkConnecting(_, let group, let member, _),
            .sentGroupInvitation(_, let group, _, let member), .userJoinedGroup(_, let group, let member?),
            .joinedGroupMember(_, let group, let member), .deletedMemberUser(_, let group, let member, _, _),
            .leftMember(_, let group, let member, _), .groupMemberUpdated(_, let group, _, let member),
            .groupDeleted(_, let group, let member, _), .groupUpdated(_, _, let group, let member?, _),
            .acceptingGroupJoinRequestMember(_, let group, let member), .noMemberContactCreating(_, let group, let member),
            .newMemberContactReceivedInv(_, _, let group, let member), .groupRelayUpdated(_, let group, let member, _):
            return MemberReport(group: group.groupID, members: [member])
        case .joinedGroupMemberConnecting(_, let group, let other, let member), .memberAcceptedByOther(_, let group, let other, let member),
            .memberRole(_, let group, let other, let member, _, _, _), .memberBlockedForAll(_, let group, let other, let member, _, _),
            .deletedMember(_, let group, let other, let member, _, _), .unknownMemberCreated(_, let group, let other, let member),
            .unknownMemberBlocked(_, let group, let other, let member):
            return MemberReport(group: group.groupID, members: [other, member])
        case .connectedToGroupMember(_, let group, var member, _):
            // The event shows the member as it was just before.
            if !member.status.isPending { member.status = .connected }
            return MemberReport(group: group.groupID, members: [member])
        case .unknownMemberAnnounced(_, let group, let other, let unknown, let member):
            return MemberReport(
                group: group.groupID, members: [other, member],
                replaced: unknown.groupMemberID == member.groupMemberID ? nil : unknown.groupMemberID)
        case .contactAndMemberAssociated(_, _, let group, var member, let contact):
            member.take(contact)
            return MemberReport(group: group.groupID, members: [member])
        default: return nil
        }
    }
}

extension ChatResponse {
    /// The members that the answer shows; nil for answers that show none, or all of a group.
    var memberReport: MemberReport? {
        switch self {
        case .sentGroupInvitation(_, let group, _, let member), .groupMemberInfo(_, let group, let member, _),
            .groupMemberSwitchStarted(_, let group, let member, _), .groupMemberSwitchAborted(_, let group, let member, _),
            .groupMemberRatchetSyncStarted(_, let group, let member, _), .groupMemberCode(_, let group, let member, _),
            .joinedGroupMember(_, let group, let member), .memberAccepted(_, let group, let member),
            .memberSupportChatRead(_, let group, let member), .memberSupportChatDeleted(_, let group, let member),
            .newMemberContact(_, _, let group, let member), .newMemberContactSentInv(_, _, let group, let member):
            MemberReport(group: group.groupID, members: [member], hasCounts: true)
        case .userDeletedMembers(_, let group, let members, _, _), .membersRoleUser(_, let group, let members, _, _),
            .membersBlockedForAllUser(_, let group, let members, _, _), .memberSupportChats(_, let group, let members):
            MemberReport(group: group.groupID, members: members, hasCounts: true)
        default: nil
        }
    }
}

extension GroupMember {
    /// Takes in that the member is a contact: both have one profile and one name.
    mutating func take(_ contact: Contact) {
        localDisplayName = contact.localDisplayName
        contactID = contact.contactID
        profileID = contact.profile.profileID
        profile = contact.profile
    }
}
