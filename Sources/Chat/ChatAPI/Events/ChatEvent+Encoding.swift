public import ChatProtocol

extension ChatEvent {
    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .activeUser(let user): object.write("activeUser", ["user": user])
        case .chatSuspended: object.write("chatSuspended")
        case .contactSwitch(let user, let contact, let progress):
            object.write("contactSwitch", ["user": user, "contact": contact, "switchProgress": progress])
        case .groupMemberSwitch(let user, let groupInfo, let member, let progress):
            object.write(
                "groupMemberSwitch",
                [
                    "user": user, "groupInfo": groupInfo, "member": member, "switchProgress": progress,
                ])
        case .contactRatchetSync(let user, let contact, let progress):
            object.write("contactRatchetSync", ["user": user, "contact": contact, "ratchetSyncProgress": progress])
        case .groupMemberRatchetSync(let user, let groupInfo, let member, let progress):
            object.write(
                "groupMemberRatchetSync",
                [
                    "user": user, "groupInfo": groupInfo, "member": member, "ratchetSyncProgress": progress,
                ])
        case .contactPQEnabled(let user, let contact, let pqEnabled):
            object.write("contactPQEnabled", ["user": user, "contact": contact, "pqEnabled": pqEnabled])
        case .chatInfoUpdated(let user, let chatInfo): object.write("chatInfoUpdated", ["user": user, "chatInfo": chatInfo])
        case .newChatItems(let user, let chatItems): object.write("newChatItems", of: user, chatItems)
        case .chatItemsStatusesUpdated(let user, let chatItems): object.write("chatItemsStatusesUpdated", of: user, chatItems)
        case .chatItemUpdated(let user, let chatItem): object.write("chatItemUpdated", ["user": user, "chatItem": chatItem])
        case .chatItemNotChanged(let user, let chatItem): object.write("chatItemNotChanged", ["user": user, "chatItem": chatItem])
        case .chatItemReaction(let user, let added, let reaction):
            object.write("chatItemReaction", ["user": user, "added": added, "reaction": reaction])
        case .groupChatItemsDeleted(let user, let groupInfo, let chatItemIDs, let byUser, let member):
            object.write(
                "groupChatItemsDeleted",
                [
                    "user": user, "groupInfo": groupInfo, "chatItemIDs": chatItemIDs, "byUser": byUser, "member_": member,
                ])
        case .chatItemsDeleted(let user, let deletions, let byUser, let timed):
            object.write("chatItemsDeleted", ["user": user, "chatItemDeletions": deletions, "byUser": byUser, "timed": timed])
        case .chatItemDeletedNotFound(let user, let contact, let sharedMessageID):
            object.write("chatItemDeletedNotFound", ["user": user, "contact": contact, "sharedMsgId": sharedMessageID])
        case .contactConnecting(let user, let contact): object.write("contactConnecting", ["user": user, "contact": contact])
        case .contactConnected(let user, let contact, let customUserProfile):
            object.write("contactConnected", ["user": user, "contact": contact, "userCustomProfile": customUserProfile])
        case .contactSndReady(let user, let contact): object.write("contactSndReady", ["user": user, "contact": contact])
        case .contactAnotherClient(let user, let contact):
            object.write("contactAnotherClient", ["user": user, "contact": contact])
        case .contactUpdated(let user, let fromContact, let toContact):
            object.write("contactUpdated", ["user": user, "fromContact": fromContact, "toContact": toContact])
        case .contactsMerged(let user, let intoContact, let mergedContact, let updatedContact):
            object.write(
                "contactsMerged",
                [
                    "user": user, "intoContact": intoContact, "mergedContact": mergedContact, "updatedContact": updatedContact,
                ])
        case .contactDeletedByContact(let user, let contact):
            object.write("contactDeletedByContact", ["user": user, "contact": contact])
        case .receivedContactRequest(let user, let contactRequest, let chat):
            object.write("receivedContactRequest", ["user": user, "contactRequest": contactRequest, "chat_": chat])
        case .acceptingContactRequest(let user, let contact):
            object.write("acceptingContactRequest", ["user": user, "contact": contact])
        case .acceptingBusinessRequest(let user, let groupInfo):
            object.write("acceptingBusinessRequest", ["user": user, "groupInfo": groupInfo])
        case .contactRequestAlreadyAccepted(let user, let contact):
            object.write("contactRequestAlreadyAccepted", ["user": user, "contact": contact])
        case .businessRequestAlreadyAccepted(let user, let groupInfo):
            object.write("businessRequestAlreadyAccepted", ["user": user, "groupInfo": groupInfo])
        case .contactSubSummary(let user, let subscriptions):
            object.write("contactSubSummary", ["user": user, "contactSubscriptions": subscriptions])
        case .contactDisabled(let user, let contact): object.write("contactDisabled", ["user": user, "contact": contact])
        case .connectionDisabled(let entity): object.write("connectionDisabled", ["connectionEntity": entity])
        case .connectionInactive(let entity, let inactive):
            object.write("connectionInactive", ["connectionEntity": entity, "inactive": inactive])
        case .subscriptionStatus(let server, let status, let connections):
            object.write("subscriptionStatus", ["server": server, "subscriptionStatus": status, "connections": connections])
        case .hostConnected(let protocolName, let transportHost):
            object.write("hostConnected", ["protocol": protocolName, "transportHost": transportHost])
        case .hostDisconnected(let protocolName, let transportHost):
            object.write("hostDisconnected", ["protocol": protocolName, "transportHost": transportHost])
        case .connectionsDiff(let userIDs, let connectionIDs):
            object.write("connectionsDiff", ["userIds": userIDs, "connIds": connectionIDs])
        case .agentConnectionsDeleted(let agentConnectionIDs):
            object.write("agentConnsDeleted", ["agentConnIds": agentConnectionIDs])
        case .agentReceiveQueuesDeleted(let deletedQueues):
            object.write("agentRcvQueuesDeleted", ["deletedRcvQueues": deletedQueues])
        case .agentUserDeleted(let agentUserID): object.write("agentUserDeleted", ["agentUserId": agentUserID])
        case .userAcceptedGroupSent(let user, let groupInfo, let hostContact):
            object.write("userAcceptedGroupSent", ["user": user, "groupInfo": groupInfo, "hostContact": hostContact])
        case .groupLinkConnecting(let user, let groupInfo, let hostMember):
            object.write("groupLinkConnecting", ["user": user, "groupInfo": groupInfo, "hostMember": hostMember])
        case .businessLinkConnecting(let user, let groupInfo, let hostMember, let fromContact):
            object.write(
                "businessLinkConnecting",
                [
                    "user": user, "groupInfo": groupInfo, "hostMember": hostMember, "fromContact": fromContact,
                ])
        case .sentGroupInvitation(let user, let groupInfo, let contact, let member):
            object.write("sentGroupInvitation", ["user": user, "groupInfo": groupInfo, "contact": contact, "member": member])
        case .receivedGroupInvitation(let user, let groupInfo, let contact, let fromMemberRole, let memberRole):
            object.write(
                "receivedGroupInvitation",
                [
                    "user": user, "groupInfo": groupInfo, "contact": contact, "fromMemberRole": fromMemberRole,
                    "memberRole": memberRole,
                ])
        case .userJoinedGroup(let user, let groupInfo, let hostMember):
            object.write("userJoinedGroup", ["user": user, "groupInfo": groupInfo, "hostMember": hostMember])
        case .joinedGroupMember(let user, let groupInfo, let member):
            object.write("joinedGroupMember", ["user": user, "groupInfo": groupInfo, "member": member])
        case .joinedGroupMemberConnecting(let user, let groupInfo, let hostMember, let member):
            object.write(
                "joinedGroupMemberConnecting",
                [
                    "user": user, "groupInfo": groupInfo, "hostMember": hostMember, "member": member,
                ])
        case .connectedToGroupMember(let user, let groupInfo, let member, let contact):
            object.write(
                "connectedToGroupMember",
                [
                    "user": user, "groupInfo": groupInfo, "member": member, "memberContact": contact,
                ])
        case .memberAcceptedByOther(let user, let groupInfo, let acceptingMember, let member):
            object.write(
                "memberAcceptedByOther",
                [
                    "user": user, "groupInfo": groupInfo, "acceptingMember": acceptingMember, "member": member,
                ])
        case .memberRole(let user, let groupInfo, let byMember, let member, let fromRole, let toRole, let signature):
            object.write(
                "memberRole",
                [
                    "user": user, "groupInfo": groupInfo, "byMember": byMember, "member": member, "fromRole": fromRole,
                    "toRole": toRole, "msgSigned": signature,
                ])
        case .memberBlockedForAll(let user, let groupInfo, let byMember, let member, let blocked, let signature):
            object.write(
                "memberBlockedForAll",
                [
                    "user": user, "groupInfo": groupInfo, "byMember": byMember, "member": member, "blocked": blocked,
                    "msgSigned": signature,
                ])
        case .deletedMember(let user, let groupInfo, let byMember, let deletedMember, let withMessages, let signature):
            object.write(
                "deletedMember",
                [
                    "user": user, "groupInfo": groupInfo, "byMember": byMember, "deletedMember": deletedMember,
                    "withMessages": withMessages, "msgSigned": signature,
                ])
        case .deletedMemberUser(let user, let groupInfo, let member, let withMessages, let signature):
            object.write(
                "deletedMemberUser",
                [
                    "user": user, "groupInfo": groupInfo, "member": member, "withMessages": withMessages, "msgSigned": signature,
                ])
        case .leftMember(let user, let groupInfo, let member, let signature):
            object.write("leftMember", ["user": user, "groupInfo": groupInfo, "member": member, "msgSigned": signature])
        case .unknownMemberCreated(let user, let groupInfo, let forwardedByMember, let member):
            object.write(
                "unknownMemberCreated",
                [
                    "user": user, "groupInfo": groupInfo, "forwardedByMember": forwardedByMember, "member": member,
                ])
        case .unknownMemberBlocked(let user, let groupInfo, let blockedByMember, let member):
            object.write(
                "unknownMemberBlocked",
                [
                    "user": user, "groupInfo": groupInfo, "blockedByMember": blockedByMember, "member": member,
                ])
        case .unknownMemberAnnounced(let user, let groupInfo, let announcingMember, let unknownMember, let announcedMember):
            object.write(
                "unknownMemberAnnounced",
                [
                    "user": user, "groupInfo": groupInfo, "announcingMember": announcingMember, "unknownMember": unknownMember,
                    "announcedMember": announcedMember,
                ])
        case .groupMemberUpdated(let user, let groupInfo, let fromMember, let toMember):
            object.write(
                "groupMemberUpdated",
                [
                    "user": user, "groupInfo": groupInfo, "fromMember": fromMember, "toMember": toMember,
                ])
        case .contactAndMemberAssociated(let user, let contact, let groupInfo, let member, let updatedContact):
            object.write(
                "contactAndMemberAssociated",
                [
                    "user": user, "contact": contact, "groupInfo": groupInfo, "member": member, "updatedContact": updatedContact,
                ])
        case .groupDeleted(let user, let groupInfo, let member, let signature):
            object.write("groupDeleted", ["user": user, "groupInfo": groupInfo, "member": member, "msgSigned": signature])
        case .groupUpdated(let user, let fromGroup, let toGroup, let member, let signature):
            object.write(
                "groupUpdated",
                [
                    "user": user, "fromGroup": fromGroup, "toGroup": toGroup, "member_": member, "msgSigned": signature,
                ])
        case .acceptingGroupJoinRequestMember(let user, let groupInfo, let member):
            object.write("acceptingGroupJoinRequestMember", ["user": user, "groupInfo": groupInfo, "member": member])
        case .noMemberContactCreating(let user, let groupInfo, let member):
            object.write("noMemberContactCreating", ["user": user, "groupInfo": groupInfo, "member": member])
        case .newMemberContactReceivedInv(let user, let contact, let groupInfo, let member):
            object.write(
                "newMemberContactReceivedInv",
                [
                    "user": user, "contact": contact, "groupInfo": groupInfo, "member": member,
                ])
        case .groupLinkDataUpdated(let user, let groupInfo, let groupLink, let groupRelays, let relaysChanged):
            object.write(
                "groupLinkDataUpdated",
                [
                    "user": user, "groupInfo": groupInfo, "groupLink": groupLink, "groupRelays": groupRelays,
                    "relaysChanged": relaysChanged,
                ])
        case .groupRelayUpdated(let user, let groupInfo, let member, let groupRelay):
            object.write("groupRelayUpdated", ["user": user, "groupInfo": groupInfo, "member": member, "groupRelay": groupRelay])
        case .rcvFileDescrReady(let user, let chatItem, let transfer, let description):
            object.write(
                "rcvFileDescrReady",
                [
                    "user": user, "chatItem": chatItem, "rcvFileTransfer": transfer, "rcvFileDescr": description,
                ])
        case .rcvFileStart(let user, let chatItem): object.write("rcvFileStart", ["user": user, "chatItem": chatItem])
        case .rcvFileProgressXFTP(let user, let chatItem, let receivedSize, let totalSize, let transfer):
            object.write(
                "rcvFileProgressXFTP",
                [
                    "user": user, "chatItem_": chatItem, "receivedSize": receivedSize, "totalSize": totalSize,
                    "rcvFileTransfer": transfer,
                ])
        case .rcvFileComplete(let user, let chatItem): object.write("rcvFileComplete", ["user": user, "chatItem": chatItem])
        case .rcvFileSndCancelled(let user, let chatItem, let transfer):
            object.write("rcvFileSndCancelled", ["user": user, "chatItem": chatItem, "rcvFileTransfer": transfer])
        case .rcvFileError(let user, let chatItem, let error, let transfer):
            object.write("rcvFileError", ["user": user, "chatItem_": chatItem, "agentError": error, "rcvFileTransfer": transfer])
        case .rcvFileWarning(let user, let chatItem, let error, let transfer):
            object.write(
                "rcvFileWarning",
                [
                    "user": user, "chatItem_": chatItem, "agentError": error, "rcvFileTransfer": transfer,
                ])
        case .rcvStandaloneFileComplete(let user, let targetPath, let transfer):
            object.write("rcvStandaloneFileComplete", ["user": user, "targetPath": targetPath, "rcvFileTransfer": transfer])
        case .sndFileProgressXFTP(let user, let chatItem, let meta, let sentSize, let totalSize):
            object.write(
                "sndFileProgressXFTP",
                [
                    "user": user, "chatItem_": chatItem, "fileTransferMeta": meta, "sentSize": sentSize, "totalSize": totalSize,
                ])
        case .sndFileRedirectStartXFTP(let user, let meta, let redirectMeta):
            object.write("sndFileRedirectStartXFTP", ["user": user, "fileTransferMeta": meta, "redirectMeta": redirectMeta])
        case .sndFileCompleteXFTP(let user, let chatItem, let meta):
            object.write("sndFileCompleteXFTP", ["user": user, "chatItem": chatItem, "fileTransferMeta": meta])
        case .sndStandaloneFileComplete(let user, let meta, let links):
            object.write("sndStandaloneFileComplete", ["user": user, "fileTransferMeta": meta, "rcvURIs": links])
        case .sndFileError(let user, let chatItem, let meta, let message):
            object.write("sndFileError", ["user": user, "chatItem_": chatItem, "fileTransferMeta": meta, "errorMessage": message])
        case .sndFileWarning(let user, let chatItem, let meta, let message):
            object.write(
                "sndFileWarning",
                [
                    "user": user, "chatItem_": chatItem, "fileTransferMeta": meta, "errorMessage": message,
                ])
        case .callInvitation(let invitation): object.write("callInvitation", ["callInvitation": invitation])
        case .callEnded(let user, let contact): object.write("callEnded", ["user": user, "contact": contact])
        case .messageError(let user, let severity, let message):
            object.write("messageError", ["user": user, "severity": severity, "errorMessage": message])
        case .chatError(let error): object.write("chatError", ["chatError": error])
        case .commandError(let error): object.write("chatCmdError", ["chatError": error])
        case .chatErrors(let errors): object.write("chatErrors", ["chatErrors": errors])
        case .customChatEvent(let user, let response): object.write("customChatEvent", ["user_": user, "response": response])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

extension JSONObjectWriter {
    /// Items come one after another, most of them of the same profile.
    fileprivate mutating func write(_ tag: String, of user: User, _ items: [ItemInChat]) {
        write(tag)
        add("user", repeated: user)
        add("chatItems", items)
    }
}
