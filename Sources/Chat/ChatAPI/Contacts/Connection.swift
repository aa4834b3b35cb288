public import ChatProtocol

/// A duplex connection with a contact or a group member.
@JSONMembers
public struct Connection: JSONObjectConvertible, Hashable {
    /// Database id.
    @JSONName("connId") public var connectionID: ChatConnectionID
    /// Id of the connection in the agent, base64url.
    @JSONName("agentConnId") public var agentConnectionID: String
    /// Chat protocol version that both sides speak.
    @JSONName("connChatVersion") public var chatVersion: Int
    /// Chat protocol versions that the other side speaks.
    @JSONName("peerChatVRange") public var peerChatVersions: ChatVersionRange
    /// 0 for a direct connection, more for one made through others.
    @JSONName("connLevel") public var level: Int
    /// Contact that introduced this one.
    public var viaContact: ContactID?
    /// Own address that the connection came by.
    public var viaUserContactLink: UserContactLinkID?
    /// True if it came by a group link.
    public var viaGroupLink: Bool = false
    /// Which group link.
    public var groupLinkID: GroupLinkID?
    /// Random id that marks repeated requests of the same person.
    @JSONName("xContactId") public var contactRequestTag: ContactRequestID?
    /// Incognito profile shown on this connection.
    public var customUserProfileID: ProfileID?
    /// The use of the connection.
    @JSONName("connType") public var type: ConnectionType
    /// The progress of the handshake.
    @JSONName("connStatus") public var status: ConnectionStatus
    /// True if this side made the link.
    @JSONName("contactConnInitiated") public var contactConnectionInitiated: Bool = false
    /// Name given locally.
    public var localAlias: String = ""
    /// Database id of the contact or member that the connection belongs to.
    public var entityID: Int64?
    /// Code that was compared with the other side.
    public var connectionCode: ConfirmedSecurityCode?
    /// True if post-quantum encryption can be used.
    public var pqSupport: Bool = false
    /// True if it should be used.
    public var pqEncryption: Bool = false
    /// True if the last sent message used it.
    @JSONName("pqSndEnabled") public var pqSendEnabled: Bool?
    /// True if the last received message used it.
    @JSONName("pqRcvEnabled") public var pqReceiveEnabled: Bool?
    /// Failed deliveries because the queue is gone; the connection is disabled at 10.
    @JSONName("authErrCounter") public var authErrorCounter: Int = 0
    /// Failed deliveries because the queue is full; the connection is inactive at 5.
    @JSONName("quotaErrCounter") public var quotaErrorCounter: Int = 0
    /// When the connection was made.
    public var createdAt: UTCTimestamp
}

/// A range of versions.
@JSONMembers
public struct ChatVersionRange: JSONObjectConvertible, Hashable {
    /// The lowest.
    public var minVersion: Int
    /// The highest.
    public var maxVersion: Int
}

/// A security code that was confirmed.
@JSONMembers
public struct ConfirmedSecurityCode: JSONObjectConvertible, Hashable {
    /// Digits in groups of five.
    public var securityCode: String
    /// When it was confirmed.
    public var verifiedAt: UTCTimestamp
}

/// The use of a connection.
public struct ConnectionType: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A contact.
    public static let contact = ConnectionType(rawValue: "contact")
    /// A group member.
    public static let member = ConnectionType(rawValue: "member")
    /// The address of a profile, or a group link.
    public static let userContact = ConnectionType(rawValue: "user_contact")

    /// The words that this version knows.
    public static let allCases: [ConnectionType] = [.contact, .member, .userContact]
}

/// The progress of the handshake of a connection.
@JSONForms
public enum ConnectionStatus: JSONTagged, Hashable {
    /// A link was made and nobody has used it.
    case new
    /// Made from a link, not yet joined.
    case prepared
    /// Joined by a link; the other side has not answered.
    case joined
    /// The other side has used the link.
    case requested
    /// Their request was accepted.
    case accepted
    /// Messages can be sent; theirs may not arrive yet.
    @JSONName("sndReady") case sendReady
    /// Both directions work.
    case ready
    /// Deleted.
    case deleted
    /// The handshake ended in an error.
    @JSONName(["connectionError": "connError"])
    case failed(connectionError: String = "")
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}
