import ChatAPI
import ChatProtocol
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
        let connected = Set(try db.members.relayMembers(of: group.groupID).filter { $0.status == .connected }.map(\.groupMemberID))
        return try db.relays.all(of: group.groupID).filter {
            connected.contains($0.groupMemberID) && ($0.status == .accepted || $0.status == .active) && $0.relayLink != nil
        }
    }

    /// The link of a channel shows a revision, with these relays.
    func notePublished(_ relays: [GroupRelay], of group: GroupInfo, revision: Int64, user: User) throws {
        let accepted = relays.filter { $0.status == .accepted }
        for relay in accepted { try db.relays.update(member: relay.groupMemberID, status: .active, at: now) }
        try db.groups.update(group.groupID, publishedRevision: revision)
        guard let current = try db.groups.find(group.groupID, user: user.userID), let link = try db.groupLinks.find(group: group.groupID) else { return }
        emit(
            .groupLinkDataUpdated(
                user: user, groupInfo: current, groupLink: link, groupRelays: try db.relays.all(of: group.groupID), relaysChanged: !accepted.isEmpty))
    }
}
