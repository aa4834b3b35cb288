public import ChatProtocol

extension ChatEvent {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "activeUser": self = .activeUser(user: try object.required("user"))
        case "chatSuspended": self = .chatSuspended
        case "contactSwitch":
            self = .contactSwitch(
                user: try object.required("user"), contact: try object.required("contact"),
                progress: try object.required("switchProgress"))
        case "groupMemberSwitch":
            self = .groupMemberSwitch(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"), progress: try object.required("switchProgress"))
        case "contactRatchetSync":
            self = .contactRatchetSync(
                user: try object.required("user"), contact: try object.required("contact"),
                progress: try object.required("ratchetSyncProgress"))
        case "groupMemberRatchetSync":
            self = .groupMemberRatchetSync(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"), progress: try object.required("ratchetSyncProgress"))
        case "contactPQEnabled":
            self = .contactPQEnabled(
                user: try object.required("user"), contact: try object.required("contact"), pqEnabled: try object.required("pqEnabled"))
        case "chatInfoUpdated":
            self = .chatInfoUpdated(user: try object.required("user"), chatInfo: try object.required("chatInfo"))
        case "newChatItems": self = .newChatItems(user: try object.required("user"), chatItems: try object.required("chatItems"))
        case "chatItemsStatusesUpdated":
            self = .chatItemsStatusesUpdated(user: try object.required("user"), chatItems: try object.required("chatItems"))
        case "chatItemUpdated":
            self = .chatItemUpdated(user: try object.required("user"), chatItem: try object.required("chatItem"))
        case "chatItemNotChanged":
            self = .chatItemNotChanged(user: try object.required("user"), chatItem: try object.required("chatItem"))
        case "chatItemReaction":
            self = .chatItemReaction(
                user: try object.required("user"), added: try object.required("added"), reaction: try object.required("reaction"))
        case "groupChatItemsDeleted":
            self = .groupChatItemsDeleted(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                chatItemIDs: try object.required("chatItemIDs"), byUser: try object.required("byUser"),
                member: try object.optional("member_"))
        case "chatItemsDeleted":
            self = .chatItemsDeleted(
                user: try object.required("user"), deletions: try object.required("chatItemDeletions"),
                byUser: try object.required("byUser"), timed: try object.required("timed"))
        case "chatItemDeletedNotFound":
            self = .chatItemDeletedNotFound(
                user: try object.required("user"), contact: try object.required("contact"),
                sharedMessageID: try object.required("sharedMsgId"))
        case "contactConnecting":
            self = .contactConnecting(user: try object.required("user"), contact: try object.required("contact"))
        case "contactConnected":
            self = .contactConnected(
                user: try object.required("user"), contact: try object.required("contact"),
                customUserProfile: try object.optional("userCustomProfile"))
        case "contactSndReady":
            self = .contactSndReady(user: try object.required("user"), contact: try object.required("contact"))
        case "contactAnotherClient":
            self = .contactAnotherClient(user: try object.required("user"), contact: try object.required("contact"))
        case "contactUpdated":
            self = .contactUpdated(
                user: try object.required("user"), fromContact: try object.required("fromContact"),
                toContact: try object.required("toContact"))
        case "contactsMerged":
            self = .contactsMerged(
                user: try object.required("user"), intoContact: try object.required("intoContact"),
                mergedContact: try object.required("mergedContact"), updatedContact: try object.required("updatedContact"))
        case "contactDeletedByContact":
            self = .contactDeletedByContact(user: try object.required("user"), contact: try object.required("contact"))
        case "receivedContactRequest":
            self = .receivedContactRequest(
                user: try object.required("user"), contactRequest: try object.required("contactRequest"),
                chat: try object.optional("chat_"))
        case "acceptingContactRequest":
            self = .acceptingContactRequest(user: try object.required("user"), contact: try object.required("contact"))
        case "acceptingBusinessRequest":
            self = .acceptingBusinessRequest(user: try object.required("user"), groupInfo: try object.required("groupInfo"))
        case "contactRequestAlreadyAccepted":
            self = .contactRequestAlreadyAccepted(user: try object.required("user"), contact: try object.required("contact"))
        case "businessRequestAlreadyAccepted":
            self = .businessRequestAlreadyAccepted(user: try object.required("user"), groupInfo: try object.required("groupInfo"))
        case "contactSubSummary":
            self = .contactSubSummary(
                user: try object.required("user"), subscriptions: try object.required("contactSubscriptions"))
        case "contactDisabled": self = .contactDisabled(user: try object.required("user"), contact: try object.required("contact"))
        case "connectionDisabled": self = .connectionDisabled(connectionEntity: try object.required("connectionEntity"))
        case "connectionInactive":
            self = .connectionInactive(
                connectionEntity: try object.required("connectionEntity"), inactive: try object.required("inactive"))
        case "subscriptionStatus":
            self = .subscriptionStatus(
                server: try object.required("server"), status: try object.required("subscriptionStatus"),
                connections: try object.required("connections"))
        case "hostConnected":
            self = .hostConnected(
                protocolName: try object.required("protocol"), transportHost: try object.required("transportHost"))
        case "hostDisconnected":
            self = .hostDisconnected(
                protocolName: try object.required("protocol"), transportHost: try object.required("transportHost"))
        case "connectionsDiff":
            self = .connectionsDiff(userIDs: try object.required("userIds"), connectionIDs: try object.required("connIds"))
        case "agentConnsDeleted": self = .agentConnectionsDeleted(agentConnectionIDs: try object.required("agentConnIds"))
        case "agentRcvQueuesDeleted": self = .agentReceiveQueuesDeleted(deletedQueues: try object.required("deletedRcvQueues"))
        case "agentUserDeleted": self = .agentUserDeleted(agentUserID: try object.required("agentUserId"))
        case "userAcceptedGroupSent":
            self = .userAcceptedGroupSent(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                hostContact: try object.optional("hostContact"))
        case "groupLinkConnecting":
            self = .groupLinkConnecting(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                hostMember: try object.required("hostMember"))
        case "businessLinkConnecting":
            self = .businessLinkConnecting(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                hostMember: try object.required("hostMember"), fromContact: try object.required("fromContact"))
        case "sentGroupInvitation":
            self = .sentGroupInvitation(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                contact: try object.required("contact"), member: try object.required("member"))
        case "receivedGroupInvitation":
            self = .receivedGroupInvitation(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                contact: try object.required("contact"), fromMemberRole: try object.required("fromMemberRole"),
                memberRole: try object.required("memberRole"))
        case "userJoinedGroup":
            self = .userJoinedGroup(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                hostMember: try object.optional("hostMember"))
        case "joinedGroupMember":
            self = .joinedGroupMember(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"))
        case "joinedGroupMemberConnecting":
            self = .joinedGroupMemberConnecting(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                hostMember: try object.required("hostMember"), member: try object.required("member"))
        case "connectedToGroupMember":
            self = .connectedToGroupMember(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"), contact: try object.optional("memberContact"))
        case "memberAcceptedByOther":
            self = .memberAcceptedByOther(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                acceptingMember: try object.required("acceptingMember"), member: try object.required("member"))
        case "memberRole":
            self = .memberRole(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                byMember: try object.required("byMember"), member: try object.required("member"),
                fromRole: try object.required("fromRole"), toRole: try object.required("toRole"),
                signature: try object.optional("msgSigned"))
        case "memberBlockedForAll":
            self = .memberBlockedForAll(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                byMember: try object.required("byMember"), member: try object.required("member"),
                blocked: try object.required("blocked"), signature: try object.optional("msgSigned"))
        case "deletedMember":
            self = .deletedMember(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                byMember: try object.required("byMember"), deletedMember: try object.required("deletedMember"),
                withMessages: try object.required("withMessages"), signature: try object.optional("msgSigned"))
        case "deletedMemberUser":
            self = .deletedMemberUser(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"), withMessages: try object.required("withMessages"),
                signature: try object.optional("msgSigned"))
        case "leftMember":
            self = .leftMember(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"), signature: try object.optional("msgSigned"))
        case "unknownMemberCreated":
            self = .unknownMemberCreated(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                forwardedByMember: try object.required("forwardedByMember"), member: try object.required("member"))
        case "unknownMemberBlocked":
            self = .unknownMemberBlocked(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                blockedByMember: try object.required("blockedByMember"), member: try object.required("member"))
        case "unknownMemberAnnounced":
            self = .unknownMemberAnnounced(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                announcingMember: try object.required("announcingMember"), unknownMember: try object.required("unknownMember"),
                announcedMember: try object.required("announcedMember"))
        case "groupMemberUpdated":
            self = .groupMemberUpdated(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                fromMember: try object.required("fromMember"), toMember: try object.required("toMember"))
        case "contactAndMemberAssociated":
            self = .contactAndMemberAssociated(
                user: try object.required("user"), contact: try object.required("contact"),
                groupInfo: try object.required("groupInfo"), member: try object.required("member"),
                updatedContact: try object.required("updatedContact"))
        case "groupDeleted":
            self = .groupDeleted(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"), signature: try object.optional("msgSigned"))
        case "groupUpdated":
            self = .groupUpdated(
                user: try object.required("user"), fromGroup: try object.required("fromGroup"),
                toGroup: try object.required("toGroup"), member: try object.optional("member_"),
                signature: try object.optional("msgSigned"))
        case "acceptingGroupJoinRequestMember":
            self = .acceptingGroupJoinRequestMember(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"))
        case "noMemberContactCreating":
            self = .noMemberContactCreating(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"))
        case "newMemberContactReceivedInv":
            self = .newMemberContactReceivedInv(
                user: try object.required("user"), contact: try object.required("contact"),
                groupInfo: try object.required("groupInfo"), member: try object.required("member"))
        case "groupLinkDataUpdated":
            self = .groupLinkDataUpdated(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                groupLink: try object.required("groupLink"), groupRelays: try object.optional("groupRelays") ?? [],
                relaysChanged: try object.optional("relaysChanged"))
        case "groupRelayUpdated":
            self = .groupRelayUpdated(
                user: try object.required("user"), groupInfo: try object.required("groupInfo"),
                member: try object.required("member"), groupRelay: try object.required("groupRelay"))
        case "rcvFileDescrReady":
            self = .rcvFileDescrReady(
                user: try object.required("user"), chatItem: try object.required("chatItem"),
                transfer: try object.required("rcvFileTransfer"), description: try object.required("rcvFileDescr"))
        case "rcvFileStart": self = .rcvFileStart(user: try object.required("user"), chatItem: try object.required("chatItem"))
        case "rcvFileProgressXFTP":
            self = .rcvFileProgressXFTP(
                user: try object.required("user"), chatItem: try object.optional("chatItem_"),
                receivedSize: try object.required("receivedSize"), totalSize: try object.required("totalSize"),
                transfer: try object.required("rcvFileTransfer"))
        case "rcvFileComplete":
            self = .rcvFileComplete(user: try object.required("user"), chatItem: try object.required("chatItem"))
        case "rcvFileSndCancelled":
            self = .rcvFileSndCancelled(
                user: try object.required("user"), chatItem: try object.required("chatItem"),
                transfer: try object.required("rcvFileTransfer"))
        case "rcvFileError":
            self = .rcvFileError(
                user: try object.required("user"), chatItem: try object.optional("chatItem_"),
                error: try object.required("agentError"), transfer: try object.required("rcvFileTransfer"))
        case "rcvFileWarning":
            self = .rcvFileWarning(
                user: try object.required("user"), chatItem: try object.optional("chatItem_"),
                error: try object.required("agentError"), transfer: try object.required("rcvFileTransfer"))
        case "rcvStandaloneFileComplete":
            self = .rcvStandaloneFileComplete(
                user: try object.required("user"), targetPath: try object.required("targetPath"),
                transfer: try object.required("rcvFileTransfer"))
        case "sndFileProgressXFTP":
            self = .sndFileProgressXFTP(
                user: try object.required("user"), chatItem: try object.optional("chatItem_"),
                meta: try object.required("fileTransferMeta"), sentSize: try object.required("sentSize"),
                totalSize: try object.required("totalSize"))
        case "sndFileRedirectStartXFTP":
            self = .sndFileRedirectStartXFTP(
                user: try object.required("user"), meta: try object.required("fileTransferMeta"),
                redirectMeta: try object.required("redirectMeta"))
        case "sndFileCompleteXFTP":
            self = .sndFileCompleteXFTP(
                user: try object.required("user"), chatItem: try object.required("chatItem"),
                meta: try object.required("fileTransferMeta"))
        case "sndStandaloneFileComplete":
            self = .sndStandaloneFileComplete(
                user: try object.required("user"), meta: try object.required("fileTransferMeta"),
                links: try object.required("rcvURIs"))
        case "sndFileError":
            self = .sndFileError(
                user: try object.required("user"), chatItem: try object.optional("chatItem_"),
                meta: try object.required("fileTransferMeta"), message: try object.required("errorMessage"))
        case "sndFileWarning":
            self = .sndFileWarning(
                user: try object.required("user"), chatItem: try object.optional("chatItem_"),
                meta: try object.required("fileTransferMeta"), message: try object.required("errorMessage"))
        case "callInvitation": self = .callInvitation(invitation: try object.required("callInvitation"))
        case "callEnded": self = .callEnded(user: try object.required("user"), contact: try object.required("contact"))
        case "messageError":
            self = .messageError(
                user: try object.required("user"), severity: try object.required("severity"),
                message: try object.required("errorMessage"))
        case "chatError": self = .chatError(error: try object.required("chatError"))
        case "chatCmdError": self = .commandError(error: try object.required("chatError"))
        case "chatErrors": self = .chatErrors(errors: try object.required("chatErrors"))
        case "customChatEvent":
            self = .customChatEvent(user: try object.optional("user_"), response: try object.required("response"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }
}
