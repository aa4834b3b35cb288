public import ChatProtocol

extension ChatResponse {
    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .activeUser(let user): object.write("activeUser", ["user": user])
        case .usersList(let users): object.write("usersList", ["users": users])
        case .chatStarted: object.write("chatStarted")
        case .chatRunning: object.write("chatRunning")
        case .chatStopped: object.write("chatStopped")
        case .connectionsDiff(let showIDs, let userIDs, let connectionIDs):
            object.write("connectionsDiff", ["showIds": showIDs, "userIds": userIDs, "connIds": connectionIDs])
        case .apiChats(let user, let chats): object.write("apiChats", ["user": user, "chats": chats])
        case .chats(let chats): object.write("chats", ["chats": chats])
        case .apiChat(let user, let chat, let navigation):
            object.write("apiChat", ["user": user, "chat": chat, "navInfo": navigation])
        case .chatContentTypes(let contentTypes): object.write("chatContentTypes", ["contentTypes": contentTypes])
        case .chatTags(let user, let userTags): object.write("chatTags", ["user": user, "userTags": userTags])
        case .chatItems(let user, let chatName, let chatItems):
            object.write("chatItems", ["user": user, "chatName_": chatName, "chatItems": chatItems])
        case .chatItemInfo(let user, let chatItem, let info):
            object.write("chatItemInfo", ["user": user, "chatItem": chatItem, "chatItemInfo": info])
        case .chatItemID(let user, let chatItemID): object.writePositional("chatItemId", [user, chatItemID])
        case .serverTestResult(let user, let testServer, let failure):
            object.write("serverTestResult", ["user": user, "testServer": testServer, "testFailure": failure])
        case .chatRelayTestResult(let user, let relayProfile, let failure):
            object.write("chatRelayTestResult", ["user": user, "relayProfile": relayProfile, "relayTestFailure": failure])
        case .serverOperatorConditions(let conditions): object.write("serverOperatorConditions", ["conditions": conditions])
        case .userServers(let user, let userServers): object.write("userServers", ["user": user, "userServers": userServers])
        case .userServersValidation(let user, let errors, let warnings):
            object.write("userServersValidation", ["user": user, "serverErrors": errors, "serverWarnings": warnings])
        case .usageConditions(let usageConditions, let conditionsText, let acceptedConditions):
            object.write(
                "usageConditions",
                [
                    "usageConditions": usageConditions, "conditionsText": conditionsText, "acceptedConditions": acceptedConditions,
                ])
        case .chatItemTTL(let user, let ttl): object.write("chatItemTTL", ["user": user, "chatItemTTL": ttl])
        case .networkConfig(let networkConfig): object.write("networkConfig", ["networkConfig": networkConfig])
        case .contactInfo(let user, let contact, let connectionStats, let customUserProfile):
            object.write(
                "contactInfo",
                [
                    "user": user, "contact": contact, "connectionStats_": connectionStats, "customUserProfile": customUserProfile,
                ])
        case .groupInfo(let user, let groupInfo): object.write("groupInfo", ["user": user, "groupInfo": groupInfo])
        case .groupMemberInfo(let user, let groupInfo, let member, let connectionStats):
            object.write(
                "groupMemberInfo",
                [
                    "user": user, "groupInfo": groupInfo, "member": member, "connectionStats_": connectionStats,
                ])
        case .queueInfo(let user, let receivedMessage, let queueInfo):
            object.write("queueInfo", ["user": user, "rcvMsgInfo": receivedMessage, "queueInfo": queueInfo])
        case .contactSwitchStarted(let user, let contact, let connectionStats):
            object.write("contactSwitchStarted", ["user": user, "contact": contact, "connectionStats": connectionStats])
        case .groupMemberSwitchStarted(let user, let groupInfo, let member, let connectionStats):
            object.write(
                "groupMemberSwitchStarted",
                [
                    "user": user, "groupInfo": groupInfo, "member": member, "connectionStats": connectionStats,
                ])
        case .contactSwitchAborted(let user, let contact, let connectionStats):
            object.write("contactSwitchAborted", ["user": user, "contact": contact, "connectionStats": connectionStats])
        case .groupMemberSwitchAborted(let user, let groupInfo, let member, let connectionStats):
            object.write(
                "groupMemberSwitchAborted",
                [
                    "user": user, "groupInfo": groupInfo, "member": member, "connectionStats": connectionStats,
                ])
        case .contactRatchetSyncStarted(let user, let contact, let connectionStats):
            object.write("contactRatchetSyncStarted", ["user": user, "contact": contact, "connectionStats": connectionStats])
        case .groupMemberRatchetSyncStarted(let user, let groupInfo, let member, let connectionStats):
            object.write(
                "groupMemberRatchetSyncStarted",
                [
                    "user": user, "groupInfo": groupInfo, "member": member, "connectionStats": connectionStats,
                ])
        case .contactCode(let user, let contact, let connectionCode):
            object.write("contactCode", ["user": user, "contact": contact, "connectionCode": connectionCode])
        case .groupMemberCode(let user, let groupInfo, let member, let connectionCode):
            object.write(
                "groupMemberCode",
                [
                    "user": user, "groupInfo": groupInfo, "member": member, "connectionCode": connectionCode,
                ])
        case .connectionVerified(let user, let verified, let expectedCode):
            object.write("connectionVerified", ["user": user, "verified": verified, "expectedCode": expectedCode])
        case .tagsUpdated(let user, let userTags, let chatTags):
            object.write("tagsUpdated", ["user": user, "userTags": userTags, "chatTags": chatTags])
        case .newChatItems(let user, let chatItems): object.write("newChatItems", ["user": user, "chatItems": chatItems])
        case .chatItemUpdated(let user, let chatItem): object.write("chatItemUpdated", ["user": user, "chatItem": chatItem])
        case .chatItemNotChanged(let user, let chatItem): object.write("chatItemNotChanged", ["user": user, "chatItem": chatItem])
        case .chatItemReaction(let user, let added, let reaction):
            object.write("chatItemReaction", ["user": user, "added": added, "reaction": reaction])
        case .reactionMembers(let user, let memberReactions):
            object.write("reactionMembers", ["user": user, "memberReactions": memberReactions])
        case .chatItemsDeleted(let user, let deletions, let byUser, let timed):
            object.write("chatItemsDeleted", ["user": user, "chatItemDeletions": deletions, "byUser": byUser, "timed": timed])
        case .groupChatItemsDeleted(let user, let groupInfo, let chatItemIDs, let byUser, let member):
            object.write(
                "groupChatItemsDeleted",
                [
                    "user": user, "groupInfo": groupInfo, "chatItemIDs": chatItemIDs, "byUser": byUser, "member_": member,
                ])
        case .broadcastSent(let user, let content, let successes, let failures, let timestamp):
            object.write(
                "broadcastSent",
                [
                    "user": user, "msgContent": content, "successes": successes, "failures": failures, "timestamp": timestamp,
                ])
        case .cmdOk(let user): object.write("cmdOk", ["user_": user])
        case .chatHelp(let section): object.write("chatHelp", ["helpSection": section])
        case .welcome(let user): object.write("welcome", ["user": user])
        case .groupCreated(let user, let groupInfo): object.write("groupCreated", ["user": user, "groupInfo": groupInfo])
        case .publicGroupCreated(let user, let groupInfo, let groupLink, let groupRelays):
            object.write(
                "publicGroupCreated",
                [
                    "user": user, "groupInfo": groupInfo, "groupLink": groupLink, "groupRelays": groupRelays,
                ])
        case .publicGroupCreationFailed(let user, let results):
            object.write("publicGroupCreationFailed", ["user": user, "addRelayResults": results])
        case .groupRelays(let user, let groupInfo, let groupRelays):
            object.write("groupRelays", ["user": user, "groupInfo": groupInfo, "groupRelays": groupRelays])
        case .groupMembers(let user, let group): object.write("groupMembers", ["user": user, "group": group])
        case .memberSupportChats(let user, let groupInfo, let members):
            object.write("memberSupportChats", ["user": user, "groupInfo": groupInfo, "members": members])
        case .contactsList(let user, let contacts): object.write("contactsList", ["user": user, "contacts": contacts])
        case .userContactLink(let user, let contactLink):
            object.write("userContactLink", ["user": user, "contactLink": contactLink])
        case .userContactLinkUpdated(let user, let contactLink):
            object.write("userContactLinkUpdated", ["user": user, "contactLink": contactLink])
        case .userContactLinkCreated(let user, let connectionLink):
            object.write("userContactLinkCreated", ["user": user, "connLinkContact": connectionLink])
        case .userContactLinkDeleted(let user): object.write("userContactLinkDeleted", ["user": user])
        case .contactRequestRejected(let user, let contactRequest, let contact):
            object.write("contactRequestRejected", ["user": user, "contactRequest": contactRequest, "contact_": contact])
        case .acceptingContactRequest(let user, let contact):
            object.write("acceptingContactRequest", ["user": user, "contact": contact])
        case .contactAlreadyExists(let user, let contact):
            object.write("contactAlreadyExists", ["user": user, "contact": contact])
        case .userAcceptedGroupSent(let user, let groupInfo, let hostContact):
            object.write("userAcceptedGroupSent", ["user": user, "groupInfo": groupInfo, "hostContact": hostContact])
        case .userDeletedMembers(let user, let groupInfo, let members, let withMessages, let isSigned):
            object.write(
                "userDeletedMembers",
                [
                    "user": user, "groupInfo": groupInfo, "members": members, "withMessages": withMessages, "msgSigned": isSigned,
                ])
        case .groupsList(let user, let groups): object.write("groupsList", ["user": user, "groups": groups])
        case .sentGroupInvitation(let user, let groupInfo, let contact, let member):
            object.write("sentGroupInvitation", ["user": user, "groupInfo": groupInfo, "contact": contact, "member": member])
        case .fileTransferStatusXFTP(let user, let chatItem): object.writePositional("fileTransferStatusXFTP", [user, chatItem])
        case .userProfile(let user, let profile): object.write("userProfile", ["user": user, "profile": profile])
        case .userProfileNoChange(let user): object.write("userProfileNoChange", ["user": user])
        case .userProfileUpdated(let user, let fromProfile, let toProfile, let summary):
            object.write(
                "userProfileUpdated",
                [
                    "user": user, "fromProfile": fromProfile, "toProfile": toProfile, "updateSummary": summary,
                ])
        case .userProfileImage(let user, let profile): object.write("userProfileImage", ["user": user, "profile": profile])
        case .userPrivacy(let user, let updatedUser): object.write("userPrivacy", ["user": user, "updatedUser": updatedUser])
        case .versionInfo(let versionInfo, let chatMigrations, let agentMigrations):
            object.write(
                "versionInfo",
                [
                    "versionInfo": versionInfo, "chatMigrations": chatMigrations, "agentMigrations": agentMigrations,
                ])
        case .invitation(let user, let connectionLink, let connection):
            object.write("invitation", ["user": user, "connLinkInvitation": connectionLink, "connection": connection])
        case .connectionIncognitoUpdated(let user, let connection, let customUserProfile):
            object.write(
                "connectionIncognitoUpdated",
                [
                    "user": user, "toConnection": connection, "customUserProfile": customUserProfile,
                ])
        case .connectionUserChanged(let user, let fromConnection, let toConnection, let newUser):
            object.write(
                "connectionUserChanged",
                [
                    "user": user, "fromConnection": fromConnection, "toConnection": toConnection, "newUser": newUser,
                ])
        case .connectionPlan(let user, let connectionLink, let plan):
            object.write("connectionPlan", ["user": user, "connLink": connectionLink, "connectionPlan": plan])
        case .newPreparedChat(let user, let chat): object.write("newPreparedChat", ["user": user, "chat": chat])
        case .contactUserChanged(let user, let fromContact, let newUser, let toContact):
            object.write(
                "contactUserChanged",
                [
                    "user": user, "fromContact": fromContact, "newUser": newUser, "toContact": toContact,
                ])
        case .groupUserChanged(let user, let fromGroup, let newUser, let toGroup):
            object.write("groupUserChanged", ["user": user, "fromGroup": fromGroup, "newUser": newUser, "toGroup": toGroup])
        case .sentConfirmation(let user, let connection, let customUserProfile):
            object.write("sentConfirmation", ["user": user, "connection": connection, "customUserProfile": customUserProfile])
        case .sentInvitation(let user, let connection, let customUserProfile):
            object.write("sentInvitation", ["user": user, "connection": connection, "customUserProfile": customUserProfile])
        case .startedConnectionToContact(let user, let contact, let customUserProfile):
            object.write("startedConnectionToContact", ["user": user, "contact": contact, "customUserProfile": customUserProfile])
        case .startedConnectionToGroup(let user, let groupInfo, let customUserProfile, let relayResults):
            object.write(
                "startedConnectionToGroup",
                [
                    "user": user, "groupInfo": groupInfo, "customUserProfile": customUserProfile, "relayResults": relayResults,
                ])
        case .sentInvitationToContact(let user, let contact, let customUserProfile):
            object.write("sentInvitationToContact", ["user": user, "contact": contact, "customUserProfile": customUserProfile])
        case .itemsReadForChat(let user, let chatInfo): object.write("itemsReadForChat", ["user": user, "chatInfo": chatInfo])
        case .contactDeleted(let user, let contact): object.write("contactDeleted", ["user": user, "contact": contact])
        case .contactConnectionDeleted(let user, let connection):
            object.write("contactConnectionDeleted", ["user": user, "connection": connection])
        case .chatCleared(let user, let chatInfo): object.write("chatCleared", ["user": user, "chatInfo": chatInfo])
        case .leftMemberUser(let user, let groupInfo): object.write("leftMemberUser", ["user": user, "groupInfo": groupInfo])
        case .groupDeletedUser(let user, let groupInfo, let isSigned):
            object.write("groupDeletedUser", ["user": user, "groupInfo": groupInfo, "msgSigned": isSigned])
        case .forwardPlan(let user, let itemsCount, let chatItemIDs, let confirmation):
            object.write(
                "forwardPlan",
                [
                    "user": user, "itemsCount": itemsCount, "chatItemIds": chatItemIDs, "forwardConfirmation": confirmation,
                ])
        case .chatMsgContent(let user, let content): object.write("chatMsgContent", ["user": user, "msgContent": content])
        case .rcvFileAccepted(let user, let chatItem): object.write("rcvFileAccepted", ["user": user, "chatItem": chatItem])
        case .rcvFileAcceptedSndCancelled(let user, let transfer):
            object.write("rcvFileAcceptedSndCancelled", ["user": user, "rcvFileTransfer": transfer])
        case .standaloneFileInfo(let fileMeta): object.write("standaloneFileInfo", ["fileMeta": fileMeta])
        case .rcvStandaloneFileCreated(let user, let transfer):
            object.write("rcvStandaloneFileCreated", ["user": user, "rcvFileTransfer": transfer])
        case .rcvFileCancelled(let user, let chatItem, let transfer):
            object.write("rcvFileCancelled", ["user": user, "chatItem_": chatItem, "rcvFileTransfer": transfer])
        case .sndFileCancelled(let user, let chatItem, let meta, let transfers):
            object.write(
                "sndFileCancelled",
                [
                    "user": user, "chatItem_": chatItem, "fileTransferMeta": meta, "sndFileTransfers": transfers,
                ])
        case .sndStandaloneFileCreated(let user, let meta):
            object.write("sndStandaloneFileCreated", ["user": user, "fileTransferMeta": meta])
        case .contactAliasUpdated(let user, let contact):
            object.write("contactAliasUpdated", ["user": user, "toContact": contact])
        case .groupAliasUpdated(let user, let groupInfo): object.write("groupAliasUpdated", ["user": user, "toGroup": groupInfo])
        case .connectionAliasUpdated(let user, let connection):
            object.write("connectionAliasUpdated", ["user": user, "toConnection": connection])
        case .contactPrefsUpdated(let user, let fromContact, let toContact):
            object.write("contactPrefsUpdated", ["user": user, "fromContact": fromContact, "toContact": toContact])
        case .joinedGroupMember(let user, let groupInfo, let member):
            object.write("joinedGroupMember", ["user": user, "groupInfo": groupInfo, "member": member])
        case .memberAccepted(let user, let groupInfo, let member):
            object.write("memberAccepted", ["user": user, "groupInfo": groupInfo, "member": member])
        case .memberSupportChatRead(let user, let groupInfo, let member):
            object.write("memberSupportChatRead", ["user": user, "groupInfo": groupInfo, "member": member])
        case .memberSupportChatDeleted(let user, let groupInfo, let member):
            object.write("memberSupportChatDeleted", ["user": user, "groupInfo": groupInfo, "member": member])
        case .membersRoleUser(let user, let groupInfo, let members, let role, let isSigned):
            object.write(
                "membersRoleUser",
                [
                    "user": user, "groupInfo": groupInfo, "members": members, "toRole": role, "msgSigned": isSigned,
                ])
        case .membersBlockedForAllUser(let user, let groupInfo, let members, let blocked, let isSigned):
            object.write(
                "membersBlockedForAllUser",
                [
                    "user": user, "groupInfo": groupInfo, "members": members, "blocked": blocked, "msgSigned": isSigned,
                ])
        case .groupUpdated(let user, let fromGroup, let toGroup, let member, let isSigned):
            object.write(
                "groupUpdated",
                [
                    "user": user, "fromGroup": fromGroup, "toGroup": toGroup, "member_": member, "msgSigned": isSigned,
                ])
        case .groupProfile(let user, let groupInfo): object.write("groupProfile", ["user": user, "groupInfo": groupInfo])
        case .groupDescription(let user, let groupInfo): object.write("groupDescription", ["user": user, "groupInfo": groupInfo])
        case .groupLinkCreated(let user, let groupInfo, let groupLink):
            object.write("groupLinkCreated", ["user": user, "groupInfo": groupInfo, "groupLink": groupLink])
        case .groupLink(let user, let groupInfo, let groupLink):
            object.write("groupLink", ["user": user, "groupInfo": groupInfo, "groupLink": groupLink])
        case .groupLinkDeleted(let user, let groupInfo): object.write("groupLinkDeleted", ["user": user, "groupInfo": groupInfo])
        case .newMemberContact(let user, let contact, let groupInfo, let member):
            object.write("newMemberContact", ["user": user, "contact": contact, "groupInfo": groupInfo, "member": member])
        case .newMemberContactSentInv(let user, let contact, let groupInfo, let member):
            object.write("newMemberContactSentInv", ["user": user, "contact": contact, "groupInfo": groupInfo, "member": member])
        case .memberContactAccepted(let user, let contact):
            object.write("memberContactAccepted", ["user": user, "contact": contact])
        case .callInvitations(let callInvitations): object.write("callInvitations", ["callInvitations": callInvitations])
        case .ntfTokenStatus(let status): object.write("ntfTokenStatus", ["status": status])
        case .remoteHostList(let remoteHosts): object.write("remoteHostList", ["remoteHosts": remoteHosts])
        case .remoteCtrlList(let remoteCtrls): object.write("remoteCtrlList", ["remoteCtrls": remoteCtrls])
        case .sqlResult(let rows): object.write("sQLResult", ["rows": rows])
        case .archiveExported(let archiveErrors): object.write("archiveExported", ["archiveErrors": archiveErrors])
        case .archiveImported(let archiveErrors): object.write("archiveImported", ["archiveErrors": archiveErrors])
        case .slowSQLQueries(let chatQueries, let agentQueries):
            object.write("slowSQLQueries", ["chatQueries": chatQueries, "agentQueries": agentQueries])
        case .debugLocks(let chatLockName, let chatEntityLocks, let agentLocks):
            object.write(
                "debugLocks",
                [
                    "chatLockName": chatLockName, "chatEntityLocks": chatEntityLocks, "agentLocks": agentLocks,
                ])
        case .quarantine(let events): object.write("quarantine", ["events": events])
        case .quarantineRetried(let event): object.write("quarantineRetried", ["event": event])
        case .quarantineDropped(let event): object.write("quarantineDropped", ["event": event])
        case .agentSubsTotal(let user, let subscriptions, let hasSession):
            object.write("agentSubsTotal", ["user": user, "subsTotal": subscriptions, "hasSession": hasSession])
        case .agentServersSummary(let user, let summary):
            object.write("agentServersSummary", ["user": user, "serversSummary": summary])
        case .agentWorkersDetails(let details): object.write("agentWorkersDetails", ["agentWorkersDetails": details])
        case .agentWorkersSummary(let summary): object.write("agentWorkersSummary", ["agentWorkersSummary": summary])
        case .agentSubs(let active, let pending, let removed):
            object.write("agentSubs", ["activeSubs": active, "pendingSubs": pending, "removedSubs": removed])
        case .agentSubsDetails(let subscriptions): object.write("agentSubsDetails", ["agentSubs": subscriptions])
        case .agentQueuesInfo(let info): object.write("agentQueuesInfo", ["agentQueuesInfo": info])
        case .appSettings(let appSettings): object.write("appSettings", ["appSettings": appSettings])
        case .customChatResponse(let user, let response):
            object.write("customChatResponse", ["user_": user, "response": response])
        case .other(_, let json): object.replace(with: json)
        }
    }
}
