extension ChatEvent {
    /// The profile that it is about, if it is about one.
    public var user: User? {
        switch self {
        case .activeUser(let user), .contactSwitch(let user, _, _), .groupMemberSwitch(let user, _, _, _),
            .contactRatchetSync(let user, _, _), .groupMemberRatchetSync(let user, _, _, _), .contactPQEnabled(let user, _, _),
            .chatInfoUpdated(let user, _), .newChatItems(let user, _), .chatItemsStatusesUpdated(let user, _), .chatItemUpdated(let user, _),
            .chatItemNotChanged(let user, _), .chatItemReaction(let user, _, _), .groupChatItemsDeleted(let user, _, _, _, _),
            .chatItemsDeleted(let user, _, _, _), .chatItemDeletedNotFound(let user, _, _), .contactConnecting(let user, _),
            .contactConnected(let user, _, _), .contactSndReady(let user, _), .contactAnotherClient(let user, _), .contactDisabled(let user, _),
            .subscriptionEnd(let user, _),
            .contactUpdated(let user, _, _), .contactsMerged(let user, _, _, _), .contactDeletedByContact(let user, _),
            .receivedContactRequest(let user, _, _), .acceptingContactRequest(let user, _),
            .acceptingBusinessRequest(let user, _), .contactRequestAlreadyAccepted(let user, _),
            .businessRequestAlreadyAccepted(let user, _), .contactSubSummary(let user, _),
            .userAcceptedGroupSent(let user, _, _), .groupLinkConnecting(let user, _, _),
            .businessLinkConnecting(let user, _, _, _), .sentGroupInvitation(let user, _, _, _),
            .receivedGroupInvitation(let user, _, _, _, _), .userJoinedGroup(let user, _, _), .joinedGroupMember(let user, _, _),
            .joinedGroupMemberConnecting(let user, _, _, _), .connectedToGroupMember(let user, _, _, _),
            .memberAcceptedByOther(let user, _, _, _), .memberRole(let user, _, _, _, _, _, _),
            .memberBlockedForAll(let user, _, _, _, _, _), .deletedMember(let user, _, _, _, _, _),
            .deletedMemberUser(let user, _, _, _, _), .leftMember(let user, _, _, _), .unknownMemberCreated(let user, _, _, _),
            .unknownMemberBlocked(let user, _, _, _), .unknownMemberAnnounced(let user, _, _, _, _),
            .groupMemberUpdated(let user, _, _, _), .contactAndMemberAssociated(let user, _, _, _, _),
            .groupDeleted(let user, _, _, _), .groupUpdated(let user, _, _, _, _),
            .acceptingGroupJoinRequestMember(let user, _, _), .noMemberContactCreating(let user, _, _),
            .newMemberContactReceivedInv(let user, _, _, _), .groupLinkDataUpdated(let user, _, _, _, _),
            .groupRelayUpdated(let user, _, _, _), .rcvFileDescrReady(let user, _, _, _), .rcvFileStart(let user, _), .rcvFileAccepted(let user, _),
            .rcvFileProgressXFTP(let user, _, _, _, _), .rcvFileComplete(let user, _), .rcvFileSndCancelled(let user, _, _),
            .rcvFileError(let user, _, _, _), .rcvFileWarning(let user, _, _, _), .rcvStandaloneFileComplete(let user, _, _),
            .sndFileProgressXFTP(let user, _, _, _, _), .sndFileRedirectStartXFTP(let user, _, _),
            .sndFileCompleteXFTP(let user, _, _), .sndStandaloneFileComplete(let user, _, _), .sndFileError(let user, _, _, _),
            .sndFileWarning(let user, _, _, _), .callEnded(let user, _), .messageError(let user, _, _):
            user
        case .customChatEvent(let user, _):
            user
        case .terminalEvent(let event):
            event.user
        case .chatSuspended, .connectionDisabled, .connectionInactive, .subscriptionStatus, .serviceSubStatus, .hostConnected, .hostDisconnected,
            .connectionsDiff, .agentConnectionsDeleted, .agentReceiveQueuesDeleted, .agentUserDeleted, .callInvitation, .chatError, .commandError, .chatErrors,
            .other:
            nil
        }
    }
}
