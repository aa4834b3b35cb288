public import ChatProtocol

/// A profile as stored: what its owner published, and the alias given to it here.
public struct LocalProfile: JSONObjectConvertible, Hashable {
    /// Database id of the profile.
    public var profileID: ProfileID
    /// Short name.
    public var displayName: String
    /// Full name; may be empty.
    public var fullName: String
    /// One line about the owner.
    public var shortDescription: String?
    /// Small picture as a data URI.
    public var image: ImageData?
    /// Address where the owner can be reached.
    public var contactLink: String?
    /// What the owner allows in chats.
    public var preferences: ChatPreferences?
    /// Whether a person or a bot is behind it.
    public var peerType: ChatPeerType?
    /// Name given locally; empty for none.
    public var localAlias: String

    /// Makes the value from its parts.
    public init(
        profileID: ProfileID, displayName: String, fullName: String = "", shortDescription: String? = nil,
        image: ImageData? = nil, contactLink: String? = nil, preferences: ChatPreferences? = nil, peerType: ChatPeerType? = nil,
        localAlias: String = ""
    ) {
        self.profileID = profileID
        self.displayName = displayName
        self.fullName = fullName
        self.shortDescription = shortDescription
        self.image = image
        self.contactLink = contactLink
        self.preferences = preferences
        self.peerType = peerType
        self.localAlias = localAlias
    }
}

extension LocalProfile {
    public init(object: JSONObject) throws(JSONError) {
        profileID = try object.required("profileId")
        displayName = try object.required("displayName")
        fullName = try object.optional("fullName") ?? ""
        shortDescription = try object.optional("shortDescr")
        image = try object.optional("image")
        contactLink = try object.optional("contactLink")
        preferences = try object.optional("preferences")
        peerType = try object.optional("peerType")
        localAlias = try object.optional("localAlias") ?? ""
    }

    public func write(into object: inout JSONObjectWriter) {
        object["profileId"] = profileID
        object["displayName"] = displayName
        object["fullName"] = fullName
        object["shortDescr"] = shortDescription
        object["image"] = image
        object["contactLink"] = contactLink
        object["preferences"] = preferences
        object["peerType"] = peerType
        object["localAlias"] = localAlias
    }
}
