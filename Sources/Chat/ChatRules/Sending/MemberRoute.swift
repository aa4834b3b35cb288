package import ChatAPI
import ChatProtocol

/// The way of a message to a member.
package enum MemberRoute: Hashable {
    /// Over the connection.
    ///
    /// - Parameter isBatched: Whether several messages share a body. Administrators whose clients forward messages one by one get them so.
    case send(Connection, isBatched: Bool)
    /// Kept until the connection takes messages.
    case wait
    /// Left to the introducer of the two members.
    case forwarded
    /// Not sent.
    case none

    /// - Parameters:
    ///   - inviter: Reads the member who introduces this one to us, or us to it; nil if it is not known. A connected member needs none.
    package init(of messages: [OutgoingMessage], to member: GroupMember, in group: GroupInfo, inviter: () throws -> GroupMember?) rethrows {
        guard member.category != .user, member.status != .rejected else {
            self = .none
            return
        }
        if group.usesRelays {
            // Members write to relays, and relays to members.
            guard group.membership.isRelay != member.isRelay, let connection = member.openConnection else {
                self = .none
                return
            }
            // Whole audiences depend on a relay: what it cannot take now waits. A relay keeps nothing for a single subscriber, who gets the history.
            self = !connection.isInactive ? .send(connection, isBatched: true) : member.isRelay ? .wait : .none
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
