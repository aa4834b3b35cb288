package import ChatAPI
package import ChatProtocol

/// A contact or a member.
package enum ContactOrMember: Sendable {
    case contact(Contact)
    case member(GroupInfo, GroupMember)

    package var contactID: ContactID? { if case .contact(let contact) = self { contact.contactID } else { nil } }
    package var memberID: GroupMemberID? { if case .member(_, let member) = self { member.groupMemberID } else { nil } }

    /// True for a party that is never taken for another one.
    ///
    /// One that knows a random profile must not find out who that is. A contact with an alias is known to the owner of the profile by its connection: a
    /// probe can be passed on, and does not prove that a member of the same profile is that contact.
    package var staysApart: Bool {
        switch self {
        case .contact(let contact): contact.activeConnection?.customUserProfileID != nil || contact.isNamedByOwner
        case .member(let group, _): group.isIncognito
        }
    }
}

extension Contact {
    /// True if the owner of the profile has given the contact an alias, or the link by which it came.
    package var isNamedByOwner: Bool { !profile.localAlias.isEmpty || activeConnection?.localAlias.isEmpty == false }
}

extension Profile {
    /// True if two profiles show the same person: names and picture.
    package func isSamePerson(as other: Profile) -> Bool {
        displayName == other.displayName && fullName == other.fullName && image == other.image
    }
}
