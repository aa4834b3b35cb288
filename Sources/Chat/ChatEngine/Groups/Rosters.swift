import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire

// The roster of a channel at its owner, who signs it and sends it to the relays.

/// Signs, sends, receives and passes on the rosters of channels.
struct Rosters: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Rosters of channels.
    var rosters: Rosters { Rosters(transaction: self) }
}

extension Rosters {
    /// The roles of a roster, as SQL literals.
    private static let roles = "'member', 'moderator', 'admin'"

    /// The members of a channel, beside this profile, that the roster lists.
    func listedMembers(of group: GroupInfo) throws -> [GroupMember] {
        try db.members.members(of: group.groupID, roles: Self.roles).filter { $0.status.isCurrent || $0.status == .unknown }
    }

    // MARK: Changes by the owner

    /// Refuses a change of roles in a channel that only its owner may make, or for which the roster has no room.
    ///
    /// - Parameter role: The new role; nil for a removal.
    func checkChange(of members: [GroupMember], to role: GroupMemberRole?, in group: GroupInfo) throws {
        guard group.usesRelays, members.contains(where: { RosterRules.concerns($0.role, role) }) else { return }
        guard group.membership.role == .owner else {
            throw Refusal.command("only the group owner can change or remove members, moderators and admins")
        }
        guard let role, RosterRules.lists(role) else { return }
        // Without its key, a member is not on the roster, and a relay could give it one.
        if let member = members.first(where: { $0.signingKey == nil }),
            try db.members.relayMembers(of: group.groupID).contains(where: { $0.supports(ChatVersions.groupRoster) })
        {
            throw Refusal.command("the key of \(member.localDisplayName) is not known yet: try again when the member has connected")
        }
        let listed = try Set(listedMembers(of: group).map(\.groupMemberID)).union(members.map(\.groupMemberID))
        guard listed.count <= ChatLimits.rosterMembers else {
            throw Refusal.command("the number of members, moderators and admins would exceed the limit of \(ChatLimits.rosterMembers)")
        }
    }

    /// Signs the roster with a change that is about to be made, and sends it to the relays, before they get the change itself.
    ///
    /// - Parameter role: The new role; nil for a removal.
    /// - Returns: The version of the roster, which the change names; nil if the change does not concern it.
    func publish(_ members: [GroupMember], as role: GroupMemberRole?, in group: GroupInfo) throws -> RosterVersion? {
        guard group.usesRelays, group.membership.role == .owner, members.contains(where: { RosterRules.concerns($0.role, role) }) else { return nil }
        let version = RosterVersion.after(try db.rosters.state(of: group.groupID).version)
        try db.rosters.update(RosterState().applying(version), of: group.groupID)
        let changed = Set(members.map(\.groupMemberID))
        var listed = try listedMembers(of: group).filter { !changed.contains($0.groupMemberID) }
        if let role {
            listed += members.map { member in
                var member = member
                member.role = role
                return member
            }
        }
        try send(version, RosterRules.rosterList(of: listed), to: try db.members.relayMembers(of: group.groupID), in: group)
        return version
    }

    /// Signs the roster without a member whom it listed and who has left, or whom another has removed. Otherwise the member's key would stay good for
    /// relays and later subscribers until the owner changes something else.
    ///
    /// - Parameter member: The member as it was.
    func publishEnd(of member: GroupMember, in group: GroupInfo) throws {
        // The second message about the end of a membership changes nothing.
        guard member.status.isCurrent || member.status == .unknown else { return }
        _ = try publish([member], as: nil, in: group)
    }

    /// Sends the present roster to a relay that is being set up, or asks for it.
    func send(to relay: GroupMember, in group: GroupInfo) throws {
        let version = try db.rosters.state(of: group.groupID).version ?? .first
        try db.rosters.update(RosterState().applying(version), of: group.groupID)
        try send(version, RosterRules.rosterList(of: try listedMembers(of: group)), to: [relay], in: group)
    }

    /// Signs the roster of a channel that has none, because it was made by an earlier version, and sends it to its relays.
    func publishMissing(of id: GroupID, user userID: UserID) throws {
        guard let user = try db.users.find(userID) else { return }
        let group = try transaction.conversations.group(id, of: user)
        guard group.membership.status.isCurrent else { return }
        let relays = try db.members.relayMembers(of: id).filter { $0.supports(ChatVersions.groupRoster) && $0.readyConnection != nil }
        for relay in relays { try send(to: relay, in: group) }
    }

    private func send(_ version: RosterVersion, _ list: RosterList, to relays: [GroupMember], in group: GroupInfo) throws {
        let able = relays.filter { $0.status.isCurrent && $0.supports(ChatVersions.groupRoster) && $0.readyConnection != nil }
        guard !able.isEmpty else { return }
        let content = list.wireBytes
        let message = try transaction.outbox.outgoing(
            .groupRoster(GroupRoster(version: version, list: InlineFileInvitation(of: content))), id: RosterBodies.rosterIdentifier(for: content, random),
            in: group)
        try deliver(RosterBodies.rosterBodies(header: message.body, messageID: message.id, list: content), to: able)
    }

    /// Sends bodies to members, each of which is stored once.
    func deliver(_ bodies: [Bytes], to members: [GroupMember]) throws {
        let targets = members.compactMap(\.activeConnection).filter { !$0.isDisabled }.map(DeliveryTarget.init)
        guard !targets.isEmpty else { return }
        for body in bodies {
            let stored = try db.deliveries.insertBody(body)
            for target in targets { transaction.effects.deliveries.append(try db.deliveries.insert(to: target, body: stored, notifies: false, at: now)) }
        }
    }

    // MARK: Answers of relays

    /// A relay of this profile's channel has stored the roster, or could not.
    func receiveAcknowledgement(
        _ version: RosterVersion, error: String?, from relay: GroupMember, in group: GroupInfo, of user: User
    ) throws {
        guard RightDecision(.acknowledgeRoster, by: ActingMember(relay), inChannel: group.usesRelays) == .allow, group.membership.role == .owner else {
            return reportError("x.grp.roster.ack: not from a relay of an own channel", of: user)
        }
        let known = try db.relays.find(member: relay.groupMemberID), current = try db.rosters.state(of: group.groupID).version
        switch RosterAcknowledgementDecision(version, error: error, by: known?.status, current: current) {
        case .ignore:
            if let error { reportError("x.grp.roster.ack: the relay could not store the roster: \(error)", severity: "warning", of: user) }
            return
        case .wait: return reportError("x.grp.roster.ack: stale version, awaiting the acknowledgement of the present roster", severity: "warning", of: user)
        case .publish:
            try db.relays.update(member: relay.groupMemberID, status: .acknowledgedRoster, at: now)
            try transaction.groups.publishLink(of: group, user: user)
        case .reject(let reason):
            try db.relays.update(member: relay.groupMemberID, status: .rejected, at: now)
            reportError("x.grp.roster.ack: the relay could not store the roster: \(reason)", of: user)
        }
        if let changed = try db.relays.find(member: relay.groupMemberID) {
            emit(.groupRelayUpdated(user: user, groupInfo: group, member: relay, groupRelay: changed))
        }
    }
}
