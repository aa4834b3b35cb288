import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPCrypto
import SMPWire

// The security codes of members.

extension GroupCommands {
    func securityCode(of id: GroupMemberID, in group: GroupID) async throws(ChatCoreError) -> ChatResponse {
        if let found = try await channelCode(of: id, in: group) {
            guard let verified = found.member.verifiedCode, !found.code.matches(verified.securityCode) else {
                return .groupMemberCode(user: found.user, groupInfo: found.group, member: found.member, connectionCode: found.code.text)
            }
            return try await transaction { transaction in
                try transaction.db.members.update(id, verifiedCode: nil)
                let member = try transaction.conversations.member(id, in: found.group)
                return .groupMemberCode(user: found.user, groupInfo: found.group, member: member, connectionCode: found.code.text)
            }
        }
        let found = try await connected(id, in: group)
        let code = try await runner.contactCommands.code(found.agentID)
        guard let confirmed = found.connection.connectionCode, !code.matches(confirmed.securityCode) else {
            return .groupMemberCode(user: found.user, groupInfo: found.group, member: found.member, connectionCode: code.text)
        }
        return try await transaction { transaction in
            try transaction.db.connections.update(found.connection.connectionID, securityCode: nil)
            let member = try transaction.conversations.member(id, in: found.group)
            return .groupMemberCode(user: found.user, groupInfo: found.group, member: member, connectionCode: code.text)
        }
    }

    /// Compares the security code of a member; nil takes the confirmation back.
    func verify(_ id: GroupMemberID, in group: GroupID, code entered: String?) async throws(ChatCoreError) -> ChatResponse {
        if let found = try await channelCode(of: id, in: group) {
            let isVerified = entered.map(found.code.matches) ?? false
            if isVerified || entered == nil {
                try await transaction { transaction in
                    let confirmed = isVerified ? ConfirmedSecurityCode(securityCode: found.code.text, verifiedAt: transaction.now) : nil
                    try transaction.db.members.update(id, verifiedCode: confirmed)
                }
            }
            return .connectionVerified(user: found.user, verified: isVerified, expectedCode: found.code.text)
        }
        let found = try await connected(id, in: group)
        return try await runner.contactCommands.verify(found.connection, found.agentID, code: entered, user: found.user)
    }

    /// The code of the keys of this profile and of a member of a channel, who have no connection with each other; nil for relays, for members whose key is
    /// not known, and in groups without relays, where the connection has a code.
    private func channelCode(
        of id: GroupMemberID, in group: GroupID
    ) async throws(ChatCoreError) -> (user: User, group: GroupInfo, member: GroupMember, code: SecurityCode)? {
        try await query { transaction in
            let user = try transaction.user()
            let group = try transaction.conversations.group(group, of: user)
            let member = try transaction.conversations.member(id, in: group)
            guard group.usesRelays, !member.isRelay, let own = group.groupKeys?.memberSigningKey, let key = member.signingKey else { return nil }
            return (user, group, member, SecurityCode(keys: own.publicKey, key))
        }
    }
}
