import ChatProtocol
import Testing

@testable import ChatAPI

/// What a caller can tell of an error without knowing all errors.
@Suite struct ChatCoreErrorTests {
    private static func agent(_ error: MessagingError) -> ChatError { .agent(error: error, entity: nil) }

    /// Routers that cannot be reached, directly or behind a proxy.
    static let passing: [ChatError] = [
        agent(.broker(server: "s", error: .timeout)), agent(.broker(server: "s", error: .network(error: .failed))),
        agent(.smp(server: "s", error: .proxy(error: .broker(error: .timeout)))),
        agent(.proxy(proxyServer: "p", relayServer: "r", error: .protocolError(error: .proxy(error: .broker(error: .network(error: .timeout)))))),
    ]
    /// What repeating does not help against.
    static let lasting: [ChatError] = [
        agent(.broker(server: "s", error: .host)), agent(.broker(server: "s", error: .transport(error: .version))), agent(.smp(server: "s", error: .auth)),
        agent(.smp(server: "s", error: .proxy(error: .basicAuth))), agent(.smp(server: "s", error: .proxy(error: .broker(error: .host)))),
        agent(.proxy(proxyServer: "p", relayServer: "r", error: .protocolError(error: .auth))),
        agent(.proxy(proxyServer: "p", relayServer: "r", error: .responseError(error: .proxy(error: .broker(error: .timeout))))), agent(.inactive),
        .store(error: .contactNotFound(contactID: 1)), .chat(error: .userUnknown), .other("later", ["type": "later"]),
    ]

    @Test(arguments: passing) func aRouterThatIsAwayMayComeBack(error: ChatError) { #expect(ChatCoreError(error).isTemporary) }

    @Test(arguments: lasting) func otherErrorsStayUnlessTheCoreKnowsBetter(error: ChatError) {
        #expect(!ChatCoreError(error).isTemporary)
        #expect(ChatCoreError(error, isTemporary: true).isTemporary)
    }

    @Test(arguments: [
        (ChatCoreError.Code.closed, false), (.unreachable, true), (.timeout, false), (.invalidResponse, false), (.unsupported, false), (.cancelled, false),
        (.eventsLost, false),
    ]) func ofTheErrorsOfACoreOnlyTheOneThatIsAwayPasses(code: ChatCoreError.Code, passes: Bool) {
        let error = ChatCoreError(code, "why")
        #expect(error.isTemporary == passes && error.chatError == nil && error.cause == nil)
        #expect(code.rawValue.hasPrefix("core.") && "\(error)" == "\(code.rawValue): why")
    }

    @Test func theCauseIsDescribedAndComparedAsText() {
        struct Cause: Error, CustomStringConvertible { var description: String }
        let error = ChatCoreError(.closed, "why", cause: Cause(description: "disk"))
        #expect("\(error)" == "core.closed: why; disk")
        #expect(error == ChatCoreError(.closed, "why", cause: Cause(description: "disk")))
        #expect(error != ChatCoreError(.closed, "why", cause: Cause(description: "net")) && error != ChatCoreError(.closed, "why"))
    }

    @Test func kindsThatCallersAskFor() {
        #expect(ChatCoreError(.chat(error: .noActiveUser)).isNoActiveUser && !ChatCoreError(.chat(error: .activeUserExists)).isNoActiveUser)
        #expect(ChatCoreError(.store(error: .largeMessage)).isMessageTooLarge)
        #expect(ChatCoreError(.chat(error: .exception(message: "large compressed message"))).isMessageTooLarge)
        #expect(!ChatCoreError(.chat(error: .exception(message: "Large compressed message"))).isMessageTooLarge)
        #expect(ChatCoreError(.store(error: .invalidQuote)).isQuoteInvalid && !ChatCoreError(.store(error: .invalidMention)).isQuoteInvalid)
        #expect(ChatCoreError(.store(error: .userContactLinkNotFound)).isAddressNotFound && !ChatCoreError(.closed, "").isAddressNotFound)
        for missing: StoreError in [.contactNotFound(contactID: 1), .groupNotFound(groupID: 1)] { #expect(ChatCoreError(.store(error: missing)).isMissingChat) }
        for other: StoreError in [.contactNotFoundByName(contactName: "x"), .chatItemNotFound(itemID: 1)] {
            #expect(!ChatCoreError(.store(error: other)).isMissingChat)
        }
    }

    /// What people meet: each says what is wrong with what they named.
    @Test(arguments: [
        (ChatErrorType.userExists(contactName: "bob"), "A profile named bob exists already; choose another name."),
        (.invalidDisplayName(displayName: "@b", validName: "b"), "The name is not allowed; the nearest one that is: b"),
        (.differentActiveUser(commandUserID: 2, activeUserID: 1), "The command is for profile 2, but profile 1 is active."),
        (.groupDuplicateMember(contactName: "bob"), "bob is a member already."),
        (.fileCancel(fileID: 1, message: "it is done"), "The transfer cannot be cancelled: it is done"),
        (.fileWrite(filePath: "/a", message: "no room"), "/a cannot be written: no room"),
        (.fileAlreadyExists(filePath: "/a"), "There is a file /a already."),
        (.commandError(message: "no"), "The command is refused: no"), (.chatStoreChanged, "The core reported error.chatStoreChanged."),
    ]) func aMessageNamesWhatIsWrong(error: ChatErrorType, message: String) { #expect(ChatError.chat(error: error).message == message) }

    @Test(arguments: [
        (
            MessagingError.broker(server: "smp://k@a.example:1", error: .network(error: .unknownCA)),
            "What answers at a.example:1 is not the router of that address"
        ),
        (.broker(server: "smp://k@a.example", error: .transport(error: .handshake(error: .identity))), "What answers at a.example is not the router"),
        (.broker(server: "a.example", error: .timeout), "The router a.example cannot be reached"),
        (.broker(server: "a", error: .host), "The router a is not one that can be reached"),
        (.broker(server: "a", error: .transport(error: .version)), "The router a speaks other versions"),
        (.broker(server: "a", error: .unexpected(message: "x")), "The router a does not answer as a router does."),
        (.smp(server: "a", error: .auth), "The link is not valid any more"),
        (.smp(server: "smp://k@a", error: .blocked(info: BlockingDetails(reason: .spam))), "The router a has blocked it."),
        (.smp(server: "a", error: .quota), "The other side has too many messages to fetch"),
        (.smp(server: "a", error: .largeMessage), "The message is too large."),
        (.command(error: .large, context: ""), "The message is too large."),
        (.command(error: .noConnection, context: ""), "The connection is not there any more."),
        (.connection(error: .notFound, context: ""), "The connection is not there any more."),
        (.connection(error: .notAvailable, context: ""), "The other side is not available."),
        (.agent(error: .version), "The other side speaks other versions"), (.agent(error: .link(message: "")), "The data of the link cannot be read."),
        (.inactive, "The core is stopped: start it first."), (.connection(error: .simplex, context: ""), "The core reported errorAgent.CONN.SIMPLEX."),
        (.smp(server: "a", error: .block), "The core reported errorAgent.SMP.BLOCK."), (.noUser, "The core reported errorAgent.NO_USER."),
    ]) func aMessageOfTheAgentTellsWhatAPersonCanDo(error: MessagingError, beginning: String) {
        let message = Self.agent(error).message
        #expect(message.hasPrefix(beginning) && !message.contains("k@"))
    }
}
