public import ChatProtocol

/// A profile as stored: what its owner published, and the alias given to it here.
@JSONMembers
public struct LocalProfile: ExtensibleObject, Hashable {
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
    /// The owner's preferences for chats.
    public var preferences: ChatPreferences?
    /// The kind of peer: a person or a bot.
    public var peerType: ChatPeerType?
    /// Name given locally; empty for none.
    public var localAlias: String = ""
    /// The badge of the profile. A peer that writes one into its profile itself writes for nothing.
    @JSONSince(.v70) public var localBadge: LocalBadge?
    /// True if the domain of the profile was found to be its own, false if not; nil if nobody has looked.
    @JSONSince(.v70) @JSONName("contactDomainVerified") public var isDomainVerified: Bool?
}
