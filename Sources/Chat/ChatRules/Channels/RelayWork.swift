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
    /// True if the relay serves the channel no longer once this is delivered.
    package var endsService: Bool

    package init(
        id: Int64, scope: RelayScope, sender: GroupMemberID, element: Bytes, endsService: Bool
    ) {
        self.id = id
        self.scope = scope
        self.sender = sender
        self.element = element
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
    package var body: Bytes
    /// The number of the message for the agent, the same in all connections.
    package var requestKey: Int64
    /// The last member to whom the body was given.
    package var cursor: GroupMemberID
    package var endsService: Bool
    package var createdAt: UTCTimestamp

    package init(
        id: Int64, group: GroupID, scope: RelayScope, singleSender: GroupMemberID? = nil, body: Bytes, requestKey: Int64, cursor: GroupMemberID,
        endsService: Bool, createdAt: UTCTimestamp
    ) {
        self.createdAt = createdAt
        self.id = id
        self.group = group
        self.scope = scope
        self.singleSender = singleSender
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

    package init(
        member: GroupMemberID, connection: Bytes
    ) {
        self.member = member
        self.connection = connection
    }
}
