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
    /// The treatment of requests.
    public var addressSettings: AddressSettings
}

/// The treatment of requests to an address.
@JSONMembers
public struct AddressSettings: JSONObjectConvertible, Hashable {
    /// True if each request opens a group with the business.
    @JSONName("businessAddress") public var isBusinessAddress: Bool
    /// Set when requests are accepted unasked.
    public var autoAccept: AutoAccept?
    /// Message sent to everybody who connects.
    public var autoReply: MessageContent?
}

/// The automatic acceptance of requests.
@JSONMembers
public struct AutoAccept: JSONObjectConvertible, Hashable {
    /// True if they are accepted with a random profile.
    public var acceptIncognito: Bool
}
