public import ChatProtocol

/// The address of a profile.
public struct UserContactLink: JSONObjectConvertible, Hashable {
    /// Database id.
    public var userContactLinkID: Int64
    /// The address.
    public var connectionLink: CreatedConnectionLink
    /// Whether the short link carries the profile.
    public var shortLinkDataSet: Bool
    /// Whether it carries the profile with its picture.
    public var shortLinkLargeDataSet: Bool
    /// How requests are treated.
    public var addressSettings: AddressSettings

    /// Makes the value from its parts.
    public init(
        userContactLinkID: Int64, connectionLink: CreatedConnectionLink, shortLinkDataSet: Bool = false,
        shortLinkLargeDataSet: Bool = false, addressSettings: AddressSettings
    ) {
        self.userContactLinkID = userContactLinkID
        self.connectionLink = connectionLink
        self.shortLinkDataSet = shortLinkDataSet
        self.shortLinkLargeDataSet = shortLinkLargeDataSet
        self.addressSettings = addressSettings
    }
}

extension UserContactLink {
    public init(object: JSONObject) throws(JSONError) {
        userContactLinkID = try object.required("userContactLinkId")
        connectionLink = try object.required("connLinkContact")
        shortLinkDataSet = try object.optional("shortLinkDataSet") ?? false
        shortLinkLargeDataSet = try object.optional("shortLinkLargeDataSet") ?? false
        addressSettings = try object.required("addressSettings")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["userContactLinkId"] = userContactLinkID
        object["connLinkContact"] = connectionLink
        object["shortLinkDataSet"] = shortLinkDataSet
        object["shortLinkLargeDataSet"] = shortLinkLargeDataSet
        object["addressSettings"] = addressSettings
    }
}

/// How requests to an address are treated.
public struct AddressSettings: JSONObjectConvertible, Hashable {
    /// Whether each request opens a group with the business.
    public var isBusinessAddress: Bool
    /// Set when requests are accepted unasked.
    public var autoAccept: AutoAccept?
    /// Message sent to everybody who connects.
    public var autoReply: MessageContent?

    /// Makes the value from its parts.
    public init(isBusinessAddress: Bool, autoAccept: AutoAccept? = nil, autoReply: MessageContent? = nil) {
        self.isBusinessAddress = isBusinessAddress
        self.autoAccept = autoAccept
        self.autoReply = autoReply
    }
}

extension AddressSettings {
    public init(object: JSONObject) throws(JSONError) {
        isBusinessAddress = try object.required("businessAddress")
        autoAccept = try object.optional("autoAccept")
        autoReply = try object.optional("autoReply")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["businessAddress"] = isBusinessAddress
        object["autoAccept"] = autoAccept
        object["autoReply"] = autoReply
    }
}

/// How requests are accepted unasked.
public struct AutoAccept: JSONObjectConvertible, Hashable {
    /// Whether with a random profile.
    public var acceptIncognito: Bool

    /// Makes the value from its parts.
    public init(acceptIncognito: Bool) {
        self.acceptIncognito = acceptIncognito
    }
}

extension AutoAccept {
    public init(object: JSONObject) throws(JSONError) {
        acceptIncognito = try object.required("acceptIncognito")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["acceptIncognito"] = acceptIncognito
    }
}
