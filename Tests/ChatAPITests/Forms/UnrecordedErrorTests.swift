import ChatAPI
import ChatProtocol
import Testing

/// Errors that no recorded frame has: their tags and members are those of the official clients.
@Suite struct UnrecordedErrorTests {
    @Test(
        arguments: [
            "noSndFileUser agentSndFileId", "noRcvFileUser agentRcvFileId", "activeUserExists", "cantDeleteLastUser userId", "unsupportedConnReq",
            "invalidChatMessage connection msgMeta? messageData message", "contactNotActive contact", "contactDisabled contact",
            "connectionDisabled connection",
            "groupMemberInitialRole groupInfo initialRole", "contactIncognitoCantInvite", "groupIncognitoCantInvite", "groupContactRole contactName",
            "groupDuplicateMemberId", "groupNotJoined groupInfo", "groupMemberNotActive", "cantBlockMemberForSelf groupInfo member setShowMessages",
            "groupCantResendInvitation groupInfo contactName", "groupInternal message", "fileAlreadyExists filePath", "fileWrite filePath message",
            "fileSend fileId agentError", "fileRcvChunk message", "fileInternal message", "fileImageSize filePath", "fileNotReceived fileId",
            "fileNotApproved fileId unknownServers", "fallbackToSMPProhibited fileId", "inlineFileProhibited fileId", "invalidForward", "hasCurrentCall",
            "callContact contactId", "callState currentCallState", "directMessagesProhibited direction contact", "agentVersion", "agentNoSubResult agentConnId",
            "serverProtocol serverProtocol", "agentCommandError message", "invalidFileDescription message", "connectionIncognitoChangeProhibited",
            "connectionUserChangeProhibited", "peerChatVRangeIncompatible", "relayTestError message",
        ].map(FormLine.init)) func errorsOfChats(line: FormLine) throws
    {
        let error = ChatError.chat(error: try line.check(ChatErrorType.self))
        #expect(error.code == "error.\(line.tag)")
        try checkMessage(error)
    }

    @Test(
        arguments: [
            "userNotFound userId", "relayUserNotFound", "userNotFoundByName contactName", "userNotFoundByGroupId groupId",
            "userNotFoundByContactRequestId contactRequestId", "contactNotFoundByName contactName", "contactNotFoundByMemberId groupMemberId",
            "contactRequestNotFoundByName contactName", "invalidContactRequestEntity contactRequestId", "invalidBusinessChatContactRequest",
            "groupMemberNameNotFound groupId groupMemberName", "groupMemberNotFoundByIndex groupMemberIndex", "memberRelationsVectorNotFound groupMemberId",
            "groupHostMemberNotFound groupId", "groupMemberNotFoundByMemberId memberId", "memberContactGroupMemberNotFound contactId",
            "invalidMemberRelationUpdate", "groupWithoutUser", "duplicateGroupMember", "duplicateMemberId", "groupInvitationNotFound",
            "noteFolderAlreadyExists noteFolderId", "userNoteFolderNotFound", "sndFileNotFound fileId", "sndFileInvalid fileId", "rcvFileNotFound fileId",
            "rcvFileDescrNotFound fileId", "rcvFileInvalid fileId", "rcvFileInvalidDescrPart", "localFileNoTransfer fileId",
            "sharedMsgIdNotFoundByFileId fileId",
            "fileIdNotFoundBySharedMsgId sharedMsgId", "sndFileNotFoundXFTP agentSndFileId", "rcvFileNotFoundXFTP agentRcvFileId",
            "connectionNotFoundById connId",
            "connectionNotFoundByMemberId groupMemberId", "uniqueID", "dBBusyError message", "badChatItem itemId itemTs?",
            "chatItemSharedMsgIdNotFound sharedMsgId", "chatItemNotFoundByFileId fileId", "chatItemNotFoundByContactId contactId",
            "chatItemNotFoundByGroupId groupId", "profileNotFound profileId", "hostMemberIdNotFound groupId", "contactNotFoundByFileId fileId",
            "noGroupSndStatus itemId groupMemberId", "duplicateGroupMessage groupId sharedMsgId authorGroupMemberId? forwardedByGroupMemberId?",
            "remoteHostNotFound remoteHostId", "remoteHostUnknown", "remoteHostDuplicateCA", "remoteCtrlNotFound remoteCtrlId", "remoteCtrlDuplicateCA",
            "prohibitedDeleteUser userId contactId", "groupRelayNotFound groupRelayId", "groupRelayNotFoundByMemberId groupMemberId", "invalidQuote",
            "invalidMention", "invalidDeliveryTask taskId", "deliveryTaskNotFound taskId", "invalidDeliveryJob jobId", "deliveryJobNotFound jobId",
            "workItemError errContext",
        ].map(FormLine.init)) func errorsOfStores(line: FormLine) throws
    {
        let error = ChatError.store(error: try line.check(StoreError.self))
        #expect(error.code == "errorStore.\(line.tag)")
        try checkMessage(error)
    }

