extension ChatCoreError {
    /// There is no profile yet.
    public var isNoActiveUser: Bool { code.rawValue.hasSuffix("noActiveUser") }

    /// The message does not fit what is sent at once.
    public var isMessageTooLarge: Bool {
        switch chatError {
        case .store(.largeMessage), .chat(.exception(message: "large compressed message")): true
        default: false
        }
    }

    /// The item that a message should quote is deleted, or is no message.
    public var isQuoteInvalid: Bool { if case .store(.invalidQuote) = chatError { true } else { false } }

    /// The profile has no address.
    public var isAddressNotFound: Bool { code.rawValue.hasSuffix("userContactLinkNotFound") }
}

extension ChatCoreError.Code {
    /// No relay of the channel forwards posts.
    public static let noRelay = Self(rawValue: "channel.noRelay")
}

extension ChatError {
    /// The refusal of a post that no relay of the channel would pass on. Only cores that are configured so refuse it.
    package static let noRelay = ChatError.chat(
        error: .commandError(
            message:
                "the channel has no relay that passes on what is posted, and nothing was posted: add one, or wait until one that is invited has come"))

    /// True if a router could not be reached or did not answer in time, as any core reports it.
    var isNetworkFault: Bool {
        guard case .agent(let error, _, _) = self else { return false }
        return switch error {
        case .broker(_, let error), .smp(_, .proxy(.broker(let error))), .proxy(_, _, .protocolError(.proxy(.broker(let error)))):
            error.isNetworkFault
        default: false
        }
    }
}

extension BrokerError {
    fileprivate var isNetworkFault: Bool {
        switch self {
        case .network, .timeout: true
        default: false
        }
    }
}
