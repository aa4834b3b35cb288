public import SMPCrypto
public import SMPWire

/// A member with its role.
public struct MemberIDRole: Hashable, JSONConvertible {
    /// Which member.
    public var memberID: MemberID
    /// What the member may do.
    public var role: GroupMemberRole

    public init(memberID: MemberID, role: GroupMemberRole) {
        self.memberID = memberID
        self.role = role
    }

    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        memberID = try object.required("memberId")
        role = try object.required("memberRole")
    }

    public var json: JSONValue { ["memberId": memberID.json, "memberRole": role.json] }
}

/// Whether a group is a business chat, or one of its customers' side.
public enum BusinessChatType: String, TextCode {
    /// The user is the customer of a business.
    case business
    /// The user is the business.
    case customer
}

/// What makes a group a business chat.
public struct BusinessChatInfo: Hashable, JSONConvertible {
    /// Which side the receiver is on.
    public var chatType: BusinessChatType
    /// The member that is the business.
    public var businessID: MemberID
    /// The member that is the customer.
    public var customerID: MemberID

    public init(chatType: BusinessChatType, businessID: MemberID, customerID: MemberID) {
        self.chatType = chatType
        self.businessID = businessID
        self.customerID = customerID
    }

    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        chatType = try object.required("chatType")
        businessID = try object.required("businessId")
        customerID = try object.required("customerId")
    }

    public var json: JSONValue {
        ["chatType": chatType.json, "businessId": businessID.json, "customerId": customerID.json]
    }
}

/// An invitation of a contact to a group (`x.grp.inv`).
public struct GroupInvitation: Hashable, JSONObjectConvertible {
    /// The member that sends this.
    public var fromMember: MemberIDRole
    /// The identifier and role that the receiver gets.
    public var invitedMember: MemberIDRole
    /// An invitation link for the connection of the group.
    public var connectionRequest: String
    /// The profile of the group.
    public var groupProfile: GroupProfile
    /// Set for business chats.
    public var business: BusinessChatInfo?
    /// Set if the contact has joined by the link of the group.
    public var groupLinkID: GroupLinkID?
    /// How many members there are.
    public var groupSize: Int?

    public init(
        fromMember: MemberIDRole, invitedMember: MemberIDRole, connectionRequest: String, groupProfile: GroupProfile,
        business: BusinessChatInfo? = nil, groupLinkID: GroupLinkID? = nil, groupSize: Int? = nil
    ) {
        self.fromMember = fromMember
        self.invitedMember = invitedMember
        self.connectionRequest = connectionRequest
        self.groupProfile = groupProfile
        self.business = business
        self.groupLinkID = groupLinkID
        self.groupSize = groupSize
    }

    public init(object: JSONObject) throws(JSONError) {
        fromMember = try object.required("fromMember")
        invitedMember = try object.required("invitedMember")
        connectionRequest = try object.required("connRequest")
        groupProfile = try object.required("groupProfile")
        business = try object.optional("business")
        groupLinkID = try object.optional("groupLinkId")
        groupSize = try object.optional("groupSize")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("fromMember", fromMember)
        object.add("invitedMember", invitedMember)
        object.add("connRequest", connectionRequest)
        object.add("groupProfile", groupProfile)
        object.add("business", business)
        object.add("groupLinkId", groupLinkID)
        object.add("groupSize", groupSize)
    }
}

/// What the host of a group tells a member who joins by its link (`x.grp.link.inv`).
public struct GroupLinkInvitation: Hashable, JSONObjectConvertible {
    /// The member that sends this.
    public var fromMember: MemberIDRole
    /// Its display name.
    public var fromMemberName: String
    /// The identifier and role that the receiver gets.
    public var invitedMember: MemberIDRole
    /// The profile of the group.
    public var groupProfile: GroupProfile
    /// Whether the member may take part at once; nil from old hosts: it may.
    public var accepted: GroupAcceptance?
    /// Set for business chats.
    public var business: BusinessChatInfo?
    /// How many members there are.
    public var groupSize: Int?

    public init(
        fromMember: MemberIDRole, fromMemberName: String, invitedMember: MemberIDRole, groupProfile: GroupProfile,
        accepted: GroupAcceptance? = nil, business: BusinessChatInfo? = nil, groupSize: Int? = nil
    ) {
        self.fromMember = fromMember
        self.fromMemberName = fromMemberName
        self.invitedMember = invitedMember
        self.groupProfile = groupProfile
        self.accepted = accepted
        self.business = business
        self.groupSize = groupSize
    }

    public init(object: JSONObject) throws(JSONError) {
        fromMember = try object.required("fromMember")
        fromMemberName = try object.required("fromMemberName")
        invitedMember = try object.required("invitedMember")
        groupProfile = try object.required("groupProfile")
        accepted = try object.optional("accepted")
        business = try object.optional("business")
        groupSize = try object.optional("groupSize")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("fromMember", fromMember)
        object.add("fromMemberName", fromMemberName)
        object.add("invitedMember", invitedMember)
        object.add("groupProfile", groupProfile)
        object.add("accepted", accepted)
        object.add("business", business)
        object.add("groupSize", groupSize)
    }
}

