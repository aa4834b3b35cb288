public import ChatProtocol

/// Somebody who asks to be a contact, by the address of a profile.
@JSONMembers
public struct UserContactRequest: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    public var contactRequestID: UserContactRequestID
    /// Id of the request in the agent, base64url.
    public var agentInvitationID: String
    /// Contact prepared for the request.
    @JSONName("contactId_") public var contactID: ContactID?
    /// Business chat prepared for the request.
    @JSONName("businessGroupId_") public var businessGroupID: GroupID?
    /// Address it came by.
    @JSONName("userContactLinkId_") public var userContactLinkID: UserContactLinkID?
    /// Chat protocol versions of the sender.
    @JSONName("cReqChatVRange") public var peerChatVersions: ChatVersionRange
    /// Name that is unique in the profile.
    public var localDisplayName: String
    /// Database id of the sender's profile.
    public var profileID: ProfileID
    /// The sender's profile.
    @JSONFlattened public var sender: ContactRequestSender
    /// When it first came.
    public var createdAt: UTCTimestamp
    /// When it last came.
    public var updatedAt: UTCTimestamp
    /// Random id that marks repeated requests of the same person.
    @JSONName("xContactId") public var contactRequestTag: ContactRequestID?
    /// True if the sender can use post-quantum encryption.
    public var pqSupport: Bool = false
    /// Shared id of the welcome message that the sender has seen.
    @JSONName("welcomeSharedMsgId") public var welcomeSharedMessageID: SharedMessageID?
    /// Shared id of the message that came with the request.
    @JSONName("requestSharedMsgId") public var requestSharedMessageID: SharedMessageID?

    /// Equal to `contactRequestID`.
    public var id: UserContactRequestID { contactRequestID }
    /// The sender's profile.
    public var profile: LocalProfile { sender.profile }
}

/// The sender of a contact request, in the member `profile` of the request. Programs of 6.5 get the profile as the sender published it; those of 7.0 also
/// get its database id and the alias.
public struct ContactRequestSender: JSONObjectConvertible, Hashable {
    /// The profile as stored.
    public var profile: LocalProfile

    /// Wraps a stored profile.
    public init(_ profile: LocalProfile) { self.profile = profile }

    /// Reads the profile out of a request.
    public init(object: JSONObject) throws(JSONError) {
        var members: JSONObject = try object.required("profile")
        if members["profileId"] == nil { members["profileId"] = object["profileId"] }
        profile = try LocalProfile(object: members)
    }

    /// Adds the profile to a request.
    public func write(into object: inout JSONObjectWriter) {
        guard object.version < .v70Beta else { return object.add("profile", profile) }
        let members = profile.json.objectValue?.members.filter { !["profileId", "localAlias"].contains($0.key) } ?? []
        object.add("profile", JSONObject(members.map { ($0.key, $0.value) }))
    }
}
