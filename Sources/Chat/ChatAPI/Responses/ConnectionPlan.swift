public import ChatProtocol

/// What connecting by a link would do.
public indirect enum ConnectionPlan: JSONTagged, Hashable {
    /// It is a one-time invitation.
    case invitationLink(plan: InvitationLinkPlan)
    /// It is the address of a profile.
    case contactAddress(plan: ContactAddressPlan)
    /// It is the link of a group.
    case groupLink(plan: GroupLinkPlan)
    /// It could not be looked up.
    case error(error: ChatError)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ConnectionPlan {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "invitationLink": self = .invitationLink(plan: try object.required("invitationLinkPlan"))
        case "contactAddress": self = .contactAddress(plan: try object.required("contactAddressPlan"))
        case "groupLink": self = .groupLink(plan: try object.required("groupLinkPlan"))
        case "error": self = .error(error: try object.required("chatError"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .invitationLink(let plan): object.write("invitationLink", ["invitationLinkPlan": plan])
        case .contactAddress(let plan): object.write("contactAddress", ["contactAddressPlan": plan])
        case .groupLink(let plan): object.write("groupLink", ["groupLinkPlan": plan])
        case .error(let error): object.write("error", ["chatError": error])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What an invitation leads to.
public indirect enum InvitationLinkPlan: JSONTagged, Hashable {
    /// Somebody new.
    case ok(linkData: ContactShortLinkData?, ownerVerification: OwnerVerification?)
    /// This profile.
    case ownLink
    /// Somebody with whom connecting has begun.
    case connecting(contact: Contact?)
    /// A contact.
    case known(contact: Contact)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension InvitationLinkPlan {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "ok":
            self = .ok(
                linkData: try object.optional("contactSLinkData_"), ownerVerification: try object.optional("ownerVerification"))
        case "ownLink": self = .ownLink
        case "connecting": self = .connecting(contact: try object.optional("contact_"))
        case "known": self = .known(contact: try object.required("contact"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .ok(let linkData, let ownerVerification):
            object.write("ok", ["contactSLinkData_": linkData, "ownerVerification": ownerVerification])
        case .ownLink: object.write("ownLink")
        case .connecting(let contact): object.write("connecting", ["contact_": contact])
        case .known(let contact): object.write("known", ["contact": contact])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What an address leads to.
public indirect enum ContactAddressPlan: JSONTagged, Hashable {
    /// Somebody new.
    case ok(linkData: ContactShortLinkData?, ownerVerification: OwnerVerification?)
    /// This profile.
    case ownLink
    /// Somebody who was asked before; asking again is possible.
    case connectingConfirmReconnect
    /// Somebody with whom connecting has begun.
    case connectingProhibit(contact: Contact)
    /// A contact.
    case known(contact: Contact)
    /// A contact known by the address only.
    case contactViaAddress(contact: Contact)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ContactAddressPlan {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "ok":
            self = .ok(
                linkData: try object.optional("contactSLinkData_"), ownerVerification: try object.optional("ownerVerification"))
        case "ownLink": self = .ownLink
        case "connectingConfirmReconnect": self = .connectingConfirmReconnect
        case "connectingProhibit": self = .connectingProhibit(contact: try object.required("contact"))
        case "known": self = .known(contact: try object.required("contact"))
        case "contactViaAddress": self = .contactViaAddress(contact: try object.required("contact"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .ok(let linkData, let ownerVerification):
            object.write("ok", ["contactSLinkData_": linkData, "ownerVerification": ownerVerification])
        case .ownLink: object.write("ownLink")
        case .connectingConfirmReconnect: object.write("connectingConfirmReconnect")
        case .connectingProhibit(let contact): object.write("connectingProhibit", ["contact": contact])
        case .known(let contact): object.write("known", ["contact": contact])
        case .contactViaAddress(let contact): object.write("contactViaAddress", ["contact": contact])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What a group link leads to.
public indirect enum GroupLinkPlan: JSONTagged, Hashable {
    /// A group that this profile is not in.
    case ok(linkInfo: GroupShortLinkInfo?, linkData: GroupShortLinkData?, ownerVerification: OwnerVerification?)
    /// A group whose link this profile made.
    case ownLink(groupInfo: GroupInfo)
    /// A group that was asked before; asking again is possible.
    case connectingConfirmReconnect
    /// A group that is being joined.
    case connectingProhibit(groupInfo: GroupInfo?)
    /// A group that this profile is in.
    case known(groupInfo: GroupInfo, groupUpdated: Bool, ownerVerification: OwnerVerification?, linkOwners: [GroupLinkOwner])
    /// A channel without relays.
    case noRelays(linkData: GroupShortLinkData?)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension GroupLinkPlan {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "ok":
            self = .ok(
                linkInfo: try object.optional("groupSLinkInfo_"), linkData: try object.optional("groupSLinkData_"),
                ownerVerification: try object.optional("ownerVerification"))
        case "ownLink": self = .ownLink(groupInfo: try object.required("groupInfo"))
        case "connectingConfirmReconnect": self = .connectingConfirmReconnect
        case "connectingProhibit": self = .connectingProhibit(groupInfo: try object.optional("groupInfo_"))
        case "known":
            self = .known(
                groupInfo: try object.required("groupInfo"), groupUpdated: try object.optional("groupUpdated") ?? false,
                ownerVerification: try object.optional("ownerVerification"), linkOwners: try object.optional("linkOwners") ?? [])
        case "noRelays": self = .noRelays(linkData: try object.optional("groupSLinkData_"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .ok(let linkInfo, let linkData, let ownerVerification):
            object.write("ok", ["groupSLinkInfo_": linkInfo, "groupSLinkData_": linkData, "ownerVerification": ownerVerification])
        case .ownLink(let groupInfo): object.write("ownLink", ["groupInfo": groupInfo])
        case .connectingConfirmReconnect: object.write("connectingConfirmReconnect")
        case .connectingProhibit(let groupInfo): object.write("connectingProhibit", ["groupInfo_": groupInfo])
        case .known(let groupInfo, let groupUpdated, let ownerVerification, let linkOwners):
            object.write(
                "known",
                [
                    "groupInfo": groupInfo, "groupUpdated": groupUpdated, "ownerVerification": ownerVerification,
                    "linkOwners": linkOwners,
                ])
        case .noRelays(let linkData): object.write("noRelays", ["groupSLinkData_": linkData])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Whether the one who shared a link may.
public enum OwnerVerification: JSONTagged, Hashable {
    /// Its signature was good.
    case verified
    /// Its signature was not good.
    case failed(reason: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension OwnerVerification {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "verified": self = .verified
        case "failed": self = .failed(reason: try object.required("reason"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .verified: object.write("verified")
        case .failed(let reason): object.write("failed", ["reason": reason])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// An owner that the link of a group names.
public struct GroupLinkOwner: JSONObjectConvertible, Hashable {
    /// Id that all members use.
    public var memberID: MemberID
    /// Key that the member signs with.
    public var memberKey: String

    /// Makes the value from its parts.
    public init(memberID: MemberID, memberKey: String) {
        self.memberID = memberID
        self.memberKey = memberKey
    }
}

extension GroupLinkOwner {
    public init(object: JSONObject) throws(JSONError) {
        memberID = try object.required("memberId")
        memberKey = try object.required("memberKey")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["memberId"] = memberID
        object["memberKey"] = memberKey
    }
}

/// How a group can be joined.
public struct GroupShortLinkInfo: JSONObjectConvertible, Hashable {
    /// Whether by its host, without relays.
    public var direct: Bool
    /// Links of its relays.
    public var groupRelays: [String]
    /// Public id of the group.
    public var publicGroupID: String?

    /// Makes the value from its parts.
    public init(direct: Bool, groupRelays: [String], publicGroupID: String? = nil) {
        self.direct = direct
        self.groupRelays = groupRelays
        self.publicGroupID = publicGroupID
    }
}

extension GroupShortLinkInfo {
    public init(object: JSONObject) throws(JSONError) {
        direct = try object.required("direct")
        groupRelays = try object.required("groupRelays")
        publicGroupID = try object.optional("publicGroupId")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["direct"] = direct
        object["groupRelays"] = groupRelays
        object["publicGroupId"] = publicGroupID
    }
}
