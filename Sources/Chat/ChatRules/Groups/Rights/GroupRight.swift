import ChatAPI
package import ChatProtocol

/// A row of the table of rights: the members who may do something.
package struct GroupRight: Hashable, Sendable {
    /// The roles with a right.
    package enum Roles: Hashable, Sendable {
        case everyone
        /// A role and those above it.
        case from(GroupMemberRole)
        /// Relays of the channel. In groups without relays, nobody.
        case relays
        /// Relays of the channel, for those who decide about nobody, and a role with those above it.
        case relaysOr(GroupMemberRole)
        case nobody
    }

    /// The relation between the acting member and this profile.
    package enum Origin: Hashable, Sendable {
        case anyone
        /// The member who brought this profile into the group, or a relay of the channel.
        case host
        /// A member whom this profile brought into the group.
        case invitee
    }

    /// The consequence of a block for all.
    package enum BlockEffect: Hashable, Sendable {
        /// The block changes nothing.
        case none
        /// The effect of the action is stored out of sight.
        case hides
        /// The member may not do it, unless it is about an item that is out of sight anyway.
        case refusesVisible
        case refuses
    }

    /// The roles in a group without relays.
    package var roles: Roles
    /// The roles in a channel, if they differ.
    package var rolesInChannels: Roles?
    /// True if the members whom the action is about, and the roles that it gives, must not be above the acting member.
    package var isBounded = false
    /// The standings in which a member has the right.
    package var standings: Set<MemberStanding> = [.member]
    package var block = BlockEffect.refuses
    package var origin = Origin.anyone
    /// True if in channels only owners have the right over the roles of the roster.
    package var reservesRosterRoles = false

    package init(
        roles: Roles, rolesInChannels: Roles? = nil, isBounded: Bool = false, standings: Set<MemberStanding> = [.member],
        block: BlockEffect = BlockEffect.refuses, origin: Origin = Origin.anyone, reservesRosterRoles: Bool = false
    ) {
        self.roles = roles
        self.rolesInChannels = rolesInChannels
        self.isBounded = isBounded
        self.standings = standings
        self.block = block
        self.origin = origin
        self.reservesRosterRoles = reservesRosterRoles
    }

    /// Tells whether a role has the right, and may use it over others.
    ///
    /// - Parameter others: The roles of members whom the action is about, and roles that it gives.
    package func permits(_ role: GroupMemberRole, over others: [GroupMemberRole] = [], inChannel: Bool = false) -> Bool {
        let roles = inChannel ? rolesInChannels ?? roles : roles
        if case .relaysOr = roles, inChannel, role == .relay { return others.allSatisfy(ChannelRules.mayAnnounce) }
        guard !isBounded || others.allSatisfy({ role >= $0 }) else { return false }
        if reservesRosterRoles, inChannel, role < .owner, others.contains(where: RosterRules.lists) { return false }
        return switch roles {
        case .everyone: true
        case .from(let least), .relaysOr(let least): role >= least
        case .relays: inChannel && role == .relay
        case .nobody: false
        }
    }
}

extension Set<MemberStanding> {
    /// Members, and those who wait to be let in.
    fileprivate static let withPending: Set = [.member, .underReview, .awaitingApproval]
    /// Members, and those whom moderators know already.
    fileprivate static let withReviewed: Set = [.member, .underReview]
}

