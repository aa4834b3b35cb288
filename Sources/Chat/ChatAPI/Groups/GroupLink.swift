public import ChatProtocol

/// The link of a group.
@JSONMembers
public struct GroupLink: JSONObjectConvertible, Hashable {
    /// Database id.
    public var userContactLinkID: UserContactLinkID
    /// The link.
    @JSONName("connLinkContact") public var connectionLink: CreatedConnectionLink
    /// True if the short link carries the group's profile.
    public var shortLinkDataSet: Bool = false
    /// True if it carries the profile with its picture.
    public var shortLinkLargeDataSet: Bool = false
    /// Random id.
    public var groupLinkID: GroupLinkID
    /// Role of those who join by it.
    public var acceptMemberRole: GroupMemberRole
    /// Rules for those who join by it; nil for none. Only this core has them.
    public var joinerAdmission: JoinerAdmission?
}

/// The status of a relay of a channel.
public struct RelayStatus: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Added.
    public static let new = RelayStatus(rawValue: "new")
    /// Invited.
    public static let invited = RelayStatus(rawValue: "invited")
    /// Invitation accepted.
    public static let accepted = RelayStatus(rawValue: "accepted")
    /// Roster of members, moderators and admins stored.
    public static let acknowledgedRoster = RelayStatus(rawValue: "acknowledgedRoster")
    /// At work.
    public static let active = RelayStatus(rawValue: "active")
    /// No longer works.
    public static let inactive = RelayStatus(rawValue: "inactive")
    /// Invitation refused.
    public static let rejected = RelayStatus(rawValue: "rejected")

    /// The words that this version knows.
    public static let allCases: [RelayStatus] = [.new, .invited, .accepted, .acknowledgedRoster, .active, .inactive, .rejected]
}

/// A relay of a channel, seen by its owner.
@JSONMembers
public struct GroupRelay: JSONObjectConvertible, Hashable {
    /// Database id.
    public var groupRelayID: GroupRelayID
    /// The member that it is.
    public var groupMemberID: GroupMemberID
    /// The relay as configured.
    public var userChatRelay: UserChatRelay
    /// Its progress.
    @JSONName("relayStatus") public var status: RelayStatus
    /// Link by which subscribers join.
    public var relayLink: String?
    /// Abilities of the relay beside forwarding, as far as it has told them.
    @JSONSince(.v70Beta) @JSONName("relayCap") public var capabilities: RelayCapabilities = RelayCapabilities()

    /// True if the relay forwards posts, or will soon.
    package var isServing: Bool { [.accepted, .acknowledgedRoster, .active].contains(status) }
}

/// A relay that a profile can use for its channels.
@JSONMembers
public struct UserChatRelay: JSONObjectConvertible, Hashable {
    /// Database id; absent before it is stored.
    public var chatRelayID: UserChatRelayID?
    /// Its address.
    public var address: String
    /// Its profile.
    public var relayProfile: RelayProfile
    /// Domains it serves.
    public var domains: [String]
    /// True if it came with the app.
    public var preset: Bool
    /// Outcome of its last test.
    public var tested: Bool?
    /// True if it is used.
    public var enabled: Bool
    /// True if it was deleted.
    public var deleted: Bool
}

/// Outcome of adding a relay to a channel.
@JSONMembers
public struct AddRelayResult: JSONObjectConvertible, Hashable {
    /// The relay.
    public var relay: UserChatRelay
    /// The error, if it failed.
    @JSONName("relayError") public var error: ChatError?
}

/// Outcome of joining a channel by a relay.
@JSONMembers
public struct RelayConnectionResult: JSONObjectConvertible, Hashable {
    /// The relay.
    public var relayMember: GroupMember
    /// The error, if it failed.
    @JSONName("relayError") public var error: ChatError?
}

/// Why a relay failed its test.
@JSONMembers
public struct RelayTestFailure: JSONObjectConvertible, Hashable {
    /// Step that failed.
    @JSONName("rtfStep") public var step: String
    /// The error.
    @JSONName("rtfError") public var error: ChatError
}
