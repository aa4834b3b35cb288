public import ChatProtocol

/// An action of a contact.
@JSONForms
public enum ReceivedDirectEvent: JSONTagged, Hashable {
    /// Deleted the contact.
    case contactDeleted
    /// Changed the profile.
    case profileUpdated(fromProfile: Profile, toProfile: Profile)
    /// Invited from a group to talk directly.
    @JSONName("groupInvLinkReceived") case groupInvitationLinkReceived(groupProfile: GroupProfile)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// An event in a group.
@JSONForms
public enum ReceivedGroupEvent: JSONTagged, Hashable {
    /// A member was added.
    case memberAdded(groupMemberID: GroupMemberID, profile: Profile)
    /// The author connected.
    case memberConnected
    /// A member was let in.
    case memberAccepted(groupMemberID: GroupMemberID, profile: Profile)
    /// This profile was let in.
    case userAccepted
    /// The author left.
    case memberLeft
    /// The role of a member changed.
    case memberRole(groupMemberID: GroupMemberID, profile: Profile, role: GroupMemberRole)
    /// A member was blocked for all, or unblocked.
    case memberBlocked(groupMemberID: GroupMemberID, profile: Profile, blocked: Bool)
    /// The role of this profile changed.
    case userRole(role: GroupMemberRole)
    /// A member was removed.
    case memberDeleted(groupMemberID: GroupMemberID, profile: Profile)
    /// This profile was removed.
    case userDeleted
    /// The group was deleted.
    case groupDeleted
    /// The profile of the group changed.
    case groupUpdated(groupProfile: GroupProfile)
    /// The author came by the group link.
    case invitedViaGroupLink
    /// The author opened a direct chat.
    case memberCreatedContact
    /// The author changed the profile.
    case memberProfileUpdated(fromProfile: Profile, toProfile: Profile)
    /// The author waits to be let in.
    case newMemberPendingReview
    /// A message with a wrong signature came.
    @JSONName("msgBadSignature") case messageBadSignature
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// An action of this profile in a group.
@JSONForms
public enum SentGroupEvent: JSONTagged, Hashable {
    /// Changed the role of a member.
    case memberRole(groupMemberID: GroupMemberID, profile: Profile, role: GroupMemberRole)
    /// Blocked a member for all, or unblocked.
    case memberBlocked(groupMemberID: GroupMemberID, profile: Profile, blocked: Bool)
    /// Changed its own role.
    case userRole(role: GroupMemberRole)
    /// Removed a member.
    case memberDeleted(groupMemberID: GroupMemberID, profile: Profile)
    /// Left.
    case userLeft
    /// Changed the profile of the group.
    case groupUpdated(groupProfile: GroupProfile)
    /// Let a member in.
    case memberAccepted(groupMemberID: GroupMemberID, profile: Profile)
    /// Waits to be let in.
    case userPendingReview
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A change of the connection by the other side.
@JSONForms
public enum ReceivedConnectionEvent: JSONTagged, Hashable {
    /// Moves to another address.
    case switchQueue(phase: SwitchPhase)
    /// Synchronises the ratchets.
    @JSONName(["status": "syncStatus"])
    case ratchetSync(status: RatchetSyncState)
    /// The security code changed.
    case verificationCodeReset
    /// Post-quantum encryption was turned on or off.
    case pqEnabled(enabled: Bool)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A change of the connection by this side.
@JSONForms
public enum SentConnectionEvent: JSONTagged, Hashable {
    /// Moves to another address.
    case switchQueue(phase: SwitchPhase, member: GroupMemberReference?)
    /// Synchronises the ratchets.
    @JSONName(["status": "syncStatus"])
    case ratchetSync(status: RatchetSyncState, member: GroupMemberReference?)
    /// Post-quantum encryption was turned on or off.
    case pqEnabled(enabled: Bool)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A member, in short.
@JSONMembers
public struct GroupMemberReference: JSONObjectConvertible, Hashable {
    /// Database id.
    public var groupMemberID: GroupMemberID
    /// Profile.
    public var profile: Profile
}

/// The progress of the move to another address.
public struct SwitchPhase: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Started.
    public static let started = SwitchPhase(rawValue: "started")
    /// The other side has confirmed.
    public static let confirmed = SwitchPhase(rawValue: "confirmed")
    /// The new queue is secured.
    public static let secured = SwitchPhase(rawValue: "secured")
    /// Done.
    public static let completed = SwitchPhase(rawValue: "completed")

    /// The words that this version knows.
    public static let allCases: [SwitchPhase] = [.started, .confirmed, .secured, .completed]
}

/// The state of the synchronisation of a connection's ratchets.
public struct RatchetSyncState: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// They do.
    public static let ok = RatchetSyncState(rawValue: "ok")
    /// They may be synchronised.
    public static let allowed = RatchetSyncState(rawValue: "allowed")
    /// They must be synchronised.
    public static let required = RatchetSyncState(rawValue: "required")
    /// Synchronising was started.
    public static let started = RatchetSyncState(rawValue: "started")
    /// The keys are agreed, no message has come yet.
    public static let agreed = RatchetSyncState(rawValue: "agreed")

    /// The words that this version knows.
    public static let allCases: [RatchetSyncState] = [.ok, .allowed, .required, .started, .agreed]
}
