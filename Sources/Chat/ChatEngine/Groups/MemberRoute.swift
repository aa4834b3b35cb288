import ChatAPI
import ChatProtocol

/// The way of a message to a member.
enum MemberRoute: Hashable {
    /// Over the connection.
    ///
    /// - Parameter isBatched: Whether several messages share a body. Administrators whose clients forward messages one by one get them so.
    case send(Connection, isBatched: Bool)
    /// Kept until the connection takes messages.
    case wait
    /// Left to the one who introduced the two members.
    case forwarded
    /// Not sent.
    case none

    /// - Parameters:
    ///   - inviter: Reads the member who introduces this one to us, or us to it; nil if it is not known. Who is connected needs none.
    init(of messages: [OutgoingMessage], to member: GroupMember, in group: GroupInfo, inviter: () throws -> GroupMember?) rethrows {
        guard member.category != .user, member.status != .rejected else {
            self = .none
            return
        }
        if group.usesRelays {
            // Members write to relays, and relays to members.
            let connection = group.membership.isRelay == member.isRelay ? nil : member.readyConnection
            self = connection.map { .send($0, isBatched: true) } ?? .none
            return
        }
        guard let connection = member.activeConnection else {
            self = try Self.withoutConnection(messages, member, inviter)
            return
        }
        switch connection.status {
        case .deleted, .failed: self = .none
        case _ where connection.isDisabled: self = .none
        case _ where connection.isInactive: self = .wait
        case .ready, .sendReady:
            let sendsSeparately = member.role >= .admin && !member.supports(ChatVersions.directBatching)
            self = .send(connection, isBatched: !sendsSeparately && member.supports(ChatVersions.batching))
        default: self = try Self.withoutConnection(messages, member, inviter)
        }
    }

    private static func withoutConnection(
        _ messages: [OutgoingMessage], _ member: GroupMember, _ inviter: () throws -> GroupMember?
    ) rethrows -> MemberRoute {
        switch member.category {
        case .invitee, .host: return .wait
        case .pre, .post:
            let isForwarded = try member.supports(ChatVersions.groupForwarding) && inviter()?.supports(ChatVersions.groupForwarding) == true
            if isForwarded, messages.allSatisfy(\.isForwardable) { return .forwarded }
            return messages.contains(where: \.isForward) ? .none : .wait
        default: return .none
        }
    }
}

extension ChatMessageEvent {
    /// True for messages that the host of a group forwards between members that are not connected yet.
    var isForwardedInGroups: Bool {
        switch self {
        case .newMessage(let container): container.file?.inline == nil
        case .fileDescription, .updateMessage, .deleteMessage, .react, .cancelFile, .info, .newMember, .memberRole, .restrictMember, .removeMember,
            .leaveGroup, .deleteGroup, .groupInfo, .groupPreferences:
            true
        default: false
        }
    }
}
