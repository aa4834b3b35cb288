public import ChatProtocol

/// A connection that has no contact yet: a link that was made or used.
public struct PendingContactConnection: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    public var connectionID: Int64
    /// Id of the connection in the agent, base64url.
    public var agentConnectionID: String
    /// How far it is.
    public var status: ConnectionStatus
    /// Whether an address was used, not an invitation.
    public var viaContactURI: Bool
    /// Own address that it came by.
    public var viaUserContactLink: Int64?
    /// Group link that it came by.
    public var groupLinkID: GroupLinkID?
    /// Incognito profile shown on it.
    public var customUserProfileID: ProfileID?
    /// The link, when this side made it.
    public var invitationLink: CreatedConnectionLink?
    /// Name given locally.
    public var localAlias: String
    /// When it was made.
    public var createdAt: UTCTimestamp
    /// When it last changed.
    public var updatedAt: UTCTimestamp

    /// Equal to `connectionID`.
    public var id: Int64 { connectionID }

    /// Makes the value from its parts.
    public init(
        connectionID: Int64, agentConnectionID: String, status: ConnectionStatus, viaContactURI: Bool = false,
        viaUserContactLink: Int64? = nil, groupLinkID: GroupLinkID? = nil, customUserProfileID: ProfileID? = nil,
        invitationLink: CreatedConnectionLink? = nil, localAlias: String = "", createdAt: UTCTimestamp, updatedAt: UTCTimestamp
    ) {
        self.connectionID = connectionID
        self.agentConnectionID = agentConnectionID
        self.status = status
        self.viaContactURI = viaContactURI
        self.viaUserContactLink = viaUserContactLink
        self.groupLinkID = groupLinkID
        self.customUserProfileID = customUserProfileID
        self.invitationLink = invitationLink
        self.localAlias = localAlias
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension PendingContactConnection {
    public init(object: JSONObject) throws(JSONError) {
        connectionID = try object.required("pccConnId")
        agentConnectionID = try object.required("pccAgentConnId")
        status = try object.required("pccConnStatus")
        viaContactURI = try object.optional("viaContactUri") ?? false
        viaUserContactLink = try object.optional("viaUserContactLink")
        groupLinkID = try object.optional("groupLinkId")
        customUserProfileID = try object.optional("customUserProfileId")
        invitationLink = try object.optional("connLinkInv")
        localAlias = try object.optional("localAlias") ?? ""
        createdAt = try object.required("createdAt")
        updatedAt = try object.required("updatedAt")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["pccConnId"] = connectionID
        object["pccAgentConnId"] = agentConnectionID
        object["pccConnStatus"] = status
        object["viaContactUri"] = viaContactURI
        object["viaUserContactLink"] = viaUserContactLink
        object["groupLinkId"] = groupLinkID
        object["customUserProfileId"] = customUserProfileID
        object["connLinkInv"] = invitationLink
        object["localAlias"] = localAlias
        object["createdAt"] = createdAt
        object["updatedAt"] = updatedAt
    }
}

/// A connection link in its full and, where there is one, its short form.
public struct CreatedConnectionLink: JSONObjectConvertible, Hashable {
    /// Full link.
    public var fullLink: String
    /// Short link.
    public var shortLink: String?

    /// Makes the value from its parts.
    public init(fullLink: String, shortLink: String? = nil) {
        self.fullLink = fullLink
        self.shortLink = shortLink
    }
}

extension CreatedConnectionLink {
    public init(object: JSONObject) throws(JSONError) {
        fullLink = try object.required("connFullLink")
        shortLink = try object.optional("connShortLink")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["connFullLink"] = fullLink
        object["connShortLink"] = shortLink
    }
}

/// What kind of link it is.
public struct ConnectionLinkMode: OpenEnumeration {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// One-time invitation.
    public static let invitation = ConnectionLinkMode(rawValue: "inv")
    /// Address that can be used many times.
    public static let contact = ConnectionLinkMode(rawValue: "con")

    /// The words that this version knows.
    public static let allCases: [ConnectionLinkMode] = [.invitation, .contact]
}
