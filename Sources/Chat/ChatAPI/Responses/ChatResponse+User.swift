extension ChatResponse {
    /// The profile that it is about, if it is about one.
    public var user: User? {
        switch self {
        case .activeUser(let user), .apiChats(let user, _), .apiChat(let user, _, _), .chatTags(let user, _),
            .chatItems(let user, _, _), .chatItemInfo(let user, _, _), .chatItemID(let user, _),
            .serverTestResult(let user, _, _), .chatRelayTestResult(let user, _, _), .userServers(let user, _),
            .userServersValidation(let user, _, _), .chatItemTTL(let user, _), .contactInfo(let user, _, _, _),
            .groupInfo(let user, _), .groupMemberInfo(let user, _, _, _), .queueInfo(let user, _, _),
            .contactSwitchStarted(let user, _, _), .groupMemberSwitchStarted(let user, _, _, _),
            .contactSwitchAborted(let user, _, _), .groupMemberSwitchAborted(let user, _, _, _),
            .contactRatchetSyncStarted(let user, _, _), .groupMemberRatchetSyncStarted(let user, _, _, _),
            .contactCode(let user, _, _), .groupMemberCode(let user, _, _, _), .connectionVerified(let user, _, _),
            .tagsUpdated(let user, _, _), .newChatItems(let user, _), .chatItemUpdated(let user, _),
            .chatItemNotChanged(let user, _), .chatItemReaction(let user, _, _), .reactionMembers(let user, _),
            .chatItemsDeleted(let user, _, _, _), .groupChatItemsDeleted(let user, _, _, _, _),
            .broadcastSent(let user, _, _, _, _), .welcome(let user), .groupCreated(let user, _),
            .publicGroupCreated(let user, _, _, _), .publicGroupCreationFailed(let user, _), .groupRelays(let user, _, _),
            .groupRelaysAdded(let user, _, _, _), .groupRelaysAddFailed(let user, _), .relayGroupAllowed(let user, _),
            .groupMembers(let user, _), .memberSupportChats(let user, _, _), .contactsList(let user, _),
            .userContactLink(let user, _), .userContactLinkUpdated(let user, _), .userContactLinkCreated(let user, _),
            .userContactLinkDeleted(let user), .contactRequestRejected(let user, _, _), .acceptingContactRequest(let user, _),
            .contactAlreadyExists(let user, _), .userAcceptedGroupSent(let user, _, _),
            .userDeletedMembers(let user, _, _, _, _), .groupsList(let user, _), .sentGroupInvitation(let user, _, _, _),
            .fileTransferStatusXFTP(let user, _), .fileTransferStatus(let user, _), .userProfile(let user, _), .userProfileNoChange(let user),
            .userProfileUpdated(let user, _, _, _), .userProfileImage(let user, _), .userPrivacy(let user, _),
            .invitation(let user, _, _), .connectionIncognitoUpdated(let user, _, _), .connectionUserChanged(let user, _, _, _),
            .connectionPlan(let user, _, _, _, _), .contactDomainVerified(let user, _, _), .groupDomainVerified(let user, _, _),
            .newPreparedChat(let user, _), .contactUserChanged(let user, _, _, _),
            .groupUserChanged(let user, _, _, _), .sentConfirmation(let user, _, _), .sentInvitation(let user, _, _),
            .startedConnectionToContact(let user, _, _), .startedConnectionToGroup(let user, _, _, _),
            .sentInvitationToContact(let user, _, _), .itemsReadForChat(let user, _), .contactDeleted(let user, _),
            .contactConnectionDeleted(let user, _), .chatCleared(let user, _), .leftMemberUser(let user, _),
            .groupDeletedUser(let user, _, _), .forwardPlan(let user, _, _, _), .chatMsgContent(let user, _),
            .rcvFileAccepted(let user, _), .rcvFileAcceptedSndCancelled(let user, _), .rcvStandaloneFileCreated(let user, _),
            .rcvFileCancelled(let user, _, _), .sndFileCancelled(let user, _, _, _), .sndStandaloneFileCreated(let user, _),
            .contactAliasUpdated(let user, _), .groupAliasUpdated(let user, _), .connectionAliasUpdated(let user, _),
            .contactPrefsUpdated(let user, _, _), .joinedGroupMember(let user, _, _), .memberAccepted(let user, _, _),
            .memberSupportChatRead(let user, _, _), .memberSupportChatDeleted(let user, _, _),
            .membersRoleUser(let user, _, _, _, _), .membersBlockedForAllUser(let user, _, _, _, _),
            .groupUpdated(let user, _, _, _, _), .groupProfile(let user, _), .groupDescription(let user, _),
            .groupLinkCreated(let user, _, _), .groupLink(let user, _, _), .groupLinkDeleted(let user, _),
            .newMemberContact(let user, _, _, _), .newMemberContactSentInv(let user, _, _, _),
            .memberContactAccepted(let user, _), .agentSubsTotal(let user, _, _), .agentServersSummary(let user, _):
            user
        case .cmdOk(let user), .customChatResponse(let user, _):
            user
        case .usersList, .chatStarted, .chatRunning, .chatStopped, .connectionsDiff, .chats, .chatContentTypes,
            .serverOperatorConditions, .usageConditions, .networkConfig, .chatHelp, .versionInfo, .standaloneFileInfo,
            .callInvitations, .ntfTokenStatus, .remoteHostList, .remoteCtrlList, .sqlResult, .archiveExported, .archiveImported,
            .slowSQLQueries, .debugLocks, .quarantine, .quarantineRetried, .quarantineDropped, .agentWorkersDetails, .agentWorkersSummary, .agentSubs,
            .agentSubsDetails,
            .agentQueuesInfo, .appSettings, .other:
            nil
        }
    }
}
