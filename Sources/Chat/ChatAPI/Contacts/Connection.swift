public import ChatProtocol

/// A duplex connection with a contact or a group member.
public struct Connection: JSONObjectConvertible, Hashable {
    /// Database id.
    public var connectionID: Int64
    /// Id of the connection in the agent, base64url.
    public var agentConnectionID: String
    /// Chat protocol version that both sides speak.
    public var chatVersion: Int
    /// Chat protocol versions that the other side speaks.
    public var peerChatVersions: ChatVersionRange
    /// 0 for a direct connection, more for one made through others.
    public var level: Int
    /// Contact that introduced this one.
    public var viaContact: ContactID?
    /// Own address that the connection came by.
    public var viaUserContactLink: Int64?
    /// Whether it came by a group link.
    public var viaGroupLink: Bool
    /// Which group link.
    public var groupLinkID: GroupLinkID?
    /// Random id that marks repeated requests of the same person.
    public var contactRequestTag: ContactRequestID?
    /// Incognito profile shown on this connection.
    public var customUserProfileID: ProfileID?
    /// What the connection serves.
    public var type: ConnectionType
    /// How far the handshake is.
    public var status: ConnectionStatus
    /// Whether this side made the link.
    public var contactConnectionInitiated: Bool
    /// Name given locally.
    public var localAlias: String
    /// Database id of the contact or member that the connection belongs to.
    public var entityID: Int64?
    /// Code that was compared with the other side.
    public var connectionCode: ConfirmedSecurityCode?
    /// Whether post-quantum encryption can be used.
    public var pqSupport: Bool
    /// Whether it should be used.
    public var pqEncryption: Bool
    /// Whether the last sent message used it.
    public var pqSendEnabled: Bool?
    /// Whether the last received message used it.
    public var pqReceiveEnabled: Bool?
    /// Failed deliveries because the queue is gone; the connection is disabled at 10.
    public var authErrorCounter: Int
    /// Failed deliveries because the queue is full; the connection is inactive at 5.
    public var quotaErrorCounter: Int
    /// When the connection was made.
    public var createdAt: UTCTimestamp

    /// Makes the value from its parts.
    public init(
        connectionID: Int64, agentConnectionID: String, chatVersion: Int, peerChatVersions: ChatVersionRange, level: Int,
        viaContact: ContactID? = nil, viaUserContactLink: Int64? = nil, viaGroupLink: Bool = false,
        groupLinkID: GroupLinkID? = nil, contactRequestTag: ContactRequestID? = nil, customUserProfileID: ProfileID? = nil,
        type: ConnectionType, status: ConnectionStatus, contactConnectionInitiated: Bool = false, localAlias: String = "",
        entityID: Int64? = nil, connectionCode: ConfirmedSecurityCode? = nil, pqSupport: Bool = false,
        pqEncryption: Bool = false, pqSendEnabled: Bool? = nil, pqReceiveEnabled: Bool? = nil, authErrorCounter: Int = 0,
        quotaErrorCounter: Int = 0, createdAt: UTCTimestamp
    ) {
        self.connectionID = connectionID
        self.agentConnectionID = agentConnectionID
        self.chatVersion = chatVersion
        self.peerChatVersions = peerChatVersions
        self.level = level
        self.viaContact = viaContact
        self.viaUserContactLink = viaUserContactLink
        self.viaGroupLink = viaGroupLink
        self.groupLinkID = groupLinkID
        self.contactRequestTag = contactRequestTag
        self.customUserProfileID = customUserProfileID
        self.type = type
        self.status = status
        self.contactConnectionInitiated = contactConnectionInitiated
        self.localAlias = localAlias
        self.entityID = entityID
        self.connectionCode = connectionCode
        self.pqSupport = pqSupport
        self.pqEncryption = pqEncryption
        self.pqSendEnabled = pqSendEnabled
        self.pqReceiveEnabled = pqReceiveEnabled
        self.authErrorCounter = authErrorCounter
        self.quotaErrorCounter = quotaErrorCounter
        self.createdAt = createdAt
    }
}

