package import ChatAPI
package import ChatProtocol

/// The roster of a channel: the members, moderators and admins, as an owner signs them.
package enum RosterRules {
    /// True for the roles that a roster gives. Owners have theirs from the link, and relays from their invitation.
    package static func lists(_ role: GroupMemberRole) -> Bool { role == .member || role == .moderator || role == .admin }

    /// True for roles that no relay may claim for somebody: those of the roster, and owners.
    package static func isPrivileged(_ role: GroupMemberRole) -> Bool { role >= .member }

    /// The list of the roster that some members make. Those whose key is not known are left out: nobody could verify what they sign.
    package static func rosterList(of members: [GroupMember]) -> RosterList {
        RosterList(
            members.compactMap { member in
                guard lists(member.role), let key = member.signingKey else { return nil }
                return RosterMember(memberID: member.memberID, key: key, role: member.role)
            })
    }

    /// Tells whether a change of roles concerns the roster.
    package static func concerns(_ old: GroupMemberRole, _ new: GroupMemberRole?) -> Bool { lists(old) || new.map(lists) ?? false }

    /// Tells whether a relay gives a member its roster: once for each version, and only one that is newer than what the member has.
    ///
    /// - Parameters:
    ///   - stored: The version of the roster that the relay has.
    ///   - requested: The last version that the member has; nil for none.
    ///   - served: The newest version that the relay has given the member; nil for none.
    package static func answers(stored: RosterVersion?, requested: RosterVersion?, served: RosterVersion?) -> Bool {
        guard let stored else { return false }
        return (requested.map { stored > $0 } ?? true) && (served.map { stored > $0 } ?? true)
    }

    /// Tells whether subscribers may come by a relay: once it has acknowledged the roster, or at once if it knows none.
    package static func isPublishable(_ status: RelayStatus, knowsRosters: Bool) -> Bool {
        switch status {
        case .active, .acknowledgedRoster: true
        case .accepted: !knowsRosters
        default: false
        }
    }
}
