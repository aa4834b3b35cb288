public import ChatProtocol

/// Something that is not in the database, or may not be put there.
@JSONForms
public indirect enum StoreError: JSONTagged, Hashable {
    /// The name is taken.
    case duplicateName
    /// No such profile.
    case userNotFound(userID: UserID)
    /// No relay profile.
    case relayUserNotFound
    /// No profile of that name.
    case userNotFoundByName(contactName: String)
    /// No profile has the contact.
    case userNotFoundByContactID(contactID: ContactID)
    /// No profile has the group.
    case userNotFoundByGroupID(groupID: GroupID)
    /// No profile has the file.
    case userNotFoundByFileID(fileID: FileID)
    /// No profile has the request.
    case userNotFoundByContactRequestID(contactRequestID: UserContactRequestID)
    /// No such contact.
    case contactNotFound(contactID: ContactID)
    /// No contact of that name.
    case contactNotFoundByName(contactName: String)
    /// The member has no contact.
    case contactNotFoundByMemberID(groupMemberID: GroupMemberID)
    /// The contact is not connected.
    case contactNotReady(contactName: String)
    /// The profile has an address already.
    case duplicateContactLink
    /// The profile has no address.
    case userContactLinkNotFound
    /// No such request.
    case contactRequestNotFound(contactRequestID: UserContactRequestID)
    /// No request of that name.
    case contactRequestNotFoundByName(contactName: String)
    /// The request belongs to nothing.
    case invalidContactRequestEntity(contactRequestID: UserContactRequestID)
    /// The request does not fit its business chat.
    case invalidBusinessChatContactRequest
    /// No such group.
    case groupNotFound(groupID: GroupID)
    /// No group of that name.
    case groupNotFoundByName(groupName: String)
    /// No member of that name.
    @JSONName(["memberName": "groupMemberName"])
    case groupMemberNameNotFound(groupID: GroupID, memberName: String)
    /// No such member.
    case groupMemberNotFound(groupMemberID: GroupMemberID)
    /// No member at that index.
    @JSONName(["index": "groupMemberIndex"])
    case groupMemberNotFoundByIndex(index: Int64)
    /// Whom the member knows is not recorded.
    case memberRelationsVectorNotFound(groupMemberID: GroupMemberID)
    /// The group has no host.
    case groupHostMemberNotFound(groupID: GroupID)
    /// No member with that id.
    case groupMemberNotFoundByMemberID(memberID: MemberID)
    /// The contact has no member.
    case memberContactGroupMemberNotFound(contactID: ContactID)
    /// Whom a member knows cannot be changed so.
    case invalidMemberRelationUpdate
    /// The group lacks this profile.
    case groupWithoutUser
    /// The member exists.
    case duplicateGroupMember
    /// The member id exists.
    case duplicateMemberID
    /// The group was joined already.
    case groupAlreadyJoined
    /// No such invitation.
    case groupInvitationNotFound
    /// There is a folder of notes.
    case noteFolderAlreadyExists(noteFolderID: NoteFolderID)
    /// No such folder of notes.
    case noteFolderNotFound(noteFolderID: NoteFolderID)
    /// The profile has no folder of notes.
    case userNoteFolderNotFound
    /// No such sent file.
    @JSONName("sndFileNotFound") case sendFileNotFound(fileID: FileID)
    /// The sent file is recorded wrongly.
    @JSONName("sndFileInvalid") case sendFileInvalid(fileID: FileID)
    /// No such received file.
    @JSONName("rcvFileNotFound") case receiveFileNotFound(fileID: FileID)
    /// The received file has no description.
    @JSONName("rcvFileDescrNotFound") case receiveFileDescriptionNotFound(fileID: FileID)
    /// No such file.
    case fileNotFound(fileID: FileID)
    /// The received file is recorded wrongly.
    @JSONName("rcvFileInvalid") case receiveFileInvalid(fileID: FileID)
    /// A part of a description is missing.
    @JSONName("rcvFileInvalidDescrPart") case receiveFileInvalidDescriptionPart
    /// The file stays here.
    case localFileNoTransfer(fileID: FileID)
    /// The file has no message.
    @JSONName("sharedMsgIdNotFoundByFileId") case sharedMessageIDNotFoundByFileID(fileID: FileID)
    /// The message has no file.
    @JSONName("fileIdNotFoundBySharedMsgId", ["sharedMessageID": "sharedMsgId"])
    case fileIDNotFoundBySharedMessageID(sharedMessageID: SharedMessageID)
    /// No such upload.
    @JSONName("sndFileNotFoundXFTP", ["agentSendFileID": "agentSndFileId"])
    case sendFileNotFoundXFTP(agentSendFileID: String)
    /// No such download.
    @JSONName("rcvFileNotFoundXFTP", ["agentReceiveFileID": "agentRcvFileId"])
    case receiveFileNotFoundXFTP(agentReceiveFileID: String)
    /// No such connection.
    @JSONName(["agentConnectionID": "agentConnId"])
    case connectionNotFound(agentConnectionID: String)
    /// No connection with that id.
    @JSONName(["connectionID": "connId"])
    case connectionNotFoundByID(connectionID: ChatConnectionID)
    /// The member has no connection.
    case connectionNotFoundByMemberID(groupMemberID: GroupMemberID)
    /// No such link.
    @JSONName(["connectionID": "connId"])
    case pendingConnectionNotFound(connectionID: ChatConnectionID)
    /// A random id exists.
    @JSONName("uniqueID") case uniqueID
    /// The message is too large.
    @JSONName("largeMsg") case largeMessage
    /// The database is in an unexpected state.
    case internalError(message: String)
    /// The database failed.
    @JSONName("dBException") case databaseException(message: String)
    /// The database is in use.
    @JSONName("dBBusyError") case databaseBusy(message: String)
    /// The item is recorded wrongly.
    @JSONName(["itemTimestamp": "itemTs"])
    case badChatItem(itemID: ChatItemID, itemTimestamp: UTCTimestamp?)
    /// No such item.
    case chatItemNotFound(itemID: ChatItemID)
    /// No item with that text.
    case chatItemNotFoundByText(text: String)
    /// No item with that shared id.
    @JSONName("chatItemSharedMsgIdNotFound", ["sharedMessageID": "sharedMsgId"])
    case chatItemSharedMessageIDNotFound(sharedMessageID: SharedMessageID)
    /// The file has no item.
    case chatItemNotFoundByFileID(fileID: FileID)
    /// The contact has no item.
    case chatItemNotFoundByContactID(contactID: ContactID)
    /// The group has no item.
    case chatItemNotFoundByGroupID(groupID: GroupID)
    /// No such profile.
    case profileNotFound(profileID: ProfileID)
    /// The group has a link already.
    case duplicateGroupLink(groupInfo: GroupInfo)
    /// The group has no link.
    case groupLinkNotFound(groupInfo: GroupInfo)
    /// The group has no host.
    @JSONName("hostMemberIdNotFound") case hostMemberIDNotFound(groupID: GroupID)
    /// The file has no contact.
    case contactNotFoundByFileID(fileID: FileID)
    /// The delivery to that member is not recorded.
    @JSONName("noGroupSndStatus") case noGroupSendStatus(itemID: ChatItemID, groupMemberID: GroupMemberID)
    /// The group message came before.
    @JSONName(["sharedMessageID": "sharedMsgId"])
    case duplicateGroupMessage(
        groupID: GroupID, sharedMessageID: SharedMessageID, authorGroupMemberID: GroupMemberID?,
        forwardedByGroupMemberID: GroupMemberID?)
    /// No such controlled device.
    case remoteHostNotFound(remoteHostID: Int64)
    /// No such controlled device.
    case remoteHostUnknown
    /// The controlled device is known already.
    case remoteHostDuplicateCA
    /// No such controlling device.
    @JSONName("remoteCtrlNotFound", ["remoteControlID": "remoteCtrlId"])
    case remoteControlNotFound(remoteControlID: Int64)
    /// The controlling device is known already.
    @JSONName("remoteCtrlDuplicateCA") case remoteControlDuplicateCA
    /// The contact of a profile cannot be deleted.
    case prohibitedDeleteUser(userID: UserID, contactID: ContactID)
    /// No such operator.
    @JSONName(["operatorID": "serverOperatorId"])
    case operatorNotFound(operatorID: ServerOperatorID)
    /// No such conditions.
    case usageConditionsNotFound
    /// No such chat relay.
    case userChatRelayNotFound(chatRelayID: UserChatRelayID)
    /// No such relay of a group.
    case groupRelayNotFound(groupRelayID: GroupRelayID)
    /// The member is no relay.
    case groupRelayNotFoundByMemberID(groupMemberID: GroupMemberID)
    /// The quoted item cannot be quoted.
    case invalidQuote
    /// A mention names nobody.
    case invalidMention
    /// The task is recorded wrongly.
    case invalidDeliveryTask(taskID: Int64)
    /// No such task.
    case deliveryTaskNotFound(taskID: Int64)
    /// The job is recorded wrongly.
    case invalidDeliveryJob(jobID: Int64)
    /// No such job.
    case deliveryJobNotFound(jobID: Int64)
    /// Work that was taken up failed.
    @JSONName(["context": "errContext"])
    case workItemError(context: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}
