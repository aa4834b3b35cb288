public import ChatProtocol

/// A gap or a repetition in the sequence of messages.
@JSONForms
public enum MessageIntegrityError: JSONTagged, Hashable {
    /// Messages are missing: the first and the last.
    @JSONName("msgSkipped", ["fromMessageID": "fromMsgId", "toMessageID": "toMsgId"])
    case skipped(fromMessageID: Int64, toMessageID: Int64)
    /// A message came after a later one.
    @JSONName("msgBadId", ["messageID": "msgId"])
    case badID(messageID: Int64)
    /// The hash of the message before differs.
    @JSONName("msgBadHash") case badHash
    /// The message came twice.
    @JSONName("msgDuplicate") case duplicate
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Why messages could not be decrypted.
public struct MessageDecryptError: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No key fits the header.
    public static let ratchetHeader = MessageDecryptError(rawValue: "ratchetHeader")
    /// Too many messages were skipped.
    public static let tooManySkipped = MessageDecryptError(rawValue: "tooManySkipped")
    /// The message was already decrypted.
    public static let ratchetEarlier = MessageDecryptError(rawValue: "ratchetEarlier")
    /// Anything else.
    public static let other = MessageDecryptError(rawValue: "other")
    /// The ratchets had to be synchronised.
    public static let ratchetSync = MessageDecryptError(rawValue: "ratchetSync")

    /// The words that this version knows.
    public static let allCases: [MessageDecryptError] = [.ratchetHeader, .tooManySkipped, .ratchetEarlier, .other, .ratchetSync]
}

/// Why a message could not be processed.
@JSONForms
public enum ReceivedMessageError: JSONTagged, Hashable {
    /// Given up after that many attempts.
    case dropped(attempts: Int)
    /// Not understood.
    @JSONName(["error": "parseError"])
    case parseError(error: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// An invitation to a group.
@JSONMembers
public struct GroupInvitationItem: JSONObjectConvertible, Hashable {
    /// The group.
    public var groupID: GroupID
    /// The member who invited.
    public var groupMemberID: GroupMemberID
    /// Local name of the group.
    public var localDisplayName: String
    /// Profile of the group.
    public var groupProfile: GroupProfile
    /// The status of the invitation.
    public var status: GroupInvitationStatus
}

/// The status of an invitation.
public struct GroupInvitationStatus: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not answered.
    public static let pending = GroupInvitationStatus(rawValue: "pending")
    /// Accepted.
    public static let accepted = GroupInvitationStatus(rawValue: "accepted")
    /// Refused.
    public static let rejected = GroupInvitationStatus(rawValue: "rejected")
    /// Too old.
    public static let expired = GroupInvitationStatus(rawValue: "expired")

    /// The words that this version knows.
    public static let allCases: [GroupInvitationStatus] = [.pending, .accepted, .rejected, .expired]
}
