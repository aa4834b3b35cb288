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
    public var profile: Profile
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
}
