public import ChatProtocol

extension ChatErrorType {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "noActiveUser": self = .noActiveUser
        case "noConnectionUser": self = .noConnectionUser(agentConnectionID: try object.required("agentConnId"))
        case "noSndFileUser": self = .noSendFileUser(agentSendFileID: try object.required("agentSndFileId"))
        case "noRcvFileUser": self = .noReceiveFileUser(agentReceiveFileID: try object.required("agentRcvFileId"))
        case "userUnknown": self = .userUnknown
        case "activeUserExists": self = .activeUserExists
        case "userExists": self = .userExists(contactName: try object.required("contactName"))
        case "chatRelayExists": self = .chatRelayExists
        case "differentActiveUser":
            self = .differentActiveUser(
                commandUserID: try object.required("commandUserId"), activeUserID: try object.required("activeUserId"))
        case "cantDeleteActiveUser": self = .cantDeleteActiveUser(userID: try object.required("userId"))
        case "cantDeleteLastUser": self = .cantDeleteLastUser(userID: try object.required("userId"))
        case "cantHideLastUser": self = .cantHideLastUser(userID: try object.required("userId"))
        case "hiddenUserAlwaysMuted": self = .hiddenUserAlwaysMuted(userID: try object.required("userId"))
        case "emptyUserPassword": self = .emptyUserPassword(userID: try object.required("userId"))
        case "userAlreadyHidden": self = .userAlreadyHidden(userID: try object.required("userId"))
        case "userNotHidden": self = .userNotHidden(userID: try object.required("userId"))
        case "invalidDisplayName":
            self = .invalidDisplayName(
                displayName: try object.required("displayName"), validName: try object.required("validName"))
        case "chatNotStarted": self = .chatNotStarted
        case "chatNotStopped": self = .chatNotStopped
        case "chatStoreChanged": self = .chatStoreChanged
        case "invalidConnReq": self = .invalidConnectionRequest
        case "unsupportedConnReq": self = .unsupportedConnectionRequest
        case "invalidChatMessage":
            self = .invalidChatMessage(
                connection: try object.required("connection"), meta: try object.optional("msgMeta"),
                data: try object.required("messageData"), message: try object.required("message"))
        case "connReqMessageProhibited": self = .connectionRequestMessageProhibited
        case "contactNotFound":
            self = .contactNotFound(
                contactName: try object.required("contactName"), suspectedMember: try object.optional("suspectedMember"))
        case "contactNotReady": self = .contactNotReady(contact: try object.required("contact"))
        case "contactNotActive": self = .contactNotActive(contact: try object.required("contact"))
        case "contactDisabled": self = .contactDisabled(contact: try object.required("contact"))
        case "connectionDisabled": self = .connectionDisabled(connection: try object.required("connection"))
        case "groupUserRole":
            self = .groupUserRole(groupInfo: try object.required("groupInfo"), requiredRole: try object.required("requiredRole"))
        case "groupMemberInitialRole":
            self = .groupMemberInitialRole(
                groupInfo: try object.required("groupInfo"), initialRole: try object.required("initialRole"))
        case "contactIncognitoCantInvite": self = .contactIncognitoCantInvite
        case "groupIncognitoCantInvite": self = .groupIncognitoCantInvite
        case "groupContactRole": self = .groupContactRole(contactName: try object.required("contactName"))
        case "groupDuplicateMember": self = .groupDuplicateMember(contactName: try object.required("contactName"))
        case "groupDuplicateMemberId": self = .groupDuplicateMemberID
        case "groupNotJoined": self = .groupNotJoined(groupInfo: try object.required("groupInfo"))
        case "groupMemberNotActive": self = .groupMemberNotActive
        case "cantBlockMemberForSelf":
            self = .cantBlockMemberForSelf(
                groupInfo: try object.required("groupInfo"), member: try object.required("member"),
                setShowMessages: try object.required("setShowMessages"))
        case "groupMemberUserRemoved": self = .groupMemberUserRemoved
        case "groupMemberNotFound": self = .groupMemberNotFound
        case "groupCantResendInvitation":
            self = .groupCantResendInvitation(
                groupInfo: try object.required("groupInfo"), contactName: try object.required("contactName"))
        case "groupInternal": self = .groupInternal(message: try object.required("message"))
        case "fileNotFound": self = .fileNotFound(message: try object.required("message"))
        case "fileSize": self = .fileSize(filePath: try object.required("filePath"))
        case "fileAlreadyReceiving": self = .fileAlreadyReceiving(message: try object.required("message"))
        case "fileCancelled": self = .fileCancelled(message: try object.required("message"))
        case "fileCancel": self = .fileCancel(fileID: try object.required("fileId"), message: try object.required("message"))
        case "fileAlreadyExists": self = .fileAlreadyExists(filePath: try object.required("filePath"))
        case "fileWrite": self = .fileWrite(filePath: try object.required("filePath"), message: try object.required("message"))
        case "fileSend": self = .fileSend(fileID: try object.required("fileId"), error: try object.required("agentError"))
        case "fileRcvChunk": self = .fileReceiveChunk(message: try object.required("message"))
        case "fileInternal": self = .fileInternal(message: try object.required("message"))
        case "fileImageType": self = .fileImageType(filePath: try object.required("filePath"))
        case "fileImageSize": self = .fileImageSize(filePath: try object.required("filePath"))
        case "fileNotReceived": self = .fileNotReceived(fileID: try object.required("fileId"))
        case "fileNotApproved":
            self = .fileNotApproved(fileID: try object.required("fileId"), unknownServers: try object.required("unknownServers"))
        case "fallbackToSMPProhibited": self = .fallbackToSMPProhibited(fileID: try object.required("fileId"))
        case "inlineFileProhibited": self = .inlineFileProhibited(fileID: try object.required("fileId"))
        case "invalidForward": self = .invalidForward
        case "invalidChatItemUpdate": self = .invalidChatItemUpdate
        case "invalidChatItemDelete": self = .invalidChatItemDelete
        case "hasCurrentCall": self = .hasCurrentCall
        case "noCurrentCall": self = .noCurrentCall
        case "callContact": self = .callContact(contactID: try object.required("contactId"))
        case "callState": self = .callState(currentCallState: try object.required("currentCallState"))
        case "directMessagesProhibited":
            self = .directMessagesProhibited(direction: try object.required("direction"), contact: try object.required("contact"))
        case "agentVersion": self = .agentVersion
        case "agentNoSubResult": self = .agentNoSubscriptionResult(agentConnectionID: try object.required("agentConnId"))
        case "commandError": self = .commandError(message: try object.required("message"))
        case "serverProtocol": self = .serverProtocol(serverProtocol: try object.required("serverProtocol"))
        case "agentCommandError": self = .agentCommandError(message: try object.required("message"))
        case "invalidFileDescription": self = .invalidFileDescription(message: try object.required("message"))
        case "connectionIncognitoChangeProhibited": self = .connectionIncognitoChangeProhibited
        case "connectionUserChangeProhibited": self = .connectionUserChangeProhibited
        case "peerChatVRangeIncompatible": self = .peerChatVersionIncompatible
        case "relayTestError": self = .relayTestError(message: try object.required("message"))
        case "internalError": self = .internalError(message: try object.required("message"))
        case "exception": self = .exception(message: try object.required("message"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }
}
