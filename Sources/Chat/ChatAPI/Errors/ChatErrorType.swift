public import ChatProtocol

/// Why a command is not possible now, or ever.
@JSONForms
public indirect enum ChatErrorType: JSONTagged, Hashable {
    /// There is no active profile.
    case noActiveUser
    /// No profile has the connection.
    @JSONName(["agentConnectionID": "agentConnId"])
    case noConnectionUser(agentConnectionID: String)
    /// No profile has the upload.
    @JSONName("noSndFileUser", ["agentSendFileID": "agentSndFileId"])
    case noSendFileUser(agentSendFileID: String)
    /// No profile has the download.
    @JSONName("noRcvFileUser", ["agentReceiveFileID": "agentRcvFileId"])
    case noReceiveFileUser(agentReceiveFileID: String)
    /// There is no such profile, or the password is wrong.
    case userUnknown
    /// There is an active profile.
    case activeUserExists
    /// There is a profile of that name.
    case userExists(contactName: String)
    /// There is a relay profile already.
    case chatRelayExists
    /// The command names another profile than the active one.
    case differentActiveUser(commandUserID: UserID, activeUserID: UserID)
    /// The active profile cannot be deleted.
    case cantDeleteActiveUser(userID: UserID)
    /// The last profile cannot be deleted.
    case cantDeleteLastUser(userID: UserID)
    /// The last profile cannot be hidden.
    case cantHideLastUser(userID: UserID)
    /// A hidden profile is always muted.
    case hiddenUserAlwaysMuted(userID: UserID)
    /// The password is empty.
    case emptyUserPassword(userID: UserID)
    /// The profile is hidden already.
    case userAlreadyHidden(userID: UserID)
    /// The profile is not hidden.
    case userNotHidden(userID: UserID)
    /// The name is not allowed; with the nearest allowed name.
    case invalidDisplayName(displayName: String, validName: String)
    /// The core was not started.
    case chatNotStarted
    /// The core must be stopped first.
    case chatNotStopped
    /// The database was replaced: the core must be started anew.
    case chatStoreChanged
    /// The link is not one.
    @JSONName("invalidConnReq") case invalidConnectionRequest
    /// The name is registered, and cannot be used.
    case simplexDomainNotReady(simplexDomain: SimplexDomainInfo, simplexDomainError: SimplexDomainError)
    /// The link or name is not known, and was not to be looked up.
    case notResolvedLocally
    /// The link needs another version.
    @JSONName("unsupportedConnReq") case unsupportedConnectionRequest
    /// A message that was received is not one.
    @JSONName(["meta": "msgMeta", "data": "messageData"])
    case invalidChatMessage(connection: Connection, meta: JSONValue?, data: String, message: String)
    /// The link takes no message.
    @JSONName("connReqMessageProhibited") case connectionRequestMessageProhibited
    /// There is no contact of that name.
    case contactNotFound(contactName: String, suspectedMember: JSONValue?)
    /// The contact is not connected yet.
    case contactNotReady(contact: Contact)
    /// The contact was deleted.
    case contactNotActive(contact: Contact)
    /// The queue of the contact is gone.
    case contactDisabled(contact: Contact)
    /// The queue of the connection is gone.
    case connectionDisabled(connection: Connection)
    /// The role in the group is too low.
    case groupUserRole(groupInfo: GroupInfo, requiredRole: GroupMemberRole)
    /// New members cannot get that role.
    case groupMemberInitialRole(groupInfo: GroupInfo, initialRole: GroupMemberRole)
    /// A contact met incognito cannot be invited.
    case contactIncognitoCantInvite
    /// A group joined incognito cannot be invited to.
    case groupIncognitoCantInvite
    /// The contact has a higher role.
    case groupContactRole(contactName: String)
    /// The contact is a member already.
    case groupDuplicateMember(contactName: String)
    /// Two members have the same id.
    case groupDuplicateMemberID
    /// The group was not joined.
    case groupNotJoined(groupInfo: GroupInfo)
    /// The member is not active.
    case groupMemberNotActive
    /// A member blocked for all cannot be blocked or shown locally.
    case cantBlockMemberForSelf(groupInfo: GroupInfo, member: GroupMember, setShowMessages: Bool)
    /// This profile is not in the group any more.
    case groupMemberUserRemoved
    /// There is no such member.
    case groupMemberNotFound
    /// The invitation cannot be repeated.
    case groupCantResendInvitation(groupInfo: GroupInfo, contactName: String)
    /// The group is in an unexpected state.
    case groupInternal(message: String)
    /// There is no such file.
    case fileNotFound(message: String)
    /// The file is too large.
    case fileSize(filePath: String)
    /// The file is being downloaded already.
    case fileAlreadyReceiving(message: String)
    /// The transfer was cancelled.
    case fileCancelled(message: String)
    /// The transfer cannot be cancelled.
    case fileCancel(fileID: FileID, message: String)
    /// There is a file of that name.
    case fileAlreadyExists(filePath: String)
    /// The file cannot be written.
    case fileWrite(filePath: String, message: String)
    /// The file cannot be sent.
    @JSONName(["error": "agentError"])
    case fileSend(fileID: FileID, error: MessagingError)
    /// A part of a file is wrong.
    @JSONName("fileRcvChunk") case fileReceiveChunk(message: String)
    /// The file is in an unexpected state.
    case fileInternal(message: String)
    /// The file is not an image that can be shown.
    case fileImageType(filePath: String)
    /// The image is too large.
    case fileImageSize(filePath: String)
    /// The file was not downloaded.
    case fileNotReceived(fileID: FileID)
    /// The file is on servers that nobody approved.
    case fileNotApproved(fileID: FileID, unknownServers: [String])
    /// The file cannot go in messages.
    case fallbackToSMPProhibited(fileID: FileID)
    /// The file cannot come in messages.
    case inlineFileProhibited(fileID: FileID)
    /// The messages cannot be forwarded.
    case invalidForward
    /// The item cannot be edited.
    case invalidChatItemUpdate
    /// The item cannot be deleted.
    case invalidChatItemDelete
    /// There is a call already.
    case hasCurrentCall
    /// There is no call.
    case noCurrentCall
    /// The call is with somebody else.
    case callContact(contactID: ContactID)
    /// The call is in another state.
    case callState(currentCallState: String)
    /// The group does not allow direct messages.
    case directMessagesProhibited(direction: MessageDirection, contact: Contact)
    /// The other side is too old.
    case agentVersion
    /// The agent said nothing about a subscription.
    @JSONName("agentNoSubResult", ["agentConnectionID": "agentConnId"])
    case agentNoSubscriptionResult(agentConnectionID: String)
    /// The command is not one, or not possible now.
    case commandError(message: String)
    /// Servers of that protocol are not supported.
    case serverProtocol(serverProtocol: String)
    /// The agent does not take the command.
    case agentCommandError(message: String)
    /// The description of a file is not one.
    case invalidFileDescription(message: String)
    /// The profile of the link cannot be changed any more.
    case connectionIncognitoChangeProhibited
    /// The link cannot be moved any more.
    case connectionUserChangeProhibited
    /// The other side speaks other versions.
    @JSONName("peerChatVRangeIncompatible") case peerChatVersionIncompatible
    /// The relay failed its test.
    case relayTestError(message: String)
    /// The core is in an unexpected state.
    case internalError(message: String)
    /// Something unexpected happened.
    case exception(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}
