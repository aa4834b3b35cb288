package import ChatAPI
package import ChatProtocol
package import SMPCrypto
import SMPWire

/// The changes that a roster makes to the members that a profile knows.
package struct RosterApplication: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        /// A member of whom nothing was known.
        case add(RosterMember)
        /// The role of a known member, and its key if that changes.
        case set(GroupMember, role: GroupMemberRole, key: Ed25519.PublicKey?)
    }

    /// The changes, at most one for each member.
    package var changes: [Change] = []
    /// Members whose key is another one than the roster says. They stay as they are.
    package var conflicts: [MemberID] = []

    /// - Parameters:
    ///   - known: The members of the list that this profile knows.
    ///   - listed: All members of this profile's channel with a role of the roster.
    ///   - defaultRole: The role of those who are on the roster no more.
    package init(_ list: RosterList, known: [MemberID: GroupMember], listed: [GroupMember], in group: GroupInfo, defaultRole: GroupMemberRole) {
        var seen: Set<MemberID> = []
        for entry in list.members where RosterRules.lists(entry.role) && !entry.memberID.bytes.isEmpty && seen.insert(entry.memberID).inserted {
            guard BoundMemberID.permits(entry.memberID, key: entry.key) else {
                conflicts.append(entry.memberID)
                continue
            }
            let member = entry.memberID == group.membership.memberID ? group.membership : known[entry.memberID]
            guard let member else {
                changes.append(.add(entry))
                continue
            }
            switch RosterKeyDecision(entry.key, of: member, isServedHere: group.isServedHere) {
            case .refuse: conflicts.append(entry.memberID)
            case .ignore: continue
            case .keep where member.role == entry.role: continue
            case .keep: changes.append(.set(member, role: entry.role, key: nil))
            case .pin: changes.append(.set(member, role: entry.role, key: entry.key))
            }
        }
        let own = RosterRules.lists(group.membership.role) ? [group.membership] : []
        for member in listed + own where !seen.contains(member.memberID) && !member.status.hasEnded {
            changes.append(.set(member, role: defaultRole, key: nil))
        }
    }
}

/// The decision about a key that an owner signs for a member.
package enum RosterKeyDecision: Hashable, Sendable {
    /// The member has the key.
    case keep
    /// The key becomes the member's.
    case pin
    /// The member has another key, of which there is better proof.
    case refuse
    /// The roster does not decide about the member: an owner, a relay, or one that is gone.
    case ignore

    /// A key from an earlier roster stays, and so does one that a relay has from the member itself. One that a relay has claimed does not: the owner's
    /// signature is the better proof.
    package init(_ key: Ed25519.PublicKey, of member: GroupMember, isServedHere: Bool) {
        if member.role == .owner || member.isRelay || member.status.hasEnded {
            self = .ignore
        } else if let known = member.signingKey {
            let isProved = RosterRules.lists(member.role) || isServedHere || member.category == .user
            self = known == key ? .keep : isProved ? .refuse : .pin
        } else {
            self = .pin
        }
    }
}