    @Test(
        arguments: [
            "NO_USER", "NTF serverAddress ntfErr", "XFTP serverAddress xftpErr", "FILE fileErr", "RCP rcpErr",
            "NOTICE server preset expiresAt?", "INTERNAL internalErr", "CRITICAL offerRestart criticalErr", "INACTIVE",
        ].map(FormLine.init)) func errorsOfTheAgent(line: FormLine) throws
    {
        let error = ChatError.agent(error: try line.check(MessagingError.self), entity: nil)
        #expect(error.code.hasPrefix("errorAgent.\(line.tag)"))
        try checkMessage(error)
    }

    @Test(
        arguments: [
            ("protocolError", "protocolErr", "AUTH"), ("unexpectedResponse", "responseStr", nil), ("responseError", "responseErr", "BLOCK"),
        ] as [(String, String, String?)]) func errorsOfAProxyAreNestedTwice(tag: String, member: String, inner: String?) throws
    {
        let line = FormLine("\(tag) \(member)")
        let proxy = try line.check(ProxyClientError.self)
        let error = MessagingError.proxy(proxyServer: "smp://p", relayServer: "smp://r", error: proxy)
        #expect(error.code == "PROXY.\(tag)")
        #expect(error.json == ["type": "PROXY", "proxyServer": "smp://p", "relayServer": "smp://r", "proxyErr": proxy.json])
        #expect(try MessagingError(json: error.json) == error)
        #expect(proxy.json[member]?["type"]?.stringValue == inner)
    }

    @Test(arguments: ["SYNTAX", "NO_CONN", "SIZE", "LARGE", "PROHIBITED"].map(FormLine.init)) func commandErrors(line: FormLine) throws {
        #expect(MessagingError.command(error: try line.check(AgentCommandError.self), context: "x").code == "CMD.\(line.tag)")
    }

    @Test(arguments: ["DUPLICATE", "SIMPLEX", "NOT_ACCEPTED", "NOT_AVAILABLE"].map(FormLine.init)) func connectionErrors(line: FormLine) throws {
        #expect(MessagingError.connection(error: try line.check(AgentConnectionError.self), context: "").code == "CONN.\(line.tag)")
    }

    @Test(arguments: ["A_MESSAGE", "A_VERSION", "A_LINK linkErr", "A_CRYPTO cryptoErr", "A_QUEUE queueErr"].map(FormLine.init))
    func errorsOfTheOtherAgent(line: FormLine) throws {
        #expect(MessagingError.agent(error: try line.check(AgentProtocolError.self)).code == "AGENT.\(line.tag)")
    }

    /// Official clients give the number of messages no name.
    @Test(arguments: ["DECRYPT_AES", "DECRYPT_CB", "RATCHET_HEADER", "RATCHET_EARLIER data", "RATCHET_SKIPPED data", "RATCHET_SYNC"].map(FormLine.init))
    func errorsOfDecryption(line: FormLine) throws { try line.check(AgentCryptoError.self) }

