import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// The bounds of what refused invitations leave behind. Strangers can send any number of invitations.

extension RelayRequests {
    /// True if the owner of an invitation gets no answer: too many owners have not taken theirs.
    func hasTooManyOpenRefusals(of user: User) throws -> Bool {
        let limit = RelayInvitationRules.openRefusals
        return try db.groups.openRefusals(user: user.userID, limit: limit) == limit
    }

    /// Deletes the connections of refused invitations whose owners have not taken the answer.
    ///
    /// - Returns: Their number.
    func deleteOpenRefusals(before time: UTCTimestamp, limit: Int) throws -> Int {
        let refusals = try db.groups.openRefusals(before: time, limit: limit)
        for (id, userID) in refusals {
            guard let user = try db.users.find(userID), let group = try db.groups.find(id, user: userID), let owner = try db.members.host(of: id) else {
                continue
            }
            try forget(owner, in: group, of: user)
        }
        return refusals.count
    }

    /// Deletes the records of the oldest refused invitations of a profile, and their connections.
    func forgetOldest(of user: User) throws {
        let oldest = try db.groups.refusals(
            beyond: RelayInvitationRules.keptRefusals, user: user.userID, limit: RelayInvitationRules.forgottenAtOnce)
        for id in oldest {
            guard let group = try db.groups.find(id, user: user.userID) else { continue }
            if let owner = try db.members.host(of: id) {
                try transaction.members.deleteConnections(of: [owner], afterDelivery: false, keepsRows: false, user: user)
            }
            try db.groups.delete(group, user: user.userID)
        }
    }
}
