/// What a contact address or invitation says of its owner, before anyone connects: the user data of its short link.
public struct ContactShortLinkData: Hashable, JSONObjectConvertible {
    /// The profile of the one who has the address.
    public var profile: Profile
    /// The welcome message.
    public var message: MessageContent?
    /// Whether requests make business chats.
    public var business: Bool

    public init(profile: Profile, message: MessageContent? = nil, business: Bool = false) {
        self.profile = profile
        self.message = message
        self.business = business
    }

    public init(object: JSONObject) throws(JSONError) {
        profile = try object.required("profile")
        message = try object.optional("message")
        business = try object.required("business")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("profile", profile)
        object.add("message", message)
        object.add("business", business)
    }
}

/// Facts about a public group that change without its owner signing them.
public struct PublicGroupData: Hashable, JSONConvertible {
    /// Members, as far as the public may know.
    public var publicMemberCount: Int64

    public init(publicMemberCount: Int64) { self.publicMemberCount = publicMemberCount }

    public init(json: JSONValue) throws(JSONError) { publicMemberCount = try JSONObject(json: json).required("publicMemberCount") }

    public var json: JSONValue { ["publicMemberCount": .int(publicMemberCount)] }
}

/// What a group link says of the group: the user data of its short link.
public struct GroupShortLinkData: Hashable, JSONObjectConvertible {
    /// The profile of the group.
    public var groupProfile: GroupProfile
    /// Set for public groups.
    public var publicGroupData: PublicGroupData?

    public init(groupProfile: GroupProfile, publicGroupData: PublicGroupData? = nil) {
        self.groupProfile = groupProfile
        self.publicGroupData = publicGroupData
    }

    public init(object: JSONObject) throws(JSONError) {
        groupProfile = try object.required("groupProfile")
        publicGroupData = try object.optional("publicGroupData")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("groupProfile", groupProfile)
        object.add("publicGroupData", publicGroupData)
    }
}

/// What the link of a relay to one channel says: the user data of its short link.
public struct RelayShortLinkData: Hashable, JSONConvertible {
    /// The profile of the relay.
    public var relayProfile: Profile

    public init(relayProfile: Profile) { self.relayProfile = relayProfile }

    public init(json: JSONValue) throws(JSONError) { relayProfile = try JSONObject(json: json).required("relayProfile") }

    public var json: JSONValue { ["relayProfile": relayProfile.json] }
}

/// A relay as its address and the lists of relays show it.
public struct RelayProfile: Hashable, JSONObjectConvertible {
    /// The name of the relay.
    public var displayName: String
    /// A longer name, usually empty.
    public var fullName: String
    /// What people are told of the relay.
    public var shortDescription: String?
    /// The picture of the relay.
    public var image: ImageData?

    public init(displayName: String, fullName: String = "", shortDescription: String? = nil, image: ImageData? = nil) {
        self.displayName = displayName
        self.fullName = fullName
        self.shortDescription = shortDescription
        self.image = image
    }

    public init(object: JSONObject) throws(JSONError) {
        displayName = try object.required("displayName")
        fullName = try object.required("fullName")
        shortDescription = try object.optional("shortDescr")
        image = try object.optional("image")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("displayName", displayName)
        object.add("fullName", fullName)
        object.add("shortDescr", shortDescription)
        object.add("image", image)
    }
}

/// What the address of a relay says of it: the user data of its short link.
public struct RelayAddressLinkData: Hashable, JSONConvertible {
    /// The profile of the relay.
    public var relayProfile: RelayProfile

    public init(relayProfile: RelayProfile) { self.relayProfile = relayProfile }

    public init(json: JSONValue) throws(JSONError) { relayProfile = try JSONObject(json: json).required("relayProfile") }

    public var json: JSONValue { ["relayProfile": relayProfile.json] }
}

/// The client data in the full link of a group, by which clients tell it from a contact address.
public struct GroupLinkClientData: Hashable, JSONConvertible {
    /// The same in all links of the group.
    public var groupLinkID: GroupLinkID

    public init(groupLinkID: GroupLinkID) { self.groupLinkID = groupLinkID }

    public init(json: JSONValue) throws(JSONError) {
        groupLinkID = try JSONObject(json: json).required("groupLinkId")
    }

    public var json: JSONValue { ["groupLinkId": groupLinkID.json] }
}
