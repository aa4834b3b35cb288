package import ChatAPI

extension ChatInfo {
    /// The name that the contact or group has published. An alias is for the owner of the profile, and not for others.
    package var publishedName: String {
        switch self {
        case .direct(let contact): contact.profile.displayName
        case .group(let group, _): group.groupProfile.displayName
        case .contactRequest(let request): request.profile.displayName
        case .local, .contactConnection, .other: ""
        }
    }
}
