public import ChatProtocol

extension StoreError {
    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .duplicateName: object.write("duplicateName")
        case .userNotFound(let userID): object.write("userNotFound", ["userId": userID])
        case .relayUserNotFound: object.write("relayUserNotFound")
        case .userNotFoundByName(let contactName): object.write("userNotFoundByName", ["contactName": contactName])
        case .userNotFoundByContactID(let contactID): object.write("userNotFoundByContactId", ["contactId": contactID])
        case .userNotFoundByGroupID(let groupID): object.write("userNotFoundByGroupId", ["groupId": groupID])
        case .userNotFoundByFileID(let fileID): object.write("userNotFoundByFileId", ["fileId": fileID])
        case .userNotFoundByContactRequestID(let contactRequestID):
            object.write("userNotFoundByContactRequestId", ["contactRequestId": contactRequestID])
        case .contactNotFound(let contactID): object.write("contactNotFound", ["contactId": contactID])
        case .contactNotFoundByName(let contactName): object.write("contactNotFoundByName", ["contactName": contactName])
        case .contactNotFoundByMemberID(let groupMemberID):
            object.write("contactNotFoundByMemberId", ["groupMemberId": groupMemberID])
        case .contactNotReady(let contactName): object.write("contactNotReady", ["contactName": contactName])
        case .duplicateContactLink: object.write("duplicateContactLink")
        case .userContactLinkNotFound: object.write("userContactLinkNotFound")
        case .contactRequestNotFound(let contactRequestID):
            object.write("contactRequestNotFound", ["contactRequestId": contactRequestID])
        case .contactRequestNotFoundByName(let contactName):
            object.write("contactRequestNotFoundByName", ["contactName": contactName])
        case .invalidContactRequestEntity(let contactRequestID):
            object.write("invalidContactRequestEntity", ["contactRequestId": contactRequestID])
        case .invalidBusinessChatContactRequest: object.write("invalidBusinessChatContactRequest")
        case .groupNotFound(let groupID): object.write("groupNotFound", ["groupId": groupID])
        case .groupNotFoundByName(let groupName): object.write("groupNotFoundByName", ["groupName": groupName])
        case .groupMemberNameNotFound(let groupID, let memberName):
            object.write("groupMemberNameNotFound", ["groupId": groupID, "groupMemberName": memberName])
        case .groupMemberNotFound(let groupMemberID): object.write("groupMemberNotFound", ["groupMemberId": groupMemberID])
        case .groupMemberNotFoundByIndex(let index): object.write("groupMemberNotFoundByIndex", ["groupMemberIndex": index])
        case .memberRelationsVectorNotFound(let groupMemberID):
            object.write("memberRelationsVectorNotFound", ["groupMemberId": groupMemberID])
        case .groupHostMemberNotFound(let groupID): object.write("groupHostMemberNotFound", ["groupId": groupID])
        case .groupMemberNotFoundByMemberID(let memberID): object.write("groupMemberNotFoundByMemberId", ["memberId": memberID])
        case .memberContactGroupMemberNotFound(let contactID):
            object.write("memberContactGroupMemberNotFound", ["contactId": contactID])
        case .invalidMemberRelationUpdate: object.write("invalidMemberRelationUpdate")
        case .groupWithoutUser: object.write("groupWithoutUser")
        case .duplicateGroupMember: object.write("duplicateGroupMember")
        case .duplicateMemberID: object.write("duplicateMemberId")
        case .groupAlreadyJoined: object.write("groupAlreadyJoined")
        case .groupInvitationNotFound: object.write("groupInvitationNotFound")
        case .noteFolderAlreadyExists(let noteFolderID): object.write("noteFolderAlreadyExists", ["noteFolderId": noteFolderID])
        case .noteFolderNotFound(let noteFolderID): object.write("noteFolderNotFound", ["noteFolderId": noteFolderID])
        case .userNoteFolderNotFound: object.write("userNoteFolderNotFound")
        case .sendFileNotFound(let fileID): object.write("sndFileNotFound", ["fileId": fileID])
        case .sendFileInvalid(let fileID): object.write("sndFileInvalid", ["fileId": fileID])
        case .receiveFileNotFound(let fileID): object.write("rcvFileNotFound", ["fileId": fileID])
        case .receiveFileDescriptionNotFound(let fileID): object.write("rcvFileDescrNotFound", ["fileId": fileID])
        case .fileNotFound(let fileID): object.write("fileNotFound", ["fileId": fileID])
        case .receiveFileInvalid(let fileID): object.write("rcvFileInvalid", ["fileId": fileID])
        case .receiveFileInvalidDescriptionPart: object.write("rcvFileInvalidDescrPart")
        case .localFileNoTransfer(let fileID): object.write("localFileNoTransfer", ["fileId": fileID])
        case .sharedMessageIDNotFoundByFileID(let fileID): object.write("sharedMsgIdNotFoundByFileId", ["fileId": fileID])
        case .fileIDNotFoundBySharedMessageID(let sharedMessageID):
            object.write("fileIdNotFoundBySharedMsgId", ["sharedMsgId": sharedMessageID])
        case .sendFileNotFoundXFTP(let agentSendFileID): object.write("sndFileNotFoundXFTP", ["agentSndFileId": agentSendFileID])
        case .receiveFileNotFoundXFTP(let agentReceiveFileID):
            object.write("rcvFileNotFoundXFTP", ["agentRcvFileId": agentReceiveFileID])
        case .connectionNotFound(let agentConnectionID): object.write("connectionNotFound", ["agentConnId": agentConnectionID])
        case .connectionNotFoundByID(let connectionID): object.write("connectionNotFoundById", ["connId": connectionID])
        case .connectionNotFoundByMemberID(let groupMemberID):
            object.write("connectionNotFoundByMemberId", ["groupMemberId": groupMemberID])
        case .pendingConnectionNotFound(let connectionID): object.write("pendingConnectionNotFound", ["connId": connectionID])
        case .uniqueID: object.write("uniqueID")
        case .largeMessage: object.write("largeMsg")
        case .internalError(let message): object.write("internalError", ["message": message])
        case .databaseException(let message): object.write("dBException", ["message": message])
        case .databaseBusy(let message): object.write("dBBusyError", ["message": message])
        case .badChatItem(let itemID, let itemTimestamp): object.write("badChatItem", ["itemId": itemID, "itemTs": itemTimestamp])
        case .chatItemNotFound(let itemID): object.write("chatItemNotFound", ["itemId": itemID])
        case .chatItemNotFoundByText(let text): object.write("chatItemNotFoundByText", ["text": text])
        case .chatItemSharedMessageIDNotFound(let sharedMessageID):
            object.write("chatItemSharedMsgIdNotFound", ["sharedMsgId": sharedMessageID])
        case .chatItemNotFoundByFileID(let fileID): object.write("chatItemNotFoundByFileId", ["fileId": fileID])
        case .chatItemNotFoundByContactID(let contactID): object.write("chatItemNotFoundByContactId", ["contactId": contactID])
        case .chatItemNotFoundByGroupID(let groupID): object.write("chatItemNotFoundByGroupId", ["groupId": groupID])
        case .profileNotFound(let profileID): object.write("profileNotFound", ["profileId": profileID])
        case .duplicateGroupLink(let groupInfo): object.write("duplicateGroupLink", ["groupInfo": groupInfo])
        case .groupLinkNotFound(let groupInfo): object.write("groupLinkNotFound", ["groupInfo": groupInfo])
        case .hostMemberIDNotFound(let groupID): object.write("hostMemberIdNotFound", ["groupId": groupID])
        case .contactNotFoundByFileID(let fileID): object.write("contactNotFoundByFileId", ["fileId": fileID])
        case .noGroupSendStatus(let itemID, let groupMemberID):
            object.write("noGroupSndStatus", ["itemId": itemID, "groupMemberId": groupMemberID])
        case .duplicateGroupMessage(let groupID, let sharedMessageID, let authorGroupMemberID, let forwardedByGroupMemberID):
            object.write(
                "duplicateGroupMessage",
                [
                    "groupId": groupID, "sharedMsgId": sharedMessageID, "authorGroupMemberId": authorGroupMemberID,
                    "forwardedByGroupMemberId": forwardedByGroupMemberID,
                ])
        case .remoteHostNotFound(let remoteHostID): object.write("remoteHostNotFound", ["remoteHostId": remoteHostID])
        case .remoteHostUnknown: object.write("remoteHostUnknown")
        case .remoteHostDuplicateCA: object.write("remoteHostDuplicateCA")
        case .remoteControlNotFound(let remoteControlID): object.write("remoteCtrlNotFound", ["remoteCtrlId": remoteControlID])
        case .remoteControlDuplicateCA: object.write("remoteCtrlDuplicateCA")
        case .prohibitedDeleteUser(let userID, let contactID):
            object.write("prohibitedDeleteUser", ["userId": userID, "contactId": contactID])
        case .operatorNotFound(let operatorID): object.write("operatorNotFound", ["serverOperatorId": operatorID])
        case .usageConditionsNotFound: object.write("usageConditionsNotFound")
        case .userChatRelayNotFound(let chatRelayID): object.write("userChatRelayNotFound", ["chatRelayId": chatRelayID])
        case .groupRelayNotFound(let groupRelayID): object.write("groupRelayNotFound", ["groupRelayId": groupRelayID])
        case .groupRelayNotFoundByMemberID(let groupMemberID):
            object.write("groupRelayNotFoundByMemberId", ["groupMemberId": groupMemberID])
        case .invalidQuote: object.write("invalidQuote")
        case .invalidMention: object.write("invalidMention")
        case .invalidDeliveryTask(let taskID): object.write("invalidDeliveryTask", ["taskId": taskID])
        case .deliveryTaskNotFound(let taskID): object.write("deliveryTaskNotFound", ["taskId": taskID])
        case .invalidDeliveryJob(let jobID): object.write("invalidDeliveryJob", ["jobId": jobID])
        case .deliveryJobNotFound(let jobID): object.write("deliveryJobNotFound", ["jobId": jobID])
        case .workItemError(let context): object.write("workItemError", ["errContext": context])
        case .other(_, let json): object.replace(with: json)
        }
    }
}
