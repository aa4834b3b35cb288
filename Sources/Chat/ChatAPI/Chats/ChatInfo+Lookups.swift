public import ChatProtocol

extension ChatInfo {
    /// The name by which the profile tells the chat from others; empty for notes and for connections without a contact.
    public var localDisplayName: String {
        switch self {
        case .direct(let contact): contact.localDisplayName
        case .group(let group, _): group.localDisplayName
        case .contactRequest(let request): request.localDisplayName
        case .local, .contactConnection, .other: ""
        }
    }

    /// True if messages can be exchanged in it.
    public var isConversation: Bool {
        switch self {
        case .direct, .group: true
        case .local, .contactRequest, .contactConnection, .other: false
        }
    }
}

extension ItemDirection {
    /// True if somebody else wrote the item.
    public var isReceived: Bool {
        switch self {
        case .directReceived, .groupReceived, .channelReceived: true
        case .directSent, .groupSent, .localSent, .localReceived, .other: false
        }
    }
}

extension ItemStatus {
    /// True if the router, or even the recipient, has the sent item.
    public var isOnRouter: Bool {
        switch self {
        case .sent, .sendReceived: true
        default: false
        }
    }
}

extension Contact {
    /// True if messages go both ways.
    public var isReady: Bool { status == .active && activeConnection?.status == .ready }
}

extension LocalProfile {
    /// The profile that the owner published, without the alias given here.
    public var published: Profile {
        var profile = Profile(
            displayName: displayName, fullName: fullName, shortDescription: shortDescription, image: image, contactLink: contactLink,
            preferences: preferences, peerType: peerType)
        profile.unknownMembers = unknownMembers
        return profile
    }
}
