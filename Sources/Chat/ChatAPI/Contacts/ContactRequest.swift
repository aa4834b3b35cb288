public import ChatProtocol

/// Somebody who asks to be a contact, by the address of a profile.
public struct UserContactRequest: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    public var contactRequestID: UserContactRequestID
    /// Id of the request in the agent, base64url.
    public var agentInvitationID: String
    /// Contact prepared for the request.
    public var contactID: ContactID?
    /// Business chat prepared for the request.
    public var businessGroupID: GroupID?
    /// Address it came by.
    public var userContactLinkID: Int64?
    /// Chat protocol versions of the sender.
    public var peerChatVersions: ChatVersionRange
    /// Name that is unique in the profile.
    public var localDisplayName: String
    /// Database id of the sender's profile.
    public var profileID: ProfileID
    /// The sender's profile.
    public var profile: Profile
    /// When it first came.
    public var createdAt: UTCTimestamp
    /// When it last came.
    public var updatedAt: UTCTimestamp
    /// Random id that marks repeated requests of the same person.
    public var contactRequestTag: ContactRequestID?
    /// Whether the sender can use post-quantum encryption.
    public var pqSupport: Bool
    /// Shared id of the welcome message that the sender has seen.
    public var welcomeSharedMessageID: SharedMessageID?
    /// Shared id of the message that came with the request.
    public var requestSharedMessageID: SharedMessageID?

    /// Equal to `contactRequestID`.
    public var id: UserContactRequestID { contactRequestID }

    /// Makes the value from its parts.
    public init(
        contactRequestID: UserContactRequestID, agentInvitationID: String, contactID: ContactID? = nil,
        businessGroupID: GroupID? = nil, userContactLinkID: Int64? = nil, peerChatVersions: ChatVersionRange,
        localDisplayName: String, profileID: ProfileID, profile: Profile, createdAt: UTCTimestamp, updatedAt: UTCTimestamp,
        contactRequestTag: ContactRequestID? = nil, pqSupport: Bool = false, welcomeSharedMessageID: SharedMessageID? = nil,
        requestSharedMessageID: SharedMessageID? = nil
    ) {
        self.contactRequestID = contactRequestID
        self.agentInvitationID = agentInvitationID
        self.contactID = contactID
        self.businessGroupID = businessGroupID
        self.userContactLinkID = userContactLinkID
        self.peerChatVersions = peerChatVersions
        self.localDisplayName = localDisplayName
        self.profileID = profileID
        self.profile = profile
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.contactRequestTag = contactRequestTag
        self.pqSupport = pqSupport
        self.welcomeSharedMessageID = welcomeSharedMessageID
        self.requestSharedMessageID = requestSharedMessageID
    }
}

extension UserContactRequest {
    public init(object: JSONObject) throws(JSONError) {
        contactRequestID = try object.required("contactRequestId")
        agentInvitationID = try object.required("agentInvitationId")
        contactID = try object.optional("contactId_")
        businessGroupID = try object.optional("businessGroupId_")
        userContactLinkID = try object.optional("userContactLinkId_")
        peerChatVersions = try object.required("cReqChatVRange")
        localDisplayName = try object.required("localDisplayName")
        profileID = try object.required("profileId")
        profile = try object.required("profile")
        createdAt = try object.required("createdAt")
        updatedAt = try object.required("updatedAt")
        contactRequestTag = try object.optional("xContactId")
        pqSupport = try object.optional("pqSupport") ?? false
        welcomeSharedMessageID = try object.optional("welcomeSharedMsgId")
        requestSharedMessageID = try object.optional("requestSharedMsgId")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["contactRequestId"] = contactRequestID
        object["agentInvitationId"] = agentInvitationID
        object["contactId_"] = contactID
        object["businessGroupId_"] = businessGroupID
        object["userContactLinkId_"] = userContactLinkID
        object["cReqChatVRange"] = peerChatVersions
        object["localDisplayName"] = localDisplayName
        object["profileId"] = profileID
        object["profile"] = profile
        object["createdAt"] = createdAt
        object["updatedAt"] = updatedAt
        object["xContactId"] = contactRequestTag
        object["pqSupport"] = pqSupport
        object["welcomeSharedMsgId"] = welcomeSharedMessageID
        object["requestSharedMsgId"] = requestSharedMessageID
    }
}
