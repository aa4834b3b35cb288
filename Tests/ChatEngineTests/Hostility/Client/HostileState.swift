import ChatAPI
import ChatRules
import GRDB
import SMPWire

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// The state in which a body finds its receiver: what the receiver knows of the sender, and what it is itself.
enum HostileState: Sendable, CustomStringConvertible {
    case contact(status: ContactStatus, connection: ConnectionStatus)
    /// - Parameters:
    ///   - own: What the receiver waits for; nil if it belongs to the group.
    ///   - isModeratedEarly: True if an owner has deleted messages of the sender that did not come yet.
    case member(role: GroupMemberRole, status: GroupMemberStatus, isBlocked: Bool, own: GroupMemberStatus?, isModeratedEarly: Bool)

    var description: String {
        switch self {
        case .contact(let status, let connection): "contact \(status.rawValue), connection \(connection)"
        case .member(let role, let status, let isBlocked, let own, let isModeratedEarly):
            "\(role.code) \(status.rawValue)\(isBlocked ? ", blocked" : "")\(own.map { ", receiver \($0.rawValue)" } ?? "")\(isModeratedEarly ? ", moderated" : "")"
        }
    }

    /// The state with the connection still being made.
    func connecting(_ db: Database, _ sender: ConnectionRecord, _ status: ConnectionStatus) throws {
        try db.connections.update(sender.id, status: status, at: .current())
    }

    /// Every state of a contact: before it is accepted, connected, deleted by either side, failed.
    static let ofContacts: [HostileState] = [ContactStatus.active, .deleted, .deletedByUser].flatMap { status in
        [ConnectionStatus.ready, .new, .prepared, .joined, .requested, .accepted, .sendReady, .failed(), .deleted].map {
            .contact(status: status, connection: $0)
        }
    }

    /// Every state of a member that does not own the group. An owner may do everything.
    static func ofMembers(_ roles: [GroupMemberRole]) -> [HostileState] {
        roles.flatMap { role in
            GroupMemberStatus.allCases.flatMap { status in
                [false, true].flatMap { isBlocked in
                    [nil, .pendingReview, .pendingApproval].flatMap { own in
                        [false, true].map { .member(role: role, status: status, isBlocked: isBlocked, own: own, isModeratedEarly: $0) }
                    }
                }
            }
        }
    }

    /// Puts a store into the state.
    ///
    /// - Parameter early: The message that an owner has deleted before it came, and its author.
    func apply(_ transaction: ChatTransaction, to sender: ConnectionRecord, early: SharedMessageID) throws {
        let db = transaction.db
        switch self {
        case .contact(let status, let connection):
            guard let contact = sender.contactID else { return }
            try db.contacts.update(contact, status: status, at: transaction.now)
            try db.connections.update(sender.id, status: connection, at: transaction.now)
        case .member(let role, let status, let isBlocked, let own, let isModeratedEarly):
            guard let id = sender.memberID, let member = try db.members.find(id) else { return }
            try db.members.update(id, role: role, at: transaction.now)
            try db.members.update(id, status: status, at: transaction.now)
            try db.members.update(id, isBlocked: isBlocked, at: transaction.now)
            let group = try transaction.conversations.group(member.groupID, of: try transaction.user())
            if let own, group.membership.role < .owner { try db.members.update(group.membership.groupMemberID, status: own, at: transaction.now) }
            guard isModeratedEarly else { return }
            let moderator = try db.members.members(of: group.groupID).first { $0.role == .owner && $0.groupMemberID != id } ?? group.membership
            try db.moderations.insert(
                group: group.groupID, author: member.memberID, sharedMessageID: early, moderator: moderator.groupMemberID, moderatedAt: transaction.now,
                at: transaction.now)
        }
    }
}
