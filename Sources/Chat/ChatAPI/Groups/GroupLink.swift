public import ChatProtocol

/// The link of a group.
public struct GroupLink: JSONObjectConvertible, Hashable {
    /// Database id.
    public var userContactLinkID: Int64
    /// The link.
    public var connectionLink: CreatedConnectionLink
    /// Whether the short link carries the group's profile.
    public var shortLinkDataSet: Bool
    /// Whether it carries the profile with its picture.
    public var shortLinkLargeDataSet: Bool
    /// Random id.
    public var groupLinkID: GroupLinkID
    /// Role of those who join by it.
    public var acceptMemberRole: GroupMemberRole

    /// Makes the value from its parts.
    public init(
        userContactLinkID: Int64, connectionLink: CreatedConnectionLink, shortLinkDataSet: Bool = false,
        shortLinkLargeDataSet: Bool = false, groupLinkID: GroupLinkID, acceptMemberRole: GroupMemberRole
    ) {
        self.userContactLinkID = userContactLinkID
        self.connectionLink = connectionLink
        self.shortLinkDataSet = shortLinkDataSet
        self.shortLinkLargeDataSet = shortLinkLargeDataSet
        self.groupLinkID = groupLinkID
        self.acceptMemberRole = acceptMemberRole
    }
}

extension GroupLink {
    public init(object: JSONObject) throws(JSONError) {
        userContactLinkID = try object.required("userContactLinkId")
        connectionLink = try object.required("connLinkContact")
        shortLinkDataSet = try object.optional("shortLinkDataSet") ?? false
        shortLinkLargeDataSet = try object.optional("shortLinkLargeDataSet") ?? false
        groupLinkID = try object.required("groupLinkId")
        acceptMemberRole = try object.required("acceptMemberRole")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["userContactLinkId"] = userContactLinkID
        object["connLinkContact"] = connectionLink
        object["shortLinkDataSet"] = shortLinkDataSet
        object["shortLinkLargeDataSet"] = shortLinkLargeDataSet
        object["groupLinkId"] = groupLinkID
        object["acceptMemberRole"] = acceptMemberRole
    }
}

/// How far a relay of a channel is.
public struct RelayStatus: OpenEnumeration {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Added.
    public static let new = RelayStatus(rawValue: "new")
    /// Invited.
    public static let invited = RelayStatus(rawValue: "invited")
    /// Has accepted.
    public static let accepted = RelayStatus(rawValue: "accepted")
    /// Has the list of owners.
    public static let acknowledgedRoster = RelayStatus(rawValue: "acknowledgedRoster")
    /// At work.
    public static let active = RelayStatus(rawValue: "active")
    /// Does not work any more.
    public static let inactive = RelayStatus(rawValue: "inactive")
    /// Has refused.
    public static let rejected = RelayStatus(rawValue: "rejected")

    /// The words that this version knows.
    public static let allCases: [RelayStatus] = [.new, .invited, .accepted, .acknowledgedRoster, .active, .inactive, .rejected]
}

/// A relay of a channel, seen by its owner.
public struct GroupRelay: JSONObjectConvertible, Hashable {
    /// Database id.
    public var groupRelayID: Int64
    /// The member that it is.
    public var groupMemberID: GroupMemberID
    /// The relay as configured.
    public var userChatRelay: UserChatRelay
    /// How far it is.
    public var status: RelayStatus
    /// Link by which subscribers join.
    public var relayLink: String?

    /// Makes the value from its parts.
    public init(
        groupRelayID: Int64, groupMemberID: GroupMemberID, userChatRelay: UserChatRelay, status: RelayStatus,
        relayLink: String? = nil
    ) {
        self.groupRelayID = groupRelayID
        self.groupMemberID = groupMemberID
        self.userChatRelay = userChatRelay
        self.status = status
        self.relayLink = relayLink
    }
}

extension GroupRelay {
    public init(object: JSONObject) throws(JSONError) {
        groupRelayID = try object.required("groupRelayId")
        groupMemberID = try object.required("groupMemberId")
        userChatRelay = try object.required("userChatRelay")
        status = try object.required("relayStatus")
        relayLink = try object.optional("relayLink")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["groupRelayId"] = groupRelayID
        object["groupMemberId"] = groupMemberID
        object["userChatRelay"] = userChatRelay
        object["relayStatus"] = status
        object["relayLink"] = relayLink
    }
}

