import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

extension Groups {
    /// Counts the members of a channel and has the number published behind its link, if this profile owns it.
    func publishMemberCount(of group: inout GroupInfo, user: User) throws {
        guard group.usesRelays, group.membership.role == .owner else { return }
        try db.groups.updatePublicMemberCount(group: group.groupID)
        try publishLink(of: group, user: user)
        if let current = try db.groups.find(group.groupID, user: user.userID) { group.groupSummary = current.groupSummary }
    }

    /// Publishes the present data of a channel's link.
    func publishLink(of group: GroupInfo, user: User) throws {
        guard try db.groupLinks.find(group: group.groupID) != nil else { return }
        try db.groups.changeLink(of: group.groupID)
        try enqueue(.group(.publishLink(group: group.groupID)), user: user)
    }

    /// The relays by which subscribers can come now.
    func publishedRelays(of group: GroupInfo) throws -> [GroupRelay] {
        let connected = try db.members.relayMembers(of: group.groupID).filter { $0.status == .connected }
        let knowRosters = Dictionary(connected.map { ($0.groupMemberID, $0.supports(ChatVersions.groupRoster)) }) { first, _ in first }
        return try db.relays.all(of: group.groupID).filter { relay in
            guard relay.relayLink != nil, let knowsRosters = knowRosters[relay.groupMemberID] else { return false }
            return RosterRules.isPublishable(relay.status, knowsRosters: knowsRosters)
        }
    }

    /// Announces relays that the link of a channel shows now to the subscribers of its other relays.
    private func announce(_ relays: [GroupRelay], in group: GroupInfo) throws {
        let links = relays.compactMap(\.relayLink), ids = Set(relays.map(\.groupMemberID))
        // The owner is counted, too.
        guard !links.isEmpty, group.groupSummary.publicMemberCount ?? 0 > 1 else { return }
        let others = try db.members.relayMembers(of: group.groupID).filter { relay in
            relay.status == .connected && !ids.contains(relay.groupMemberID) && relay.supports(ChatVersions.relayCapabilities)
        }
        try transaction.outbox.send(try links.map { try transaction.outbox.outgoing(.newGroupRelay(link: $0), in: group) }, to: others, in: group)
    }

    /// The link of a channel shows a revision, with these relays.
    func notePublished(_ relays: [GroupRelay], of group: GroupInfo, revision: Int64, user: User) throws {
        let accepted = relays.filter { $0.status != .active }
        for relay in accepted { try db.relays.update(member: relay.groupMemberID, status: .active, at: now) }
        try announce(accepted, in: group)
        try db.groups.update(group.groupID, publishedRevision: revision)
        guard let current = try db.groups.find(group.groupID, user: user.userID), let link = try db.groupLinks.find(group: group.groupID) else { return }
        emit(
            .groupLinkDataUpdated(
                user: user, groupInfo: current, groupLink: link, groupRelays: try db.relays.all(of: group.groupID), relaysChanged: !accepted.isEmpty))
    }
}
