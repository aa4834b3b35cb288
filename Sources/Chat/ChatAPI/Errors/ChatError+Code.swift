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

    /// The error in words.
    public var message: String {
        switch self {
        case .chat(.commandError(let message)): "The command is not one, or not possible now: \(message)"
        case .chat(.noActiveUser): "There is no active profile; create one first."
        case .chat(.userUnknown): "There is no such profile, or its password is wrong."
        case .chat(.userExists(let name)): "A profile named \(name) exists already; choose another name."
        case .chat(.invalidDisplayName(_, let valid)): "The name is not allowed; the nearest one that is: \(valid)"
        case .chat(.differentActiveUser(let user, let active)):
            "The command is for profile \(user), but profile \(active) is active."
        case .chat(.invalidConnectionRequest): "The link is not a valid SimpleX link."
        case .chat(.contactNotReady(let contact)): "\(contact.localDisplayName) is not connected yet."
        case .store(.duplicateName): "The name is taken; choose another one."
        case .store(.largeMessage): "The message is too large."
        case .store(.duplicateContactLink): "The profile has an address already."
        case .store(.userContactLinkNotFound): "The profile has no address; create one first."
        case .chat(.contactNotActive(let contact)): "\(contact.localDisplayName) has deleted the contact."
        case .chat(.contactDisabled(let contact)): "\(contact.localDisplayName) has not been reachable for long."
        case .chat(.unsupportedConnectionRequest): "The link is of a version that this program does not know."
        case .store(.contactNotFound), .store(.contactNotFoundByName): "There is no such contact."
        case .agent(let error, _, _): error.message ?? "The core reported \(code)."
        default: "The core reported \(code)."
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
