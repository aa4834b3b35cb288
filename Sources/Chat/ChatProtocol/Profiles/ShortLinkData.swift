/// The data of a contact address or invitation about its owner, before anyone connects: the user data of its short link.
@JSONMembers
public struct ContactShortLinkData: Hashable, ExtensibleObject {
    /// The profile of the owner of the address.
    public var profile: Profile
    /// The welcome message.
    public var message: MessageContent?
    /// True if requests make business chats.
    @JSONRequired public var business: Bool = false
}

/// Facts about a public group that change without its owner signing them.
@JSONMembers
public struct PublicGroupData: Hashable, ExtensibleObject {
    /// Members, as far as the public may know.
    public var publicMemberCount: Int64
}

/// The data of a group link about the group: the user data of its short link.
@JSONMembers
public struct GroupShortLinkData: Hashable, ExtensibleObject {
    /// The profile of the group.
    public var groupProfile: GroupProfile
    /// Set for public groups.
    public var publicGroupData: PublicGroupData?
}

/// The data of the link of a relay to one channel: the user data of its short link.
@JSONMembers
public struct RelayShortLinkData: Hashable, ExtensibleObject {
    /// The profile of the relay.
    public var relayProfile: Profile
}

/// A relay as its address and the lists of relays show it.
@JSONMembers
public struct RelayProfile: Hashable, ExtensibleObject {
    /// The name of the relay.
    public var displayName: String
    /// A longer name, usually empty.
    @JSONRequired public var fullName: String = ""
    /// A line about the relay.
    @JSONName("shortDescr") public var shortDescription: String?
    /// The picture of the relay.
    public var image: ImageData?
}

/// The data of the address of a relay: the user data of its short link.
@JSONMembers
public struct RelayAddressLinkData: Hashable, ExtensibleObject {
    /// The profile of the relay.
    public var relayProfile: RelayProfile
}

/// The client data in the full link of a group, by which clients tell it from a contact address.
@JSONMembers
public struct GroupLinkClientData: Hashable, ExtensibleObject {
    /// The same in all links of the group.
    public var groupLinkID: GroupLinkID
}
