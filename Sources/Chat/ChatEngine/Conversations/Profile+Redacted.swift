import ChatAPI
import ChatProtocol

extension Profile {
    /// The profile as members of a group see it: without an address and preferences, and without links that the group does not allow.
    func redacted(for group: GroupInfo?, role: GroupMemberRole) -> Profile {
        let allowsLinks = group.map { $0.fullGroupPreferences.allows(.simplexLinks, role: role) } ?? true
        var description = shortDescription
        if !allowsLinks, let text = description, Markdown.hasSimplexLink(text) { description = nil }
        return Profile(displayName: displayName, fullName: fullName, shortDescription: description, image: image, peerType: peerType)
    }
}
