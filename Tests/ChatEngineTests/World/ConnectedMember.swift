import ChatAPI
import ChatProtocol
import ChatRules
import SMPCrypto
import SMPProtocol
import SMPWire

@testable import ChatEngine
@testable import ChatStore

extension ChatTransaction {
    /// Adds a member of a group as one who has joined by its link and is connected.
    func insertConnectedMember(_ name: String, role: GroupMemberRole, in group: GroupID) throws -> GroupMemberID {
        let user = try user()
        let id = try db.members.insert(
            NewMemberRecord(
                groupID: group, memberID: MemberID(random.bytes(12)), role: role, category: .invitee, status: .connected,
                profile: Profile(displayName: name, fullName: ""), versions: ChatVersionRange(ChatVersions.supported)),
            user: user.userID, at: now)
        var connection = NewConnectionRecord(
            userID: user.userID, agentConnectionID: random.bytes(24), status: .ready, chatVersion: ChatVersions.supported.max)
        connection.memberID = id
        _ = try db.connections.insert(connection, at: now)
        return id
    }
}
