public import SMPCrypto
public import SMPWire

/// A member with its role.
@JSONMembers
public struct MemberIDRole: Hashable, ExtensibleObject {
    /// Which member.
    public var memberID: MemberID
    /// The member's role.
    @JSONName("memberRole") public var role: GroupMemberRole
}

/// The side of a business chat that a user is on.
public struct BusinessChatType: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The other side is the business: the user is its customer.
    public static let business = BusinessChatType(rawValue: "business")
    /// The other side is the customer: the user is the business.
    public static let customer = BusinessChatType(rawValue: "customer")

    /// The words that this version knows.
    public static let allCases: [BusinessChatType] = [.business, .customer]
}

/// The two sides of a business chat.
@JSONMembers
public struct BusinessChatInfo: Hashable, ExtensibleObject {
    /// The side that the user is on who has this.
    public var chatType: BusinessChatType
    /// The member that is the business.
    public var businessID: MemberID
    /// The member that is the customer.
    public var customerID: MemberID
}

/// An invitation of a contact to a group (`x.grp.inv`).
@JSONMembers
public struct GroupInvitation: Hashable, ExtensibleObject {
    /// The member that sends this.
    public var fromMember: MemberIDRole
    /// The identifier and role that the receiver gets.
    public var invitedMember: MemberIDRole
    /// An invitation link for the connection of the group.
    @JSONName("connRequest") public var connectionRequest: String
    /// The profile of the group.
    public var groupProfile: GroupProfile
    /// Set for business chats.
    public var business: BusinessChatInfo?
    /// Set if the contact has joined by the link of the group.
    public var groupLinkID: GroupLinkID?
    /// The number of members.
    public var groupSize: Int?
}

/// The group as its host shows it to a member who joins by its link (`x.grp.link.inv`).
@JSONMembers
public struct GroupLinkInvitation: Hashable, ExtensibleObject {
    /// The member that sends this.
    public var fromMember: MemberIDRole
    /// Its display name.
    public var fromMemberName: String
    /// The identifier and role that the receiver gets.
    public var invitedMember: MemberIDRole
    /// The profile of the group.
    public var groupProfile: GroupProfile
    /// The admission of the member; nil from old hosts, where the member may take part at once.
    public var accepted: GroupAcceptance?
    /// Set for business chats.
    public var business: BusinessChatInfo?
    /// The number of members.
    public var groupSize: Int?
}

/// The refusal of a request to join a group (`x.grp.link.reject`).
@JSONMembers
public struct GroupLinkRejection: Hashable, ExtensibleObject {
    /// The member that sends this.
    public var fromMember: MemberIDRole
    /// The identifier and role that the receiver gets.
    public var invitedMember: MemberIDRole
    /// The profile of the group.
    public var groupProfile: GroupProfile
    /// Why it is refused.
    @JSONName("rejectionReason") public var reason: GroupRejectionReason
}

/// The request of an owner to a relay to serve a channel (`x.grp.relay.inv`).
@JSONMembers
public struct GroupRelayInvitation: Hashable, ExtensibleObject {
    /// The member that sends this.
    public var fromMember: MemberIDRole
    /// The profile of the owner.
    public var fromMemberProfile: Profile
    /// The identifier that the relay gets.
    public var relayMemberID: MemberID
    /// The short link of the channel.
    public var groupLink: String
}

/// A member in the form that other members receive.
@JSONMembers
public struct MemberInfo: Hashable, ExtensibleObject {
    /// Which member.
    public var memberID: MemberID
    /// The member's role.
    @JSONName("memberRole") public var role: GroupMemberRole
    /// The chat versions that the member supports.
    @JSONName("v") public var versions: VersionRange?
    /// The profile of the member.
    public var profile: Profile
    /// The key with which the member signs.
    @JSONName("memberKey") public var key: Ed25519.PublicKey?
}

/// The restrictions of a member, for all members.
@JSONMembers
public struct MemberRestrictions: Hashable, ExtensibleObject {
    /// The restriction that holds for the member.
    public var restriction: MemberRestrictionStatus
}

/// The links by which an introduced member is connected to (`x.grp.mem.inv`, `x.grp.mem.fwd`).
@JSONMembers
public struct IntroInvitation: Hashable, ExtensibleObject {
    /// An invitation link for the connection of the group.
    @JSONName("groupConnReq") public var groupConnectionRequest: String
    /// An invitation link for a contact, of clients before version 2.
    @JSONName("directConnReq") public var directConnectionRequest: String?
}
