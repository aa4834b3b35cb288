public import ChatProtocol

extension StoreError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "duplicateName": self = .duplicateName
        case "userNotFound": self = .userNotFound(userID: try object.required("userId"))
        case "relayUserNotFound": self = .relayUserNotFound
        case "userNotFoundByName": self = .userNotFoundByName(contactName: try object.required("contactName"))
        case "userNotFoundByContactId": self = .userNotFoundByContactID(contactID: try object.required("contactId"))
        case "userNotFoundByGroupId": self = .userNotFoundByGroupID(groupID: try object.required("groupId"))
        case "userNotFoundByFileId": self = .userNotFoundByFileID(fileID: try object.required("fileId"))
        case "userNotFoundByContactRequestId":
            self = .userNotFoundByContactRequestID(contactRequestID: try object.required("contactRequestId"))
        case "contactNotFound": self = .contactNotFound(contactID: try object.required("contactId"))
        case "contactNotFoundByName": self = .contactNotFoundByName(contactName: try object.required("contactName"))
        case "contactNotFoundByMemberId": self = .contactNotFoundByMemberID(groupMemberID: try object.required("groupMemberId"))
        case "contactNotReady": self = .contactNotReady(contactName: try object.required("contactName"))
        case "duplicateContactLink": self = .duplicateContactLink
        case "userContactLinkNotFound": self = .userContactLinkNotFound
        case "contactRequestNotFound": self = .contactRequestNotFound(contactRequestID: try object.required("contactRequestId"))
        case "contactRequestNotFoundByName": self = .contactRequestNotFoundByName(contactName: try object.required("contactName"))
        case "invalidContactRequestEntity":
            self = .invalidContactRequestEntity(contactRequestID: try object.required("contactRequestId"))
        case "invalidBusinessChatContactRequest": self = .invalidBusinessChatContactRequest
        case "groupNotFound": self = .groupNotFound(groupID: try object.required("groupId"))
        case "groupNotFoundByName": self = .groupNotFoundByName(groupName: try object.required("groupName"))
        case "groupMemberNameNotFound":
            self = .groupMemberNameNotFound(
                groupID: try object.required("groupId"), memberName: try object.required("groupMemberName"))
        case "groupMemberNotFound": self = .groupMemberNotFound(groupMemberID: try object.required("groupMemberId"))
        case "groupMemberNotFoundByIndex": self = .groupMemberNotFoundByIndex(index: try object.required("groupMemberIndex"))
        case "memberRelationsVectorNotFound":
            self = .memberRelationsVectorNotFound(groupMemberID: try object.required("groupMemberId"))
        case "groupHostMemberNotFound": self = .groupHostMemberNotFound(groupID: try object.required("groupId"))
        case "groupMemberNotFoundByMemberId": self = .groupMemberNotFoundByMemberID(memberID: try object.required("memberId"))
        case "memberContactGroupMemberNotFound":
            self = .memberContactGroupMemberNotFound(contactID: try object.required("contactId"))
        case "invalidMemberRelationUpdate": self = .invalidMemberRelationUpdate
        case "groupWithoutUser": self = .groupWithoutUser
        case "duplicateGroupMember": self = .duplicateGroupMember
        case "duplicateMemberId": self = .duplicateMemberID
        case "groupAlreadyJoined": self = .groupAlreadyJoined
        case "groupInvitationNotFound": self = .groupInvitationNotFound
        case "noteFolderAlreadyExists": self = .noteFolderAlreadyExists(noteFolderID: try object.required("noteFolderId"))
        case "noteFolderNotFound": self = .noteFolderNotFound(noteFolderID: try object.required("noteFolderId"))
        case "userNoteFolderNotFound": self = .userNoteFolderNotFound
        case "sndFileNotFound": self = .sendFileNotFound(fileID: try object.required("fileId"))
        case "sndFileInvalid": self = .sendFileInvalid(fileID: try object.required("fileId"))
        case "rcvFileNotFound": self = .receiveFileNotFound(fileID: try object.required("fileId"))
        case "rcvFileDescrNotFound": self = .receiveFileDescriptionNotFound(fileID: try object.required("fileId"))
        case "fileNotFound": self = .fileNotFound(fileID: try object.required("fileId"))
        case "rcvFileInvalid": self = .receiveFileInvalid(fileID: try object.required("fileId"))
        case "rcvFileInvalidDescrPart": self = .receiveFileInvalidDescriptionPart
        case "localFileNoTransfer": self = .localFileNoTransfer(fileID: try object.required("fileId"))
        case "sharedMsgIdNotFoundByFileId": self = .sharedMessageIDNotFoundByFileID(fileID: try object.required("fileId"))
        case "fileIdNotFoundBySharedMsgId":
            self = .fileIDNotFoundBySharedMessageID(sharedMessageID: try object.required("sharedMsgId"))
        case "sndFileNotFoundXFTP": self = .sendFileNotFoundXFTP(agentSendFileID: try object.required("agentSndFileId"))
        case "rcvFileNotFoundXFTP": self = .receiveFileNotFoundXFTP(agentReceiveFileID: try object.required("agentRcvFileId"))
        case "connectionNotFound": self = .connectionNotFound(agentConnectionID: try object.required("agentConnId"))
        case "connectionNotFoundById": self = .connectionNotFoundByID(connectionID: try object.required("connId"))
        case "connectionNotFoundByMemberId":
            self = .connectionNotFoundByMemberID(groupMemberID: try object.required("groupMemberId"))
        case "pendingConnectionNotFound": self = .pendingConnectionNotFound(connectionID: try object.required("connId"))
        case "uniqueID": self = .uniqueID
        case "largeMsg": self = .largeMessage
        case "internalError": self = .internalError(message: try object.required("message"))
        case "dBException": self = .databaseException(message: try object.required("message"))
        case "dBBusyError": self = .databaseBusy(message: try object.required("message"))
        case "badChatItem":
            self = .badChatItem(itemID: try object.required("itemId"), itemTimestamp: try object.optional("itemTs"))
        case "chatItemNotFound": self = .chatItemNotFound(itemID: try object.required("itemId"))
        case "chatItemNotFoundByText": self = .chatItemNotFoundByText(text: try object.required("text"))
        case "chatItemSharedMsgIdNotFound":
            self = .chatItemSharedMessageIDNotFound(sharedMessageID: try object.required("sharedMsgId"))
        case "chatItemNotFoundByFileId": self = .chatItemNotFoundByFileID(fileID: try object.required("fileId"))
        case "chatItemNotFoundByContactId": self = .chatItemNotFoundByContactID(contactID: try object.required("contactId"))
        case "chatItemNotFoundByGroupId": self = .chatItemNotFoundByGroupID(groupID: try object.required("groupId"))
        case "profileNotFound": self = .profileNotFound(profileID: try object.required("profileId"))
        case "duplicateGroupLink": self = .duplicateGroupLink(groupInfo: try object.required("groupInfo"))
        case "groupLinkNotFound": self = .groupLinkNotFound(groupInfo: try object.required("groupInfo"))
        case "hostMemberIdNotFound": self = .hostMemberIDNotFound(groupID: try object.required("groupId"))
        case "contactNotFoundByFileId": self = .contactNotFoundByFileID(fileID: try object.required("fileId"))
        case "noGroupSndStatus":
            self = .noGroupSendStatus(itemID: try object.required("itemId"), groupMemberID: try object.required("groupMemberId"))
        case "duplicateGroupMessage":
            self = .duplicateGroupMessage(
                groupID: try object.required("groupId"), sharedMessageID: try object.required("sharedMsgId"),
                authorGroupMemberID: try object.optional("authorGroupMemberId"),
                forwardedByGroupMemberID: try object.optional("forwardedByGroupMemberId"))
        case "remoteHostNotFound": self = .remoteHostNotFound(remoteHostID: try object.required("remoteHostId"))
        case "remoteHostUnknown": self = .remoteHostUnknown
        case "remoteHostDuplicateCA": self = .remoteHostDuplicateCA
        case "remoteCtrlNotFound": self = .remoteControlNotFound(remoteControlID: try object.required("remoteCtrlId"))
        case "remoteCtrlDuplicateCA": self = .remoteControlDuplicateCA
        case "prohibitedDeleteUser":
            self = .prohibitedDeleteUser(userID: try object.required("userId"), contactID: try object.required("contactId"))
        case "operatorNotFound": self = .operatorNotFound(operatorID: try object.required("serverOperatorId"))
        case "usageConditionsNotFound": self = .usageConditionsNotFound
        case "userChatRelayNotFound": self = .userChatRelayNotFound(chatRelayID: try object.required("chatRelayId"))
        case "groupRelayNotFound": self = .groupRelayNotFound(groupRelayID: try object.required("groupRelayId"))
        case "groupRelayNotFoundByMemberId":
            self = .groupRelayNotFoundByMemberID(groupMemberID: try object.required("groupMemberId"))
        case "invalidQuote": self = .invalidQuote
        case "invalidMention": self = .invalidMention
        case "invalidDeliveryTask": self = .invalidDeliveryTask(taskID: try object.required("taskId"))
        case "deliveryTaskNotFound": self = .deliveryTaskNotFound(taskID: try object.required("taskId"))
        case "invalidDeliveryJob": self = .invalidDeliveryJob(jobID: try object.required("jobId"))
        case "deliveryJobNotFound": self = .deliveryJobNotFound(jobID: try object.required("jobId"))
        case "workItemError": self = .workItemError(context: try object.required("errContext"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }
}
