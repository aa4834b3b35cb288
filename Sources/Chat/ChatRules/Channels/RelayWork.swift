package import ChatAPI
package import ChatProtocol
package import SMPWire

/// A message that a relay passes on.
package struct RelayTask: Sendable, Hashable {
    package var id: Int64
    package var scope: RelayScope
    package var sender: GroupMemberID
    /// The message with its author, as subscribers get it.
    package var element: Bytes
    /// True if the author is shown first to those who do not know it.
    package var introduces: Bool
    /// True if the relay serves the channel no longer once this is delivered.
    package var endsService: Bool

    package init(
        id: Int64, scope: RelayScope, sender: GroupMemberID, element: Bytes, introduces: Bool = false, endsService: Bool
    ) {
        self.id = id
        self.scope = scope
        self.sender = sender
        self.element = element
        self.introduces = introduces
        self.endsService = endsService
    }
}

/// The receivers of a message that a relay passes on.
package enum RelayScope: Sendable, Hashable {
    /// All members.
    case all
    /// The member of a support chat, and the moderators.
    case support(GroupMemberID)
    /// All members whose clients know comments.
    case comments

    package var supportMember: GroupMemberID? { if case .support(let id) = self { id } else { nil } }
    package var isForComments: Bool { self == .comments }

    package init(_ member: GroupMemberID?, isForComments: Bool) { self = isForComments ? .comments : member.map(RelayScope.support) ?? .all }
}

/// A body that a relay gives to members one after another.
package struct RelayJob: Sendable, Hashable {
    package var id: Int64
    package var group: GroupID
    package var scope: RelayScope
    /// The only author of the messages in the body, who does not get the body; nil if there are several.
    package var singleSender: GroupMemberID?
    /// The authors who are shown first to members who do not know them.
    package var senders: [GroupMemberID]
    /// The first of the numbers under which the agent knows what shows them; nil if there are none.
    package var introductionKey: Int64?
    package var body: Bytes
    /// The number of the message for the agent, the same in all connections.
    package var requestKey: Int64
    /// The last member to whom the body was given.
    package var cursor: GroupMemberID
    package var endsService: Bool
    package var createdAt: UTCTimestamp

    /// Bodies in which a roster travels at most: the signed message, and the chunks of the longest list.
    package static let maximumRosterBodies = 1 + Int(InlineChunks(size: Int64(ChatLimits.rosterBytes)).count)

    package init(
        id: Int64, group: GroupID, scope: RelayScope, singleSender: GroupMemberID? = nil, senders: [GroupMemberID] = [], introductionKey: Int64? = nil,
        body: Bytes, requestKey: Int64, cursor: GroupMemberID, endsService: Bool, createdAt: UTCTimestamp
    ) {
        self.createdAt = createdAt
        self.id = id
        self.group = group
        self.scope = scope
        self.singleSender = singleSender
        self.senders = senders
        self.introductionKey = introductionKey
        self.body = body
        self.requestKey = requestKey
        self.cursor = cursor
        self.endsService = endsService
    }
}

/// A connection that a relay delivers over.
package struct RelayTarget: Sendable, Hashable {
    package var member: GroupMemberID
    package var connection: Bytes
    /// The index of the member in the channel.
    package var index: Int64
    /// True if the member's client knows rosters.
    package var knowsRosters: Bool
    /// True if this relay has given the member a roster.
    package var hasRoster: Bool

    package init(
        member: GroupMemberID, connection: Bytes, index: Int64 = -1, knowsRosters: Bool = false, hasRoster: Bool = false
    ) {
        self.member = member
        self.connection = connection
        self.index = index
        self.knowsRosters = knowsRosters
        self.hasRoster = hasRoster
    }
}