    @Test(
        arguments: ["NOT_APPROVED", "SIZE", "REDIRECT redirectError", "FILE_IO fileIOError", "NO_FILE"].map(FormLine.init)) func errorsOfFiles(line: FormLine)
        throws
    {
        #expect(MessagingError.file(error: try line.check(AgentFileError.self)).code == "FILE.\(line.tag)")
    }

    @Test(
        arguments: [
            "BLOCK", "SESSION", "PROXY proxyErr", "BLOCKED blockInfo", "SERVICE", "CRYPTO", "QUOTA", "STORE storeErr", "NO_MSG", "LARGE_MSG", "EXPIRED",
            "INTERNAL",
            "DUPLICATE_",
        ].map(FormLine.init)) func errorsOfRouters(line: FormLine) throws
    {
        #expect(MessagingError.smp(server: "smp://k@a", error: try line.check(SMPRouterError.self)).code == "SMP.\(line.tag)")
    }

    @Test(
        arguments: [
            "BLOCK", "SESSION", "HANDSHAKE", "BLOCKED blockInfo", "SIZE", "QUOTA", "DIGEST", "CRYPTO", "NO_FILE", "HAS_FILE", "FILE_IO",
            "REDIRECT redirectError",
            "INTERNAL", "DUPLICATE_", "TIMEOUT", "AUTH", "CMD cmdErr",
        ].map(FormLine.init)) func errorsOfFileRouters(line: FormLine) throws
    {
        #expect(MessagingError.xftp(server: "xftp://k@a", error: try line.check(FileRouterError.self)).code == "XFTP.\(line.tag)")
    }

    @Test(arguments: ["UNKNOWN", "SYNTAX", "NO_AUTH", "HAS_AUTH", "NO_ENTITY"].map(FormLine.init)) func wrongCommands(line: FormLine) throws {
        try line.check(RouterCommandError.self)
    }

    @Test(arguments: ["PROTOCOL protocolErr", "BROKER brokerErr", "BASIC_AUTH", "NO_SESSION"].map(FormLine.init)) func errorsOfProxies(line: FormLine) throws {
        try line.check(ProxyError.self)
    }

    @Test(
        arguments: ["RESPONSE respErr", "UNEXPECTED respErr", "NETWORK networkError", "HOST", "NO_SERVICE", "TRANSPORT transportErr", "TIMEOUT"].map(
            FormLine.init))
    func unusableRouters(line: FormLine) throws {
        let error = try line.check(BrokerError.self)
        #expect(MessagingError.broker(server: "smp://k@a.example", error: error).code == "BROKER.\(line.tag)")
        let message = ChatError.agent(error: .broker(server: "smp://k@a.example:5223", error: error), entity: nil).message
        #expect(message.contains("a.example:5223") && !message.contains("k@"), "a person is told the host, and not the key")
    }

    @Test(arguments: ["tLSError tlsError", "unknownCAError", "failedError", "timeoutError", "subscribeError subscribeError"].map(FormLine.init))
    func networkErrors(line: FormLine) throws { try line.check(BrokerNetworkError.self) }

    @Test(arguments: ["badBlock", "version", "badSession", "noServerAuth", "handshake handshakeErr"].map(FormLine.init))
    func transportErrors(line: FormLine) throws { try line.check(BrokerTransportError.self) }

    @Test func errorsOfDevicesAndDatabases() throws {
        for line in ["errorRemoteCtrl remoteCtrlError", "errorRemoteHost rhKey remoteHostError"].map(FormLine.init) {
            #expect(try line.check(ChatError.self).code == line.tag)
        }
        #expect(ChatError.database(error: try FormLine("errorNoFile dbFile").check(DatabaseError.self)).code == "errorDatabase.errorNoFile")
    }

    /// A message is a sentence, or tells the code.
    private func checkMessage(_ error: ChatError) throws {
        let message = error.message
        #expect(message == "The core reported \(error.code)." || message.contains(" ") && !message.contains(error.code))
        #expect(ChatCoreError(error).message == message && ChatCoreError(error).code.rawValue == error.code)
        #expect(try ChatError(json: error.json) == error)
    }
}
