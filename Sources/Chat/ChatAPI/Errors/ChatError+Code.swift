import ChatProtocol

extension ChatError {
    /// The tags of the error from the outside in, such as `errorStore.contactNotFound` or `errorAgent.SMP.AUTH`.
    public var code: String {
        switch self {
        case .chat(let error): "\(tag).\(error.tag)"
        case .store(let error): "\(tag).\(error.tag)"
        case .database(let error): "\(tag).\(error.tag)"
        case .agent(let error, _, _): "\(tag).\(error.code)"
        case .remoteControl, .remoteHost, .other: tag
        }
    }
}

extension MessagingError {
    /// The tags of the error from the outside in, such as `SMP.AUTH`.
    public var code: String {
        switch self {
        case .command(let error, _): "\(tag).\(error.tag)"
        case .connection(let error, _): "\(tag).\(error.tag)"
        case .smp(_, let error), .ntf(_, let error): "\(tag).\(error.tag)"
        case .xftp(_, let error): "\(tag).\(error.tag)"
        case .file(let error): "\(tag).\(error.tag)"
        case .broker(_, let error): "\(tag).\(error.tag)"
        case .agent(let error): "\(tag).\(error.tag)"
        case .proxy(_, _, let error): "\(tag).\(error.tag)"
        default: tag
        }
    }
}
