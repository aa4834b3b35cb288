public import ChatProtocol

/// What a contact did.
public enum ReceivedDirectEvent: JSONTagged, Hashable {
    /// Deleted the contact.
    case contactDeleted
    /// Changed the profile.
    case profileUpdated(fromProfile: Profile, toProfile: Profile)
    /// Invited from a group to talk directly.
    case groupInvitationLinkReceived(groupProfile: GroupProfile)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ReceivedDirectEvent {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "contactDeleted": self = .contactDeleted
        case "profileUpdated":
            self = .profileUpdated(fromProfile: try object.required("fromProfile"), toProfile: try object.required("toProfile"))
        case "groupInvLinkReceived": self = .groupInvitationLinkReceived(groupProfile: try object.required("groupProfile"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .contactDeleted: object.write("contactDeleted")
        case .profileUpdated(let fromProfile, let toProfile):
            object.write("profileUpdated", ["fromProfile": fromProfile, "toProfile": toProfile])
        case .groupInvitationLinkReceived(let groupProfile): object.write("groupInvLinkReceived", ["groupProfile": groupProfile])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What happened in a group.
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
    case messageBadSignature
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ReceivedGroupEvent {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "memberAdded":
            self = .memberAdded(groupMemberID: try object.required("groupMemberId"), profile: try object.required("profile"))
        case "memberConnected": self = .memberConnected
        case "memberAccepted":
            self = .memberAccepted(groupMemberID: try object.required("groupMemberId"), profile: try object.required("profile"))
        case "userAccepted": self = .userAccepted
        case "memberLeft": self = .memberLeft
        case "memberRole":
            self = .memberRole(
                groupMemberID: try object.required("groupMemberId"), profile: try object.required("profile"),
                role: try object.required("role"))
        case "memberBlocked":
            self = .memberBlocked(
                groupMemberID: try object.required("groupMemberId"), profile: try object.required("profile"),
                blocked: try object.required("blocked"))
        case "userRole": self = .userRole(role: try object.required("role"))
        case "memberDeleted":
            self = .memberDeleted(groupMemberID: try object.required("groupMemberId"), profile: try object.required("profile"))
        case "userDeleted": self = .userDeleted
        case "groupDeleted": self = .groupDeleted
        case "groupUpdated": self = .groupUpdated(groupProfile: try object.required("groupProfile"))
        case "invitedViaGroupLink": self = .invitedViaGroupLink
        case "memberCreatedContact": self = .memberCreatedContact
        case "memberProfileUpdated":
            self = .memberProfileUpdated(
                fromProfile: try object.required("fromProfile"), toProfile: try object.required("toProfile"))
        case "newMemberPendingReview": self = .newMemberPendingReview
        case "msgBadSignature": self = .messageBadSignature
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .memberAdded(let groupMemberID, let profile):
            object.write("memberAdded", ["groupMemberId": groupMemberID, "profile": profile])
        case .memberConnected: object.write("memberConnected")
        case .memberAccepted(let groupMemberID, let profile):
            object.write("memberAccepted", ["groupMemberId": groupMemberID, "profile": profile])
        case .userAccepted: object.write("userAccepted")
        case .memberLeft: object.write("memberLeft")
        case .memberRole(let groupMemberID, let profile, let role):
            object.write("memberRole", ["groupMemberId": groupMemberID, "profile": profile, "role": role])
        case .memberBlocked(let groupMemberID, let profile, let blocked):
            object.write("memberBlocked", ["groupMemberId": groupMemberID, "profile": profile, "blocked": blocked])
        case .userRole(let role): object.write("userRole", ["role": role])
        case .memberDeleted(let groupMemberID, let profile):
            object.write("memberDeleted", ["groupMemberId": groupMemberID, "profile": profile])
        case .userDeleted: object.write("userDeleted")
        case .groupDeleted: object.write("groupDeleted")
        case .groupUpdated(let groupProfile): object.write("groupUpdated", ["groupProfile": groupProfile])
        case .invitedViaGroupLink: object.write("invitedViaGroupLink")
        case .memberCreatedContact: object.write("memberCreatedContact")
        case .memberProfileUpdated(let fromProfile, let toProfile):
            object.write("memberProfileUpdated", ["fromProfile": fromProfile, "toProfile": toProfile])
        case .newMemberPendingReview: object.write("newMemberPendingReview")
        case .messageBadSignature: object.write("msgBadSignature")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What this profile did in a group.
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

extension SentGroupEvent {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "memberRole":
            self = .memberRole(
                groupMemberID: try object.required("groupMemberId"), profile: try object.required("profile"),
                role: try object.required("role"))
        case "memberBlocked":
            self = .memberBlocked(
                groupMemberID: try object.required("groupMemberId"), profile: try object.required("profile"),
                blocked: try object.required("blocked"))
        case "userRole": self = .userRole(role: try object.required("role"))
        case "memberDeleted":
            self = .memberDeleted(groupMemberID: try object.required("groupMemberId"), profile: try object.required("profile"))
        case "userLeft": self = .userLeft
        case "groupUpdated": self = .groupUpdated(groupProfile: try object.required("groupProfile"))
        case "memberAccepted":
            self = .memberAccepted(groupMemberID: try object.required("groupMemberId"), profile: try object.required("profile"))
        case "userPendingReview": self = .userPendingReview
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .memberRole(let groupMemberID, let profile, let role):
            object.write("memberRole", ["groupMemberId": groupMemberID, "profile": profile, "role": role])
        case .memberBlocked(let groupMemberID, let profile, let blocked):
            object.write("memberBlocked", ["groupMemberId": groupMemberID, "profile": profile, "blocked": blocked])
        case .userRole(let role): object.write("userRole", ["role": role])
        case .memberDeleted(let groupMemberID, let profile):
            object.write("memberDeleted", ["groupMemberId": groupMemberID, "profile": profile])
        case .userLeft: object.write("userLeft")
        case .groupUpdated(let groupProfile): object.write("groupUpdated", ["groupProfile": groupProfile])
        case .memberAccepted(let groupMemberID, let profile):
            object.write("memberAccepted", ["groupMemberId": groupMemberID, "profile": profile])
        case .userPendingReview: object.write("userPendingReview")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What the other side did to the connection.
public enum ReceivedConnectionEvent: JSONTagged, Hashable {
    /// Moves to another address.
    case switchQueue(phase: SwitchPhase)
    /// Synchronises the ratchets.
    case ratchetSync(status: RatchetSyncState)
    /// The security code changed.
    case verificationCodeReset
    /// Post-quantum encryption was turned on or off.
    case pqEnabled(enabled: Bool)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ReceivedConnectionEvent {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "switchQueue": self = .switchQueue(phase: try object.required("phase"))
        case "ratchetSync": self = .ratchetSync(status: try object.required("syncStatus"))
        case "verificationCodeReset": self = .verificationCodeReset
        case "pqEnabled": self = .pqEnabled(enabled: try object.required("enabled"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .switchQueue(let phase): object.write("switchQueue", ["phase": phase])
        case .ratchetSync(let status): object.write("ratchetSync", ["syncStatus": status])
        case .verificationCodeReset: object.write("verificationCodeReset")
        case .pqEnabled(let enabled): object.write("pqEnabled", ["enabled": enabled])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What this side did to the connection.
public enum SentConnectionEvent: JSONTagged, Hashable {
    /// Moves to another address.
    case switchQueue(phase: SwitchPhase, member: GroupMemberReference?)
    /// Synchronises the ratchets.
    case ratchetSync(status: RatchetSyncState, member: GroupMemberReference?)
    /// Post-quantum encryption was turned on or off.
    case pqEnabled(enabled: Bool)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension SentConnectionEvent {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "switchQueue": self = .switchQueue(phase: try object.required("phase"), member: try object.optional("member"))
        case "ratchetSync": self = .ratchetSync(status: try object.required("syncStatus"), member: try object.optional("member"))
        case "pqEnabled": self = .pqEnabled(enabled: try object.required("enabled"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .switchQueue(let phase, let member): object.write("switchQueue", ["phase": phase, "member": member])
        case .ratchetSync(let status, let member): object.write("ratchetSync", ["syncStatus": status, "member": member])
        case .pqEnabled(let enabled): object.write("pqEnabled", ["enabled": enabled])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// A member, in short.
public struct GroupMemberReference: JSONObjectConvertible, Hashable {
    /// Database id.
    public var groupMemberID: GroupMemberID
    /// Profile.
    public var profile: Profile

    /// Makes the value from its parts.
    public init(groupMemberID: GroupMemberID, profile: Profile) {
        self.groupMemberID = groupMemberID
        self.profile = profile
    }
}

extension GroupMemberReference {
    public init(object: JSONObject) throws(JSONError) {
        groupMemberID = try object.required("groupMemberId")
        profile = try object.required("profile")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["groupMemberId"] = groupMemberID
        object["profile"] = profile
    }
}

/// How far the move to another address is.
public struct SwitchPhase: OpenEnumeration {
    public let rawValue: String

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

/// Whether the ratchets of a connection agree.
public struct RatchetSyncState: OpenEnumeration {
    public let rawValue: String

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
