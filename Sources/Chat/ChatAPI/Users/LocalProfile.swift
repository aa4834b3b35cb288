public import ChatProtocol

/// A profile as stored: what its owner published, and the alias given to it here.
@JSONMembers
public struct LocalProfile: JSONObjectConvertible, Hashable {
    /// Database id of the profile.
    public var profileID: ProfileID
    /// Short name.
    public var displayName: String
    /// Full name; may be empty.
    public var fullName: String = ""
    /// One line about the owner.
    @JSONName("shortDescr") public var shortDescription: String?
    /// Small picture as a data URI.
    public var image: ImageData?
    /// Address where the owner can be reached.
    public var contactLink: String?
    /// What the owner allows in chats.
    public var preferences: ChatPreferences?
    /// Whether a person or a bot is behind it.
    public var peerType: ChatPeerType?
    /// Name given locally; empty for none.
    public var localAlias: String = ""
}
