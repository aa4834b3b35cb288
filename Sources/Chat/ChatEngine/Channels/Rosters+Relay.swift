import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire

// Rosters and authors as a relay shows them to subscribers.

extension Rosters {
    /// Tells the owner that this relay has its roster. Until then no subscriber comes.
    func acknowledge(_ version: RosterVersion, to owner: GroupMember, in group: GroupInfo) throws {
        switch group.relayOwnStatus {
        case .invited?, .accepted?: try db.groups.update(group.groupID, relayOwnStatus: .acknowledgedRoster)
        case .acknowledgedRoster?: break
        default: return
        }
        try transaction.outbox.sendDirectly([.acknowledgeRoster(version, error: nil)], to: owner, in: group)
    }

    /// Gives a subscriber the roster of the channel, if this relay has one and the subscriber's client knows rosters.
    func serve(_ member: GroupMember, in group: GroupInfo) throws {
        guard group.isServedHere, member.supports(ChatVersions.groupRoster), let roster = try db.rosters.stored(of: group.groupID) else { return }
        try deliver(roster.bodies, to: [member])
        try db.rosters.update(servedVersion: roster.version, to: member.groupMemberID)
    }

    /// Somebody asks for the roster: a subscriber its relay, or a relay the owner.
    func receiveRequest(_ version: RosterVersion?, from member: GroupMember, in group: GroupInfo, of user: User) throws {
        guard RightDecision(.requestRoster, by: ActingMember(member), inChannel: group.usesRelays) == .allow,
            group.isServedHere != member.isRelay, group.isServedHere || group.membership.role == .owner
        else { return reportError("x.grp.roster.request: not for this profile", severity: "warning", of: user) }
        let stored = try group.isServedHere ? db.rosters.storedVersion(of: group.groupID) : db.rosters.state(of: group.groupID).version
        let served = try db.rosters.servedVersion(to: member.groupMemberID)
        guard let stored, RosterRules.answers(stored: stored, requested: version, served: served) else { return }
        if group.isServedHere { return try serve(member, in: group) }
        try send(to: member, in: group)
        try db.rosters.update(servedVersion: stored, to: member.groupMemberID)
    }
}
