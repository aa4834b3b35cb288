public import ChatProtocol

/// A connection that has no contact yet: a link that was made or used.
@JSONMembers
public struct PendingContactConnection: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    @JSONName("pccConnId") public var connectionID: ChatConnectionID
    /// Id of the connection in the agent, base64url.
    @JSONName("pccAgentConnId") public var agentConnectionID: String
    /// Its progress.
    @JSONName("pccConnStatus") public var status: ConnectionStatus
    /// True if an address was used, not an invitation.
    @JSONName("viaContactUri") public var viaContactURI: Bool = false
    /// Own address that it came by.
    public var viaUserContactLink: UserContactLinkID?
    /// Group link that it came by.
    public var groupLinkID: GroupLinkID?
    /// Incognito profile shown on it.
    public var customUserProfileID: ProfileID?
    /// The link, when this side made it.
    @JSONName("connLinkInv") public var invitationLink: CreatedConnectionLink?
    /// Name given locally.
    public var localAlias: String = ""
    /// When it was made.
    public var createdAt: UTCTimestamp
    /// When it last changed.
    public var updatedAt: UTCTimestamp

    /// Equal to `connectionID`.
    public var id: ChatConnectionID { connectionID }
}

/// A connection link in its full and, where there is one, its short form.
@JSONMembers
public struct CreatedConnectionLink: JSONObjectConvertible, Hashable {
    /// Full link.
    @JSONName("connFullLink") public var fullLink: String
    /// Short link.
    @JSONName("connShortLink") public var shortLink: String?
}

/// The kind of a link.
public struct ConnectionLinkMode: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// One-time invitation.
    public static let invitation = ConnectionLinkMode(rawValue: "inv")
    /// Address that can be used many times.
    public static let contact = ConnectionLinkMode(rawValue: "con")

    /// The words that this version knows.
    public static let allCases: [ConnectionLinkMode] = [.invitation, .contact]
}
