public import ChatProtocol

extension ChatErrorType {
    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .noActiveUser: object.write("noActiveUser")
        case .noConnectionUser(let agentConnectionID): object.write("noConnectionUser", ["agentConnId": agentConnectionID])
        case .noSendFileUser(let agentSendFileID): object.write("noSndFileUser", ["agentSndFileId": agentSendFileID])
        case .noReceiveFileUser(let agentReceiveFileID): object.write("noRcvFileUser", ["agentRcvFileId": agentReceiveFileID])
        case .userUnknown: object.write("userUnknown")
        case .activeUserExists: object.write("activeUserExists")
        case .userExists(let contactName): object.write("userExists", ["contactName": contactName])
        case .chatRelayExists: object.write("chatRelayExists")
        case .differentActiveUser(let commandUserID, let activeUserID):
            object.write("differentActiveUser", ["commandUserId": commandUserID, "activeUserId": activeUserID])
        case .cantDeleteActiveUser(let userID): object.write("cantDeleteActiveUser", ["userId": userID])
        case .cantDeleteLastUser(let userID): object.write("cantDeleteLastUser", ["userId": userID])
        case .cantHideLastUser(let userID): object.write("cantHideLastUser", ["userId": userID])
        case .hiddenUserAlwaysMuted(let userID): object.write("hiddenUserAlwaysMuted", ["userId": userID])
        case .emptyUserPassword(let userID): object.write("emptyUserPassword", ["userId": userID])
        case .userAlreadyHidden(let userID): object.write("userAlreadyHidden", ["userId": userID])
        case .userNotHidden(let userID): object.write("userNotHidden", ["userId": userID])
        case .invalidDisplayName(let displayName, let validName):
            object.write("invalidDisplayName", ["displayName": displayName, "validName": validName])
        case .chatNotStarted: object.write("chatNotStarted")
        case .chatNotStopped: object.write("chatNotStopped")
        case .chatStoreChanged: object.write("chatStoreChanged")
        case .invalidConnectionRequest: object.write("invalidConnReq")
        case .unsupportedConnectionRequest: object.write("unsupportedConnReq")
        case .invalidChatMessage(let connection, let meta, let data, let message):
            object.write(
                "invalidChatMessage",
                [
                    "connection": connection, "msgMeta": meta, "messageData": data, "message": message,
                ])
        case .connectionRequestMessageProhibited: object.write("connReqMessageProhibited")
        case .contactNotFound(let contactName, let suspectedMember):
            object.write("contactNotFound", ["contactName": contactName, "suspectedMember": suspectedMember])
        case .contactNotReady(let contact): object.write("contactNotReady", ["contact": contact])
        case .contactNotActive(let contact): object.write("contactNotActive", ["contact": contact])
        case .contactDisabled(let contact): object.write("contactDisabled", ["contact": contact])
        case .connectionDisabled(let connection): object.write("connectionDisabled", ["connection": connection])
        case .groupUserRole(let groupInfo, let requiredRole):
            object.write("groupUserRole", ["groupInfo": groupInfo, "requiredRole": requiredRole])
        case .groupMemberInitialRole(let groupInfo, let initialRole):
            object.write("groupMemberInitialRole", ["groupInfo": groupInfo, "initialRole": initialRole])
        case .contactIncognitoCantInvite: object.write("contactIncognitoCantInvite")
        case .groupIncognitoCantInvite: object.write("groupIncognitoCantInvite")
        case .groupContactRole(let contactName): object.write("groupContactRole", ["contactName": contactName])
        case .groupDuplicateMember(let contactName): object.write("groupDuplicateMember", ["contactName": contactName])
        case .groupDuplicateMemberID: object.write("groupDuplicateMemberId")
        case .groupNotJoined(let groupInfo): object.write("groupNotJoined", ["groupInfo": groupInfo])
        case .groupMemberNotActive: object.write("groupMemberNotActive")
        case .cantBlockMemberForSelf(let groupInfo, let member, let setShowMessages):
            object.write("cantBlockMemberForSelf", ["groupInfo": groupInfo, "member": member, "setShowMessages": setShowMessages])
        case .groupMemberUserRemoved: object.write("groupMemberUserRemoved")
        case .groupMemberNotFound: object.write("groupMemberNotFound")
        case .groupCantResendInvitation(let groupInfo, let contactName):
            object.write("groupCantResendInvitation", ["groupInfo": groupInfo, "contactName": contactName])
        case .groupInternal(let message): object.write("groupInternal", ["message": message])
        case .fileNotFound(let message): object.write("fileNotFound", ["message": message])
        case .fileSize(let filePath): object.write("fileSize", ["filePath": filePath])
        case .fileAlreadyReceiving(let message): object.write("fileAlreadyReceiving", ["message": message])
        case .fileCancelled(let message): object.write("fileCancelled", ["message": message])
        case .fileCancel(let fileID, let message): object.write("fileCancel", ["fileId": fileID, "message": message])
        case .fileAlreadyExists(let filePath): object.write("fileAlreadyExists", ["filePath": filePath])
        case .fileWrite(let filePath, let message): object.write("fileWrite", ["filePath": filePath, "message": message])
        case .fileSend(let fileID, let error): object.write("fileSend", ["fileId": fileID, "agentError": error])
        case .fileReceiveChunk(let message): object.write("fileRcvChunk", ["message": message])
        case .fileInternal(let message): object.write("fileInternal", ["message": message])
        case .fileImageType(let filePath): object.write("fileImageType", ["filePath": filePath])
        case .fileImageSize(let filePath): object.write("fileImageSize", ["filePath": filePath])
        case .fileNotReceived(let fileID): object.write("fileNotReceived", ["fileId": fileID])
        case .fileNotApproved(let fileID, let unknownServers):
            object.write("fileNotApproved", ["fileId": fileID, "unknownServers": unknownServers])
        case .fallbackToSMPProhibited(let fileID): object.write("fallbackToSMPProhibited", ["fileId": fileID])
        case .inlineFileProhibited(let fileID): object.write("inlineFileProhibited", ["fileId": fileID])
        case .invalidForward: object.write("invalidForward")
        case .invalidChatItemUpdate: object.write("invalidChatItemUpdate")
        case .invalidChatItemDelete: object.write("invalidChatItemDelete")
        case .hasCurrentCall: object.write("hasCurrentCall")
        case .noCurrentCall: object.write("noCurrentCall")
        case .callContact(let contactID): object.write("callContact", ["contactId": contactID])
        case .callState(let currentCallState): object.write("callState", ["currentCallState": currentCallState])
        case .directMessagesProhibited(let direction, let contact):
            object.write("directMessagesProhibited", ["direction": direction, "contact": contact])
        case .agentVersion: object.write("agentVersion")
        case .agentNoSubscriptionResult(let agentConnectionID):
            object.write("agentNoSubResult", ["agentConnId": agentConnectionID])
        case .commandError(let message): object.write("commandError", ["message": message])
        case .serverProtocol(let serverProtocol): object.write("serverProtocol", ["serverProtocol": serverProtocol])
        case .agentCommandError(let message): object.write("agentCommandError", ["message": message])
        case .invalidFileDescription(let message): object.write("invalidFileDescription", ["message": message])
        case .connectionIncognitoChangeProhibited: object.write("connectionIncognitoChangeProhibited")
        case .connectionUserChangeProhibited: object.write("connectionUserChangeProhibited")
        case .peerChatVersionIncompatible: object.write("peerChatVRangeIncompatible")
        case .relayTestError(let message): object.write("relayTestError", ["message": message])
        case .internalError(let message): object.write("internalError", ["message": message])
        case .exception(let message): object.write("exception", ["message": message])
        case .other(_, let json): object.replace(with: json)
        }
    }
}
