public import ChatProtocol

/// The address of a profile.
@JSONMembers
public struct UserContactLink: JSONObjectConvertible, Hashable {
    /// Database id.
    public var userContactLinkID: UserContactLinkID
    /// The address.
    @JSONName("connLinkContact") public var connectionLink: CreatedConnectionLink
    /// True if the short link carries the profile.
    public var shortLinkDataSet: Bool = false
    /// True if it carries the profile with its picture.
    public var shortLinkLargeDataSet: Bool = false
    /// How requests are treated.
    public var addressSettings: AddressSettings
}

/// How requests to an address are treated.
@JSONMembers
public struct AddressSettings: JSONObjectConvertible, Hashable {
    /// True if each request opens a group with the business.
    @JSONName("businessAddress") public var isBusinessAddress: Bool
    /// Set when requests are accepted unasked.
    public var autoAccept: AutoAccept?
    /// Message sent to everybody who connects.
    public var autoReply: MessageContent?
}

/// How requests are accepted unasked.
@JSONMembers
public struct AutoAccept: JSONObjectConvertible, Hashable {
    /// True if they are accepted with a random profile.
    public var acceptIncognito: Bool
}