extension Connection {
    public init(object: JSONObject) throws(JSONError) {
        connectionID = try object.required("connId")
        agentConnectionID = try object.required("agentConnId")
        chatVersion = try object.required("connChatVersion")
        peerChatVersions = try object.required("peerChatVRange")
        level = try object.required("connLevel")
        viaContact = try object.optional("viaContact")
        viaUserContactLink = try object.optional("viaUserContactLink")
        viaGroupLink = try object.optional("viaGroupLink") ?? false
        groupLinkID = try object.optional("groupLinkId")
        contactRequestTag = try object.optional("xContactId")
        customUserProfileID = try object.optional("customUserProfileId")
        type = try object.required("connType")
        status = try object.required("connStatus")
        contactConnectionInitiated = try object.optional("contactConnInitiated") ?? false
        localAlias = try object.optional("localAlias") ?? ""
        entityID = try object.optional("entityId")
        connectionCode = try object.optional("connectionCode")
        pqSupport = try object.optional("pqSupport") ?? false
        pqEncryption = try object.optional("pqEncryption") ?? false
        pqSendEnabled = try object.optional("pqSndEnabled")
        pqReceiveEnabled = try object.optional("pqRcvEnabled")
        authErrorCounter = try object.optional("authErrCounter") ?? 0
        quotaErrorCounter = try object.optional("quotaErrCounter") ?? 0
        createdAt = try object.required("createdAt")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["connId"] = connectionID
        object["agentConnId"] = agentConnectionID
        object["connChatVersion"] = chatVersion
        object["peerChatVRange"] = peerChatVersions
        object["connLevel"] = level
        object["viaContact"] = viaContact
        object["viaUserContactLink"] = viaUserContactLink
        object["viaGroupLink"] = viaGroupLink
        object["groupLinkId"] = groupLinkID
        object["xContactId"] = contactRequestTag
        object["customUserProfileId"] = customUserProfileID
        object["connType"] = type
        object["connStatus"] = status
        object["contactConnInitiated"] = contactConnectionInitiated
        object["localAlias"] = localAlias
        object["entityId"] = entityID
        object["connectionCode"] = connectionCode
        object["pqSupport"] = pqSupport
        object["pqEncryption"] = pqEncryption
        object["pqSndEnabled"] = pqSendEnabled
        object["pqRcvEnabled"] = pqReceiveEnabled
        object["authErrCounter"] = authErrorCounter
        object["quotaErrCounter"] = quotaErrorCounter
        object["createdAt"] = createdAt
    }
}

/// A range of versions.
public struct ChatVersionRange: JSONObjectConvertible, Hashable {
    /// The lowest.
    public var minVersion: Int
    /// The highest.
    public var maxVersion: Int

    /// Makes the value from its parts.
    public init(minVersion: Int, maxVersion: Int) {
        self.minVersion = minVersion
        self.maxVersion = maxVersion
    }
}

extension ChatVersionRange {
    public init(object: JSONObject) throws(JSONError) {
        minVersion = try object.required("minVersion")
        maxVersion = try object.required("maxVersion")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["minVersion"] = minVersion
        object["maxVersion"] = maxVersion
    }
}

/// A security code that was confirmed.
public struct ConfirmedSecurityCode: JSONObjectConvertible, Hashable {
    /// Digits in groups of five.
    public var securityCode: String
    /// When it was confirmed.
    public var verifiedAt: UTCTimestamp

    /// Makes the value from its parts.
    public init(securityCode: String, verifiedAt: UTCTimestamp) {
        self.securityCode = securityCode
        self.verifiedAt = verifiedAt
    }
}

extension ConfirmedSecurityCode {
    public init(object: JSONObject) throws(JSONError) {
        securityCode = try object.required("securityCode")
        verifiedAt = try object.required("verifiedAt")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["securityCode"] = securityCode
        object["verifiedAt"] = verifiedAt
    }
}

/// What a connection serves.
public struct ConnectionType: OpenEnumeration {
    public let rawValue: String

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

/// How far the handshake of a connection is.
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
    case sendReady
    /// Both directions work.
    case ready
    /// Deleted.
    case deleted
    /// The handshake ended in an error.
    case failed(connectionError: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ConnectionStatus {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "new": self = .new
        case "prepared": self = .prepared
        case "joined": self = .joined
        case "requested": self = .requested
        case "accepted": self = .accepted
        case "sndReady": self = .sendReady
        case "ready": self = .ready
        case "deleted": self = .deleted
        case "failed": self = .failed(connectionError: try object.optional("connError") ?? "")
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .new: object.write("new")
        case .prepared: object.write("prepared")
        case .joined: object.write("joined")
        case .requested: object.write("requested")
        case .accepted: object.write("accepted")
        case .sendReady: object.write("sndReady")
        case .ready: object.write("ready")
        case .deleted: object.write("deleted")
        case .failed(let connectionError): object.write("failed", ["connError": connectionError])
        case .other(_, let json): object.replace(with: json)
        }
    }
}
