import ChatAPI
import ChatProtocol
import SMPWire

// The rules of groups with relays: who passes on what, and what is shown of it. Pure functions of groups and members.

extension GroupMember {
    /// True for a member that passes on messages and writes none.
    var isRelay: Bool { role == .relay }
}

extension GroupInfo {
    /// True if this profile relays for the group.
    var isServedHere: Bool { usesRelays && membership.isRelay }

    /// True if this profile gets what is posted from relays, and does not own the group.
    var isSubscribed: Bool { usesRelays && !membership.isRelay && membership.role != .owner && membership.status.isCurrent }

    /// Tells whether events of a member are not shown: subscribers of a channel do not see others come, go or change.
    func mutesEvents(of member: GroupMember) -> Bool {
        usesRelays && !membership.isRelay && !member.isRelay && membership.role < .moderator && member.role < .moderator
    }

    /// The role of members of whom nothing but messages is known.
    var unknownMemberRole: GroupMemberRole { usesRelays ? ChannelRules.subscriberRole(in: self) : .author }

    /// The encryption as items show it.
    var encryption: EncryptionInfo { EncryptionInfo(isPublic: groupProfile.publicGroup == nil ? nil : true, pqEnabled: false) }

    /// True if messages that name nobody as their sender are sent in the name of the group.
    var sendsAsGroup: Bool { usesRelays && membership.role == .owner }
}

enum ChannelRules {
    /// The role of those who join a channel by its link, and cannot comment.
    static let subscriberRole = GroupMemberRole.observer

    /// The role of those who join a channel by its link.
    ///
    /// - Parameter knowComments: False for a client that does not know comments, nor the role of those who write them.
    static func subscriberRole(in group: GroupInfo, knowComments: Bool = true) -> GroupMemberRole {
        group.allows(.comments) && knowComments ? .commenter : subscriberRole
    }

    /// Tells whether a relay may tell this profile of a member with a role: relays let in subscribers, and nobody who decides about others.
    static func mayAnnounce(_ role: GroupMemberRole) -> Bool { role < .moderator && role != .relay }

    /// The role of a member that a relay introduces.
    ///
    /// What link data or a signed event told is not changed by what a relay says, and nobody becomes an owner by it.
    static func role(introduced: GroupMemberRole, known: GroupMember?) -> GroupMemberRole {
        if let known, known.status != .unknown || known.role == .owner { return known.role }
        return introduced == .owner || introduced == .relay ? subscriberRole : introduced
    }
}

extension ChatMessageEvent {
    /// True for what can be sent in the name of a channel.
    var hasNoAuthorInChannels: Bool {
        switch self {
        case .newMessage, .fileDescription, .updateMessage, .deleteMessage, .cancelFile: true
        default: false
        }
    }
}

extension RelayScope {
    /// The receivers of a message by those to whom groups without relays forward it.
    init(_ audience: ForwardAudience) {
        switch audience {
        case .group, .channel, .everybodyAtLast: self = .all
        case .comments: self = .comments
        case .support(let member): self = .support(member)
        }
    }
}

/// The tasks of a relay that go together in one body.
struct RelayBatch: Sendable, Hashable {
    /// Empty if there is nothing to deliver.
    var body: Bytes
    var scope: RelayScope
    /// The author of all of them, if it is one.
    var singleSender: GroupMemberID?
    var endsService: Bool
    /// The tasks that the body holds.
    var delivered: [Int64]
    /// Tasks that fit in no body.
    var tooLarge: [Int64]

    /// The longest run of tasks for the same receivers, from the first one on, that fits in a body.
    ///
    /// - Parameter tasks: The waiting tasks, oldest first.
    /// - Returns: nil if there are none.
    init?(_ tasks: [RelayTask]) {
        guard let first = tasks.first else { return nil }
        // What ends the service is delivered by itself, after all that came before.
        let run = first.endsService ? [first] : Array(tasks.prefix { $0.scope == first.scope && !$0.endsService })
        let (body, done, tooLarge) = MessageBatching.delivery(of: run.map(\.element))
        let large = Set(tooLarge)
        let taken = run.prefix(done).enumerated()
        let included = taken.filter { !large.contains($0.offset) }.map(\.element)
        self.body = body
        scope = first.scope
        let senders = Set(included.map(\.sender))
        singleSender = senders.count == 1 ? senders.first : nil
        endsService = first.endsService
        delivered = included.map(\.id)
        self.tooLarge = taken.filter { large.contains($0.offset) }.map(\.element.id)
    }
}
