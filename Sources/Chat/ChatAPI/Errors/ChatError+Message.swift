import ChatProtocol

extension ChatError {
    /// The error in words, with its fix where there is one.
    public var message: String {
        let words: String? =
            switch self {
            case .chat(let error): error.message
            case .store(let error): error.message
            case .agent(let error, _, _): error.message
            case .database, .remoteControl, .remoteHost, .other: nil
            }
        return words ?? "The core reported \(code)."
    }
}

extension ChatErrorType {
    /// The error as a text; nil for an error that only programs get.
    fileprivate var message: String? {
        switch self {
        case .commandError(let message): "The command is refused: \(message)"
        case .noActiveUser: "There is no active profile; create one first."
        case .userUnknown: "There is no such profile, or its password is wrong."
        case .userExists(let name): "A profile named \(name) exists already; choose another name."
        case .invalidDisplayName(_, let valid): "The name is not allowed; the nearest one that is: \(valid)"
        case .differentActiveUser(let user, let active): "The command is for profile \(user), but profile \(active) is active."
        case .cantDeleteActiveUser: "The active profile cannot be deleted; make another one active first."
        case .cantDeleteLastUser, .cantHideLastUser: "It is the only visible profile; make another one first."
        case .chatNotStarted: "The core is not started."
        case .chatNotStopped: "The core must be stopped first."
        case .invalidConnectionRequest: "The link is not a valid SimpleX link."
        case .simplexDomainNotReady(let domain, .noValidLink): "The name \(domain.name) is registered, but without a link of that kind."
        case .simplexDomainNotReady(let domain, _): "The name \(domain.name) leads to somebody who does not claim it."
        case .notResolvedLocally: "The link or name is not known here, and the command forbids looking it up."
        case .unsupportedConnectionRequest: "The link is of a version that this program does not know."
        case .contactNotReady(let contact): "\(contact.localDisplayName) is not connected yet."
        case .contactNotActive(let contact): "\(contact.localDisplayName) has deleted the contact."
        case .contactDisabled(let contact): "\(contact.localDisplayName) has not been reachable for long."
        case .connectionDisabled: "The connection has not been reachable for long."
        case .directMessagesProhibited: "The chat does not permit it: one of both sides has switched it off."
        default: groupMessage ?? fileMessage ?? itemMessage
        }
    }

    private var groupMessage: String? {
        switch self {
        case .groupUserRole(let group, let role):
            "It takes the role \(role.code) in \(group.localDisplayName), or a setting of the group forbids it; the own role is \(group.membership.role.code)."
        case .groupMemberInitialRole(_, let role): "Members cannot begin with the role \(role.code)."
        case .contactIncognitoCantInvite: "A contact who knows the profile under another name cannot be invited."
        case .groupIncognitoCantInvite: "A group that was joined under another name takes no invitations of contacts."
        case .groupDuplicateMember(let name): "\(name) is a member already."
        case .groupDuplicateMemberID: "Somebody with the same id is a member already."
        case .groupNotJoined(let group): "\(group.localDisplayName) is not joined yet."
        case .groupMemberNotActive: "The own membership is not active: the group is not joined yet, left or deleted."
        case .groupMemberUserRemoved: "This profile was removed from the group."
        case .groupMemberNotFound: "There is no such member."
        case .groupCantResendInvitation(_, let name): "The invitation of \(name) cannot be sent again."
        case .cantBlockMemberForSelf(_, let member, _): "\(member.localDisplayName) is blocked for all by a moderator."
        default: nil
        }
    }

    private var fileMessage: String? {
        switch self {
        case .fileNotFound(let path): "There is no file \(path), or it cannot be read."
        case .fileSize(let path): "\(path) is larger than 1 GiB."
        case .fileAlreadyReceiving(let name): "\(name) is received already."
        case .fileCancelled: "The transfer of the file was cancelled."
        case .fileCancel(_, let message): "The transfer cannot be cancelled: \(message)"
        case .fileAlreadyExists(let path): "There is a file \(path) already."
        case .fileWrite(let path, let message): "\(path) cannot be written: \(message)"
        case .fileNotReceived: "The file has not been received."
        case .fileNotApproved(_, let servers): "The file is on routers that need approval: \(servers.joined(separator: ", "))"
        default: nil
        }
    }

    private var itemMessage: String? {
        switch self {
        case .invalidForward: "The message cannot be forwarded: it is deleted, or its file was not received."
        case .invalidChatItemUpdate: "The message cannot be changed: it is of somebody else, deleted or too old."
        case .invalidChatItemDelete: "The message cannot be deleted: its author has a role as high as the own one, or it is too old."
        default: nil
        }
    }
}

extension StoreError {
    /// The error as a text; nil for an error that only programs get.
    fileprivate var message: String? {
        switch self {
        case .duplicateName: "The name is taken; choose another one."
        case .largeMessage: "The message is too large."
        case .duplicateContactLink: "The profile has an address already."
        case .userContactLinkNotFound: "The profile has no address; create one first."
        case .contactNotFound, .contactNotFoundByName: "There is no such contact."
        case .contactNotReady(let name): "\(name) is not connected yet."
        case .contactRequestNotFound, .contactRequestNotFoundByName: "There is no such request; it may be answered already."
        case .userNotFound, .userNotFoundByName: "There is no such profile."
        case .groupNotFound, .groupNotFoundByName: "There is no such group."
        case .groupMemberNotFound, .groupMemberNameNotFound: "There is no such member."
        case .groupAlreadyJoined: "The group is joined already."
        case .groupInvitationNotFound: "There is no invitation to the group."
        case .duplicateGroupLink: "The group has a link already."
        case .groupLinkNotFound: "The group has no link; create one first."
        case .chatItemNotFound, .chatItemNotFoundByText, .chatItemNotFoundByContactID, .chatItemNotFoundByGroupID: "There is no such message."
        case .fileNotFound: "There is no such file."
        case .invalidQuote: "The quoted message is deleted, or in another chat."
        case .invalidMention: "The mentioned member is not in the group, or more than three are mentioned."
        default: nil
        }
    }
}

extension SimplexDomainInfo {
    /// The whole name.
    fileprivate var name: String {
        let below = subdomains.reversed() + [domain]
        return (topLevel == "web" ? below : below + [topLevel]).joined(separator: ".")
    }
}