extension GroupAction {
    /// The row of the table of rights. There is no other place that says which role, standing or origin has a right.
    package var right: GroupRight {
        switch self {
        case .write(.group): GroupRight(roles: .from(.author), block: .hides)
        case .write(.ownSupport): GroupRight(roles: .everyone, standings: .withPending, block: .hides)
        case .write(.othersSupport): GroupRight(roles: .from(.moderator), block: .hides)
        case .write(.comments): GroupRight(roles: .nobody, rolesInChannels: .from(.commenter), block: .hides)
        case .writeAsGroup: GroupRight(roles: .from(.owner), block: .hides)

        case .edit(.group): GroupRight(roles: .from(.author), block: .refusesVisible)
        case .edit(.ownSupport): GroupRight(roles: .everyone, standings: .withPending, block: .refusesVisible)
        case .edit(.othersSupport): GroupRight(roles: .from(.moderator), block: .refusesVisible)
        case .edit(.comments): GroupRight(roles: .nobody, rolesInChannels: .from(.commenter), block: .refusesVisible)
        case .editAsGroup: GroupRight(roles: .from(.owner))
        case .editForeign: GroupRight(roles: .nobody)

        // Who may not write any more may still take back its words.
        case .delete(.group): GroupRight(roles: .everyone, block: .refusesVisible)
        case .delete(.ownSupport): GroupRight(roles: .everyone, standings: .withPending, block: .refusesVisible)
        case .delete(.othersSupport): GroupRight(roles: .everyone, block: .refusesVisible)
        case .delete(.comments): GroupRight(roles: .nobody, rolesInChannels: .everyone, block: .refusesVisible)
        case .deleteAsGroup: GroupRight(roles: .from(.owner))
        case .moderate: GroupRight(roles: .from(.moderator), isBounded: true)

        case .react(.group): GroupRight(roles: .everyone)
        case .react(.ownSupport): GroupRight(roles: .everyone, standings: .withPending)
        case .react(.othersSupport): GroupRight(roles: .from(.moderator))
        case .react(.comments): GroupRight(roles: .nobody, rolesInChannels: .everyone)

        // The content of a file is writing: an offer from before gives no right to it. To cancel it is to take back one's words.
        case .sendFile(let place): GroupAction.edit(place).right
        case .cancelFile(let place): GroupAction.delete(place).right
        case .sendForeignFile: GroupRight(roles: .nobody)
        case .closeComments: GroupRight(roles: .nobody, rolesInChannels: .from(.moderator))

        case .changeProfile: GroupRight(roles: .everyone, standings: .withPending)
        case .setRole: GroupRight(roles: .from(.admin), isBounded: true, reservesRosterRoles: true)
        case .block: GroupRight(roles: .from(.moderator), isBounded: true)
        case .remove: GroupRight(roles: .from(.admin), isBounded: true)
        case .letIn: GroupRight(roles: .from(.moderator), isBounded: true)
        case .leave: GroupRight(roles: .everyone, standings: .withPending, block: .none)
        // A contact is a way around the moderators: only members have it.
        case .inviteAsContact(.othersSupport): GroupRight(roles: .from(.moderator))
        case .inviteAsContact(.ownSupport): GroupRight(roles: .everyone)
        case .inviteAsContact: GroupRight(roles: .from(.author))
        case .probe: GroupRight(roles: .everyone, standings: .withPending, block: .none)

        case .announceMember: GroupRight(roles: .from(.admin), rolesInChannels: .relaysOr(.admin), isBounded: true)
        case .introduceMember: GroupRight(roles: .from(.admin), rolesInChannels: .relays, origin: .host)
        case .inviteMember: GroupRight(roles: .everyone, rolesInChannels: .nobody, standings: .withReviewed, block: .none, origin: .invitee)
        case .passInvitation: GroupRight(roles: .from(.admin), rolesInChannels: .nobody, isBounded: true)
        case .reportConnection: GroupRight(roles: .everyone, standings: .withReviewed, block: .none)
        case .forward: GroupRight(roles: .from(.admin), rolesInChannels: .relays)
        case .showHostProfile: GroupRight(roles: .everyone, block: .none, origin: .host)

        case .publishRoster: GroupRight(roles: .nobody, rolesInChannels: .from(.owner))
        case .acknowledgeRoster: GroupRight(roles: .nobody, rolesInChannels: .relays, block: .none)
        case .requestRoster: GroupRight(roles: .nobody, rolesInChannels: .everyone, block: .none)
        case .announceRelay: GroupRight(roles: .nobody, rolesInChannels: .from(.owner))
        case .showRelayCapabilities: GroupRight(roles: .nobody, rolesInChannels: .relays, block: .none)

        case .changeGroup: GroupRight(roles: .from(.owner))
        case .deleteGroup: GroupRight(roles: .from(.owner))

        case .nothing: GroupRight(roles: .nobody, standings: [])
        }
    }
}
