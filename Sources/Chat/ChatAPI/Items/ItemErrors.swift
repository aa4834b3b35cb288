public import ChatProtocol

/// What is wrong with the sequence of messages.
public enum MessageIntegrityError: JSONTagged, Hashable {
    /// Messages are missing: the first and the last.
    case skipped(fromMessageID: Int64, toMessageID: Int64)
    /// A message came after a later one.
    case badID(messageID: Int64)
    /// The hash of the message before differs.
    case badHash
    /// The message came twice.
    case duplicate
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension MessageIntegrityError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "msgSkipped":
            self = .skipped(fromMessageID: try object.required("fromMsgId"), toMessageID: try object.required("toMsgId"))
        case "msgBadId": self = .badID(messageID: try object.required("msgId"))
        case "msgBadHash": self = .badHash
        case "msgDuplicate": self = .duplicate
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .skipped(let fromMessageID, let toMessageID):
            object.write("msgSkipped", ["fromMsgId": fromMessageID, "toMsgId": toMessageID])
        case .badID(let messageID): object.write("msgBadId", ["msgId": messageID])
        case .badHash: object.write("msgBadHash")
        case .duplicate: object.write("msgDuplicate")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Why messages could not be decrypted.
public struct MessageDecryptError: OpenEnumeration {
    public let rawValue: String

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
public enum ReceivedMessageError: JSONTagged, Hashable {
    /// Given up after that many attempts.
    case dropped(attempts: Int)
    /// Not understood.
    case parseError(error: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ReceivedMessageError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "dropped": self = .dropped(attempts: try object.required("attempts"))
        case "parseError": self = .parseError(error: try object.required("parseError"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .dropped(let attempts): object.write("dropped", ["attempts": attempts])
        case .parseError(let error): object.write("parseError", ["parseError": error])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// An invitation to a group.
public struct GroupInvitation: JSONObjectConvertible, Hashable {
    /// The group.
    public var groupID: GroupID
    /// The member who invited.
    public var groupMemberID: GroupMemberID
    /// Local name of the group.
    public var localDisplayName: String
    /// Profile of the group.
    public var groupProfile: GroupProfile
    /// What became of it.
    public var status: GroupInvitationStatus

    /// Makes the value from its parts.
    public init(
        groupID: GroupID, groupMemberID: GroupMemberID, localDisplayName: String, groupProfile: GroupProfile,
        status: GroupInvitationStatus
    ) {
        self.groupID = groupID
        self.groupMemberID = groupMemberID
        self.localDisplayName = localDisplayName
        self.groupProfile = groupProfile
        self.status = status
    }
}

extension GroupInvitation {
    public init(object: JSONObject) throws(JSONError) {
        groupID = try object.required("groupId")
        groupMemberID = try object.required("groupMemberId")
        localDisplayName = try object.required("localDisplayName")
        groupProfile = try object.required("groupProfile")
        status = try object.required("status")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["groupId"] = groupID
        object["groupMemberId"] = groupMemberID
        object["localDisplayName"] = localDisplayName
        object["groupProfile"] = groupProfile
        object["status"] = status
    }
}

/// What became of an invitation.
public struct GroupInvitationStatus: OpenEnumeration {
    public let rawValue: String

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
