import ChatAPI
import ChatProtocol

extension Profile {
    /// The profile as members of a group see it: without an address and preferences, and without links that the group does not allow.
    ///
    /// Members of newer clients stay, because a member has redacted its profile itself before it sent it to the group. Of a profile that the owner has
    /// shown to its contacts only those stay that newer clients show to groups.
    ///
    /// - Parameter isOfMember: True for a profile that its owner has sent to the group.
    func redacted(for group: GroupInfo?, role: GroupMemberRole, isOfMember: Bool) -> Profile {
        func allows(_ feature: GroupFeature) -> Bool { group.map { $0.fullGroupPreferences.allows(feature, role: role) } ?? true }
        var description = shortDescription
        if !allows(.simplexLinks), let text = description, Markdown.hasSimplexLink(text) { description = nil }
        var redacted = Profile(displayName: displayName, fullName: fullName, shortDescription: description, image: image, peerType: peerType)
        guard !unknownMembers.isEmpty else { return redacted }
        redacted.unknownMembers = isOfMember ? unknownMembers : unknownMembers.only(Self.shownToGroups)
        if !allows(.directMessages) || !allows(.simplexLinks) { redacted.unknownMembers[Self.domain] = nil }
        return redacted
    }

    /// A name by which the owner can be reached, as an address.
    private static let domain = "contactDomain"
    /// The members of a profile for contacts that newer clients also show to groups.
    private static let shownToGroups = ["badge", "description"]
}

extension JSONObject {
    /// The members with these names.
    fileprivate func only(_ names: [String]) -> JSONObject { JSONObject(members.filter { names.contains($0.key) }.map { ($0.key, $0.value) }) }
}
