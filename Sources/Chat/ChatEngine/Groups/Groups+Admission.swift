import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// The admission of those who join by the link of a group: the rules for it, and those whom they refuse.

extension Groups {
    /// Sets the rules for those who join by the link of a group; nil removes them.
    func setAdmission(_ admission: JoinerAdmission?, of id: GroupID) throws -> ChatResponse {
        let user = try transaction.user()
        let group = try transaction.conversations.group(id, of: user)
        _ = try link(of: group)
        try transaction.conversations.require(.admin, in: group)
        // Subscribers are taken by relays, each for itself.
        guard !group.usesRelays else { throw Refusal.command("a channel has no admission") }
        if let fault = admission?.fault { throw Refusal.command(fault) }
        try db.groupLinks.update(group: id, admission: admission)
        return .groupLink(user: user, groupInfo: group, groupLink: try link(of: group))
    }

    /// Forgets those who were refused and have not answered: most clients do not.
    ///
    /// - Returns: Their number.
    func deleteRefusedJoiners(before time: UTCTimestamp, limit: Int) throws -> Int {
        let refused = try db.groups.refusedJoiners(before: time, limit: limit)
        for (id, userID) in refused {
            guard let member = try db.members.find(id), let user = try db.users.find(userID) else { continue }
            try forgetRefused(member, of: user)
        }
        return refused.count
    }

    /// Deletes a refused joiner. Messages that are on their way to the joiner are delivered first.
    func forgetRefused(_ member: GroupMember, of user: User) throws {
        try transaction.members.deleteConnections(of: [member], afterDelivery: true, keepsRows: false, user: user)
        try db.members.delete(member, user: user.userID)
    }
}