/// The refusal of a request to join a group (`x.grp.link.reject`).
public struct GroupLinkRejection: Hashable, JSONConvertible {
    /// The member that sends this.
    public var fromMember: MemberIDRole
    /// The identifier and role that the receiver gets.
    public var invitedMember: MemberIDRole
    /// The profile of the group.
    public var groupProfile: GroupProfile
    /// Why it is refused.
    public var reason: GroupRejectionReason

    public init(
        fromMember: MemberIDRole, invitedMember: MemberIDRole, groupProfile: GroupProfile, reason: GroupRejectionReason
    ) {
        self.fromMember = fromMember
        self.invitedMember = invitedMember
        self.groupProfile = groupProfile
        self.reason = reason
    }

    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        fromMember = try object.required("fromMember")
        invitedMember = try object.required("invitedMember")
        groupProfile = try object.required("groupProfile")
        reason = try object.required("rejectionReason")
    }

    public var json: JSONValue {
        [
            "fromMember": fromMember.json, "invitedMember": invitedMember.json, "groupProfile": groupProfile.json,
            "rejectionReason": reason.json,
        ]
    }
}

/// The request of an owner to a relay to serve a channel (`x.grp.relay.inv`).
public struct GroupRelayInvitation: Hashable, JSONConvertible {
    /// The member that sends this.
    public var fromMember: MemberIDRole
    /// The profile of the owner.
    public var fromMemberProfile: Profile
    /// The identifier that the relay gets.
    public var relayMemberID: MemberID
    /// The short link of the channel.
    public var groupLink: String

    public init(fromMember: MemberIDRole, fromMemberProfile: Profile, relayMemberID: MemberID, groupLink: String) {
        self.fromMember = fromMember
        self.fromMemberProfile = fromMemberProfile
        self.relayMemberID = relayMemberID
        self.groupLink = groupLink
    }

    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        fromMember = try object.required("fromMember")
        fromMemberProfile = try object.required("fromMemberProfile")
        relayMemberID = try object.required("relayMemberId")
        groupLink = try object.required("groupLink")
    }

    public var json: JSONValue {
        [
            "fromMember": fromMember.json, "fromMemberProfile": fromMemberProfile.json,
            "relayMemberId": relayMemberID.json, "groupLink": .string(groupLink),
        ]
    }
}

/// A member as others are told of it.
public struct MemberInfo: Hashable, JSONObjectConvertible {
    /// Which member.
    public var memberID: MemberID
    /// What the member may do.
    public var role: GroupMemberRole
    /// The chat versions that the member supports.
    public var versions: VersionRange?
    /// The profile of the member.
    public var profile: Profile
    /// The key with which the member signs.
    public var key: Ed25519.PublicKey?

    public init(
        memberID: MemberID, role: GroupMemberRole, versions: VersionRange? = nil, profile: Profile, key: Ed25519.PublicKey? = nil
    ) {
        self.memberID = memberID
        self.role = role
        self.versions = versions
        self.profile = profile
        self.key = key
    }

    public init(object: JSONObject) throws(JSONError) {
        memberID = try object.required("memberId")
        role = try object.required("memberRole")
        versions = try object.optional("v")
        profile = try object.required("profile")
        key = try object.optional("memberKey")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("memberId", memberID)
        object.add("memberRole", role)
        object.add("v", versions)
        object.add("profile", profile)
        object.add("memberKey", key)
    }
}

/// What a member is restricted in, for all members.
public struct MemberRestrictions: Hashable, JSONConvertible {
    /// What holds for the member.
    public var restriction: MemberRestrictionStatus

    public init(restriction: MemberRestrictionStatus) { self.restriction = restriction }

    public init(json: JSONValue) throws(JSONError) { restriction = try JSONObject(json: json).required("restriction") }

    public var json: JSONValue { ["restriction": restriction.json] }
}

/// The links by which an introduced member is connected to (`x.grp.mem.inv`, `x.grp.mem.fwd`).
public struct IntroInvitation: Hashable, JSONObjectConvertible {
    /// An invitation link for the connection of the group.
    public var groupConnectionRequest: String
    /// An invitation link for a contact, of clients before version 2.
    public var directConnectionRequest: String?

    public init(groupConnectionRequest: String, directConnectionRequest: String? = nil) {
        self.groupConnectionRequest = groupConnectionRequest
        self.directConnectionRequest = directConnectionRequest
    }

    public init(object: JSONObject) throws(JSONError) {
        groupConnectionRequest = try object.required("groupConnReq")
        directConnectionRequest = try object.optional("directConnReq")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("groupConnReq", groupConnectionRequest)
        object.add("directConnReq", directConnectionRequest)
    }
}
