public import ChatProtocol

extension ChatResponse {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "activeUser": self = .activeUser(user: try object.required("user"))
        case "usersList": self = .usersList(users: try object.required("users"))
        case "chatStarted": self = .chatStarted
        case "chatRunning": self = .chatRunning
        case "chatStopped": self = .chatStopped
        case "connectionsDiff":
            self = .connectionsDiff(
                showIDs: try object.optional("showIds"), userIDs: try object.required("userIds"),
                connectionIDs: try object.required("connIds"))
        case "apiChats": self = .apiChats(user: try object.required("user"), chats: try object.required("chats"))
        case "chats": self = .chats(chats: try object.required("chats"))
        case "apiChat":
            self = .apiChat(
                user: try object.required("user"), chat: try object.required("chat"), navigation: try object.optional("navInfo"))
        case "chatContentTypes": self = .chatContentTypes(contentTypes: try object.required("contentTypes"))
        case "chatTags": self = .chatTags(user: try object.required("user"), userTags: try object.required("userTags"))
        case "chatItems":
            self = .chatItems(
                user: try object.required("user"), chatName: try object.optional("chatName_"),
                chatItems: try object.required("chatItems"))
        case "chatItemInfo":
            self = .chatItemInfo(
                user: try object.required("user"), chatItem: try object.required("chatItem"),
                info: try object.required("chatItemInfo"))
        case "chatItemId": self = .chatItemID(user: try object.positional(0), chatItemID: try object.positional(1))
        case "serverTestResult":
            self = .serverTestResult(
                user: try object.required("user"), testServer: try object.required("testServer"),
                failure: try object.optional("testFailure"))
        case "chatRelayTestResult":
            self = .chatRelayTestResult(
                user: try object.required("user"), relayProfile: try object.optional("relayProfile"),
                failure: try object.optional("relayTestFailure"))
        case "serverOperatorConditions": self = .serverOperatorConditions(conditions: try object.required("conditions"))
        case "userServers":
            self = .userServers(user: try object.required("user"), userServers: try object.required("userServers"))
        case "userServersValidation":
            self = .userServersValidation(
                user: try object.required("user"), errors: try object.required("serverErrors"),
                warnings: try object.optional("serverWarnings") ?? [])
        case "usageConditions":
            self = .usageConditions(
                usageConditions: try object.required("usageConditions"), conditionsText: try object.optional("conditionsText"),
                acceptedConditions: try object.optional("acceptedConditions"))
        case "chatItemTTL": self = .chatItemTTL(user: try object.required("user"), ttl: try object.optional("chatItemTTL"))
        case "networkConfig": self = .networkConfig(networkConfig: try object.required("networkConfig"))
        case "contactInfo":
            self = .contactInfo(
                user: try object.required("user"), contact: try object.required("contact"),
                connectionStats: try object.optional("connectionStats_"),
                customUserProfile: try object.optional("customUserProfile"))
        case "groupInfo": self = .groupInfo(user: try object.required("user"), groupInfo: try object.required("groupInfo"))
        case "groupMemberInfo":
            self = .groupMemberInfo(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"), connectionStats: try object.optional("connectionStats_"))
        case "queueInfo":
            self = .queueInfo(
                user: try object.required("user"), receivedMessage: try object.optional("rcvMsgInfo"),
                queueInfo: try object.required("queueInfo"))
        case "contactSwitchStarted":
            self = .contactSwitchStarted(
                user: try object.required("user"), contact: try object.required("contact"),
                connectionStats: try object.required("connectionStats"))
        case "groupMemberSwitchStarted":
            self = .groupMemberSwitchStarted(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"), connectionStats: try object.required("connectionStats"))
        case "contactSwitchAborted":
            self = .contactSwitchAborted(
                user: try object.required("user"), contact: try object.required("contact"),
                connectionStats: try object.required("connectionStats"))
        case "groupMemberSwitchAborted":
            self = .groupMemberSwitchAborted(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"), connectionStats: try object.required("connectionStats"))
        case "contactRatchetSyncStarted":
            self = .contactRatchetSyncStarted(
                user: try object.required("user"), contact: try object.required("contact"),
                connectionStats: try object.required("connectionStats"))
        case "groupMemberRatchetSyncStarted":
            self = .groupMemberRatchetSyncStarted(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"), connectionStats: try object.required("connectionStats"))
        case "contactCode":
            self = .contactCode(
                user: try object.required("user"), contact: try object.required("contact"),
                connectionCode: try object.required("connectionCode"))
        case "groupMemberCode":
            self = .groupMemberCode(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"), connectionCode: try object.required("connectionCode"))
        case "connectionVerified":
            self = .connectionVerified(
                user: try object.required("user"), verified: try object.required("verified"),
                expectedCode: try object.required("expectedCode"))
        case "tagsUpdated":
            self = .tagsUpdated(
                user: try object.required("user"), userTags: try object.required("userTags"),
                chatTags: try object.required("chatTags"))
        case "newChatItems": self = .newChatItems(user: try object.required("user"), chatItems: try object.required("chatItems"))
        case "chatItemUpdated":
            self = .chatItemUpdated(user: try object.required("user"), chatItem: try object.required("chatItem"))
        case "chatItemNotChanged":
            self = .chatItemNotChanged(user: try object.required("user"), chatItem: try object.required("chatItem"))
        case "chatItemReaction":
            self = .chatItemReaction(
                user: try object.required("user"), added: try object.required("added"), reaction: try object.required("reaction"))
        case "reactionMembers":
            self = .reactionMembers(user: try object.required("user"), memberReactions: try object.required("memberReactions"))
        case "chatItemsDeleted":
            self = .chatItemsDeleted(
                user: try object.required("user"), deletions: try object.required("chatItemDeletions"),
                byUser: try object.required("byUser"), timed: try object.required("timed"))
        case "groupChatItemsDeleted":
            self = .groupChatItemsDeleted(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                chatItemIDs: try object.required("chatItemIDs"), byUser: try object.required("byUser"),
                member: try object.optional("member_"))
        case "broadcastSent":
            self = .broadcastSent(
                user: try object.required("user"), content: try object.required("msgContent"),
                successes: try object.required("successes"), failures: try object.required("failures"),
                timestamp: try object.required("timestamp"))
        case "cmdOk": self = .cmdOk(user: try object.optional("user_"))
        case "chatHelp": self = .chatHelp(section: try object.required("helpSection"))
        case "welcome": self = .welcome(user: try object.required("user"))
        case "groupCreated": self = .groupCreated(user: try object.required("user"), groupInfo: try object.required("groupInfo"))
        case "publicGroupCreated":
            self = .publicGroupCreated(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                groupLink: try object.required("groupLink"), groupRelays: try object.required("groupRelays"))
        case "publicGroupCreationFailed":
            self = .publicGroupCreationFailed(user: try object.required("user"), results: try object.required("addRelayResults"))
        case "groupRelays":
            self = .groupRelays(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                groupRelays: try object.required("groupRelays"))
        case "groupMembers": self = .groupMembers(user: try object.required("user"), group: try object.required("group"))
        case "memberSupportChats":
            self = .memberSupportChats(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                members: try object.required("members"))
        case "contactsList": self = .contactsList(user: try object.required("user"), contacts: try object.required("contacts"))
        case "userContactLink":
            self = .userContactLink(user: try object.required("user"), contactLink: try object.required("contactLink"))
        case "userContactLinkUpdated":
            self = .userContactLinkUpdated(user: try object.required("user"), contactLink: try object.required("contactLink"))
        case "userContactLinkCreated":
            self = .userContactLinkCreated(
                user: try object.required("user"), connectionLink: try object.required("connLinkContact"))
        case "userContactLinkDeleted": self = .userContactLinkDeleted(user: try object.required("user"))
        case "contactRequestRejected":
            self = .contactRequestRejected(
                user: try object.required("user"), contactRequest: try object.required("contactRequest"),
                contact: try object.optional("contact_"))
        case "acceptingContactRequest":
            self = .acceptingContactRequest(user: try object.required("user"), contact: try object.required("contact"))
        case "contactAlreadyExists":
            self = .contactAlreadyExists(user: try object.required("user"), contact: try object.required("contact"))
        case "userAcceptedGroupSent":
            self = .userAcceptedGroupSent(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                hostContact: try object.optional("hostContact"))
        case "userDeletedMembers":
            self = .userDeletedMembers(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                members: try object.required("members"), withMessages: try object.required("withMessages"),
                isSigned: try object.required("msgSigned"))
        case "groupsList": self = .groupsList(user: try object.required("user"), groups: try object.required("groups"))
        case "sentGroupInvitation":
            self = .sentGroupInvitation(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                contact: try object.required("contact"), member: try object.required("member"))
        case "fileTransferStatusXFTP":
            self = .fileTransferStatusXFTP(user: try object.positional(0), chatItem: try object.positional(1))
        case "userProfile": self = .userProfile(user: try object.required("user"), profile: try object.required("profile"))
        case "userProfileNoChange": self = .userProfileNoChange(user: try object.required("user"))
        case "userProfileUpdated":
            self = .userProfileUpdated(
                user: try object.required("user"), fromProfile: try object.required("fromProfile"),
                toProfile: try object.required("toProfile"), summary: try object.required("updateSummary"))
        case "userProfileImage":
            self = .userProfileImage(user: try object.required("user"), profile: try object.required("profile"))
        case "userPrivacy":
            self = .userPrivacy(user: try object.required("user"), updatedUser: try object.required("updatedUser"))
        case "versionInfo":
            self = .versionInfo(
                versionInfo: try object.required("versionInfo"), chatMigrations: try object.optional("chatMigrations") ?? [],
                agentMigrations: try object.optional("agentMigrations") ?? [])
        case "invitation":
            self = .invitation(
                user: try object.required("user"), connectionLink: try object.required("connLinkInvitation"),
                connection: try object.required("connection"))
        case "connectionIncognitoUpdated":
            self = .connectionIncognitoUpdated(
                user: try object.required("user"), connection: try object.required("toConnection"),
                customUserProfile: try object.optional("customUserProfile"))
        case "connectionUserChanged":
            self = .connectionUserChanged(
                user: try object.required("user"), fromConnection: try object.required("fromConnection"),
                toConnection: try object.required("toConnection"), newUser: try object.required("newUser"))
        case "connectionPlan":
            self = .connectionPlan(
                user: try object.required("user"), connectionLink: try object.required("connLink"),
                plan: try object.required("connectionPlan"))
        case "newPreparedChat": self = .newPreparedChat(user: try object.required("user"), chat: try object.required("chat"))
        case "contactUserChanged":
            self = .contactUserChanged(
                user: try object.required("user"), fromContact: try object.required("fromContact"),
                newUser: try object.required("newUser"), toContact: try object.required("toContact"))
        case "groupUserChanged":
            self = .groupUserChanged(
                user: try object.required("user"), fromGroup: try object.required("fromGroup"),
                newUser: try object.required("newUser"), toGroup: try object.required("toGroup"))
        case "sentConfirmation":
            self = .sentConfirmation(
                user: try object.required("user"), connection: try object.required("connection"),
                customUserProfile: try object.optional("customUserProfile"))
        case "sentInvitation":
            self = .sentInvitation(
                user: try object.required("user"), connection: try object.required("connection"),
                customUserProfile: try object.optional("customUserProfile"))
        case "startedConnectionToContact":
            self = .startedConnectionToContact(
                user: try object.required("user"), contact: try object.required("contact"),
                customUserProfile: try object.optional("customUserProfile"))
        case "startedConnectionToGroup":
            self = .startedConnectionToGroup(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                customUserProfile: try object.optional("customUserProfile"),
                relayResults: try object.optional("relayResults") ?? [])
        case "sentInvitationToContact":
            self = .sentInvitationToContact(
                user: try object.required("user"), contact: try object.required("contact"),
                customUserProfile: try object.optional("customUserProfile"))
        case "itemsReadForChat":
            self = .itemsReadForChat(user: try object.required("user"), chatInfo: try object.required("chatInfo"))
        case "contactDeleted": self = .contactDeleted(user: try object.required("user"), contact: try object.required("contact"))
        case "contactConnectionDeleted":
            self = .contactConnectionDeleted(user: try object.required("user"), connection: try object.required("connection"))
        case "chatCleared": self = .chatCleared(user: try object.required("user"), chatInfo: try object.required("chatInfo"))
        case "leftMemberUser":
            self = .leftMemberUser(user: try object.required("user"), groupInfo: try object.required("groupInfo"))
        case "groupDeletedUser":
            self = .groupDeletedUser(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                isSigned: try object.required("msgSigned"))
        case "forwardPlan":
            self = .forwardPlan(
                user: try object.required("user"), itemsCount: try object.required("itemsCount"),
                chatItemIDs: try object.required("chatItemIds"), confirmation: try object.optional("forwardConfirmation"))
        case "chatMsgContent":
            self = .chatMsgContent(user: try object.required("user"), content: try object.required("msgContent"))
        case "rcvFileAccepted":
            self = .rcvFileAccepted(user: try object.required("user"), chatItem: try object.required("chatItem"))
        case "rcvFileAcceptedSndCancelled":
            self = .rcvFileAcceptedSndCancelled(
                user: try object.required("user"), transfer: try object.required("rcvFileTransfer"))
        case "standaloneFileInfo": self = .standaloneFileInfo(fileMeta: try object.optional("fileMeta"))
        case "rcvStandaloneFileCreated":
            self = .rcvStandaloneFileCreated(user: try object.required("user"), transfer: try object.required("rcvFileTransfer"))
        case "rcvFileCancelled":
            self = .rcvFileCancelled(
                user: try object.required("user"), chatItem: try object.optional("chatItem_"),
                transfer: try object.required("rcvFileTransfer"))
        case "sndFileCancelled":
            self = .sndFileCancelled(
                user: try object.required("user"), chatItem: try object.optional("chatItem_"),
                meta: try object.required("fileTransferMeta"), transfers: try object.required("sndFileTransfers"))
        case "sndStandaloneFileCreated":
            self = .sndStandaloneFileCreated(user: try object.required("user"), meta: try object.required("fileTransferMeta"))
        case "contactAliasUpdated":
            self = .contactAliasUpdated(user: try object.required("user"), contact: try object.required("toContact"))
        case "groupAliasUpdated":
            self = .groupAliasUpdated(user: try object.required("user"), groupInfo: try object.required("toGroup"))
        case "connectionAliasUpdated":
            self = .connectionAliasUpdated(user: try object.required("user"), connection: try object.required("toConnection"))
        case "contactPrefsUpdated":
            self = .contactPrefsUpdated(
                user: try object.required("user"), fromContact: try object.required("fromContact"),
                toContact: try object.required("toContact"))
        case "joinedGroupMember":
            self = .joinedGroupMember(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"))
        case "memberAccepted":
            self = .memberAccepted(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"))
        case "memberSupportChatRead":
            self = .memberSupportChatRead(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"))
        case "memberSupportChatDeleted":
            self = .memberSupportChatDeleted(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"))
        case "membersRoleUser":
            self = .membersRoleUser(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                members: try object.required("members"), role: try object.required("toRole"),
                isSigned: try object.required("msgSigned"))
        case "membersBlockedForAllUser":
            self = .membersBlockedForAllUser(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                members: try object.required("members"), blocked: try object.required("blocked"),
                isSigned: try object.required("msgSigned"))
        case "groupUpdated":
            self = .groupUpdated(
                user: try object.required("user"), fromGroup: try object.required("fromGroup"),
                toGroup: try object.required("toGroup"), member: try object.optional("member_"),
                isSigned: try object.required("msgSigned"))
        case "groupProfile": self = .groupProfile(user: try object.required("user"), groupInfo: try object.required("groupInfo"))
        case "groupDescription":
            self = .groupDescription(user: try object.required("user"), groupInfo: try object.required("groupInfo"))
        case "groupLinkCreated":
            self = .groupLinkCreated(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                groupLink: try object.required("groupLink"))
        case "groupLink":
            self = .groupLink(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                groupLink: try object.required("groupLink"))
        case "groupLinkDeleted":
            self = .groupLinkDeleted(user: try object.required("user"), groupInfo: try object.required("groupInfo"))
        case "newMemberContact":
            self = .newMemberContact(
                user: try object.required("user"), contact: try object.required("contact"),
                groupInfo: try object.required("groupInfo"), member: try object.required("member"))
        case "newMemberContactSentInv":
            self = .newMemberContactSentInv(
                user: try object.required("user"), contact: try object.required("contact"),
                groupInfo: try object.required("groupInfo"), member: try object.required("member"))
        case "memberContactAccepted":
            self = .memberContactAccepted(user: try object.required("user"), contact: try object.required("contact"))
        case "callInvitations": self = .callInvitations(callInvitations: try object.required("callInvitations"))
        case "ntfTokenStatus": self = .ntfTokenStatus(status: try object.required("status"))
        case "remoteHostList": self = .remoteHostList(remoteHosts: try object.required("remoteHosts"))
        case "remoteCtrlList": self = .remoteCtrlList(remoteCtrls: try object.required("remoteCtrls"))
        case "sQLResult": self = .sqlResult(rows: try object.required("rows"))
        case "archiveExported": self = .archiveExported(archiveErrors: try object.optional("archiveErrors") ?? [])
        case "archiveImported": self = .archiveImported(archiveErrors: try object.optional("archiveErrors") ?? [])
        case "slowSQLQueries":
            self = .slowSQLQueries(
                chatQueries: try object.required("chatQueries"), agentQueries: try object.required("agentQueries"))
        case "debugLocks":
            self = .debugLocks(
                chatLockName: try object.optional("chatLockName"), chatEntityLocks: try object.required("chatEntityLocks"),
                agentLocks: try object.required("agentLocks"))
        case "quarantine": self = .quarantine(events: try object.required("events"))
        case "quarantineRetried": self = .quarantineRetried(event: try object.required("event"))
        case "quarantineDropped": self = .quarantineDropped(event: try object.required("event"))
        case "agentSubsTotal":
            self = .agentSubsTotal(
                user: try object.required("user"), subscriptions: try object.required("subsTotal"),
                hasSession: try object.required("hasSession"))
        case "agentServersSummary":
            self = .agentServersSummary(user: try object.required("user"), summary: try object.required("serversSummary"))
        case "agentWorkersDetails": self = .agentWorkersDetails(details: try object.required("agentWorkersDetails"))
        case "agentWorkersSummary": self = .agentWorkersSummary(summary: try object.required("agentWorkersSummary"))
        case "agentSubs":
            self = .agentSubs(
                active: try object.required("activeSubs"), pending: try object.required("pendingSubs"),
                removed: try object.required("removedSubs"))
        case "agentSubsDetails": self = .agentSubsDetails(subscriptions: try object.required("agentSubs"))
        case "agentQueuesInfo": self = .agentQueuesInfo(info: try object.required("agentQueuesInfo"))
        case "appSettings": self = .appSettings(appSettings: try object.required("appSettings"))
        case "customChatResponse":
            self = .customChatResponse(user: try object.optional("user_"), response: try object.required("response"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }
}