/// A relay that a profile can use for its channels.
public struct UserChatRelay: JSONObjectConvertible, Hashable {
    /// Database id; absent before it is stored.
    public var chatRelayID: Int64?
    /// Its address.
    public var address: String
    /// Its profile.
    public var relayProfile: RelayProfile
    /// Domains it serves.
    public var domains: [String]
    /// Whether it came with the app.
    public var preset: Bool
    /// Outcome of its last test.
    public var tested: Bool?
    /// Whether it is used.
    public var enabled: Bool
    /// Whether it was deleted.
    public var deleted: Bool

    /// Makes the value from its parts.
    public init(
        chatRelayID: Int64? = nil, address: String, relayProfile: RelayProfile, domains: [String], preset: Bool,
        tested: Bool? = nil, enabled: Bool, deleted: Bool
    ) {
        self.chatRelayID = chatRelayID
        self.address = address
        self.relayProfile = relayProfile
        self.domains = domains
        self.preset = preset
        self.tested = tested
        self.enabled = enabled
        self.deleted = deleted
    }
}

extension UserChatRelay {
    public init(object: JSONObject) throws(JSONError) {
        chatRelayID = try object.optional("chatRelayId")
        address = try object.required("address")
        relayProfile = try object.required("relayProfile")
        domains = try object.required("domains")
        preset = try object.required("preset")
        tested = try object.optional("tested")
        enabled = try object.required("enabled")
        deleted = try object.required("deleted")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["chatRelayId"] = chatRelayID
        object["address"] = address
        object["relayProfile"] = relayProfile
        object["domains"] = domains
        object["preset"] = preset
        object["tested"] = tested
        object["enabled"] = enabled
        object["deleted"] = deleted
    }
}

/// Profile of a relay.
public struct RelayProfile: JSONObjectConvertible, Hashable {
    /// Short name.
    public var displayName: String
    /// Full name.
    public var fullName: String?
    /// One line about it.
    public var shortDescription: String?
    /// Picture.
    public var image: ImageData?

    /// Makes the value from its parts.
    public init(displayName: String, fullName: String? = nil, shortDescription: String? = nil, image: ImageData? = nil) {
        self.displayName = displayName
        self.fullName = fullName
        self.shortDescription = shortDescription
        self.image = image
    }
}

extension RelayProfile {
    public init(object: JSONObject) throws(JSONError) {
        displayName = try object.required("displayName")
        fullName = try object.optional("fullName")
        shortDescription = try object.optional("shortDescr")
        image = try object.optional("image")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["displayName"] = displayName
        object["fullName"] = fullName
        object["shortDescr"] = shortDescription
        object["image"] = image
    }
}

/// Outcome of adding a relay to a channel.
public struct AddRelayResult: JSONObjectConvertible, Hashable {
    /// The relay.
    public var relay: UserChatRelay
    /// What went wrong.
    public var error: ChatError?

    /// Makes the value from its parts.
    public init(relay: UserChatRelay, error: ChatError? = nil) {
        self.relay = relay
        self.error = error
    }
}

extension AddRelayResult {
    public init(object: JSONObject) throws(JSONError) {
        relay = try object.required("relay")
        error = try object.optional("relayError")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["relay"] = relay
        object["relayError"] = error
    }
}

/// Outcome of joining a channel by a relay.
public struct RelayConnectionResult: JSONObjectConvertible, Hashable {
    /// The relay.
    public var relayMember: GroupMember
    /// What went wrong.
    public var error: ChatError?

    /// Makes the value from its parts.
    public init(relayMember: GroupMember, error: ChatError? = nil) {
        self.relayMember = relayMember
        self.error = error
    }
}

extension RelayConnectionResult {
    public init(object: JSONObject) throws(JSONError) {
        relayMember = try object.required("relayMember")
        error = try object.optional("relayError")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["relayMember"] = relayMember
        object["relayError"] = error
    }
}

/// Why a relay failed its test.
public struct RelayTestFailure: JSONObjectConvertible, Hashable {
    /// Step that failed.
    public var step: String
    /// What went wrong.
    public var error: ChatError

    /// Makes the value from its parts.
    public init(step: String, error: ChatError) {
        self.step = step
        self.error = error
    }
}

extension RelayTestFailure {
    public init(object: JSONObject) throws(JSONError) {
        step = try object.required("rtfStep")
        error = try object.required("rtfError")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["rtfStep"] = step
        object["rtfError"] = error
    }
}
