public import ChatProtocol

/// The effect that connecting by a link would have.
@JSONForms
public indirect enum ConnectionPlan: JSONTagged, Hashable {
    /// It is a one-time invitation.
    @JSONName(["plan": "invitationLinkPlan"])
    case invitationLink(plan: InvitationLinkPlan)
    /// It is the address of a profile.
    @JSONName(["plan": "contactAddressPlan"])
    case contactAddress(plan: ContactAddressPlan)
    /// It is the link of a group.
    @JSONName(["plan": "groupLinkPlan"])
    case groupLink(plan: GroupLinkPlan)
    /// It could not be looked up.
    @JSONName(["error": "chatError"])
    case error(error: ChatError)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// The target of an invitation.
@JSONForms
public indirect enum InvitationLinkPlan: JSONTagged, Hashable {
    /// Somebody new.
    @JSONName(["linkData": "contactSLinkData_"])
    case ok(linkData: ContactShortLinkData?, ownerVerification: OwnerVerification?)
    /// This profile.
    case ownLink
    /// Somebody with whom connecting has begun.
    @JSONName(["contact": "contact_"])
    case connecting(contact: Contact?)
    /// A contact.
    case known(contact: Contact)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// The target of an address.
@JSONForms
public indirect enum ContactAddressPlan: JSONTagged, Hashable {
    /// Somebody new.
    @JSONName(["linkData": "contactSLinkData_"])
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

/// The target of a group link.
@JSONForms
public indirect enum GroupLinkPlan: JSONTagged, Hashable {
    /// A group that this profile is not in.
    @JSONName(["linkInfo": "groupSLinkInfo_", "linkData": "groupSLinkData_"])
    case ok(linkInfo: GroupShortLinkInfo?, linkData: GroupShortLinkData?, ownerVerification: OwnerVerification?)
    /// A group whose link this profile made.
    case ownLink(groupInfo: GroupInfo)
    /// A group that was asked before; asking again is possible.
    case connectingConfirmReconnect
    /// A group that is being joined.
    @JSONName(["groupInfo": "groupInfo_"])
    case connectingProhibit(groupInfo: GroupInfo?)
    /// A group that this profile is in.
    case known(groupInfo: GroupInfo, groupUpdated: Bool = false, ownerVerification: OwnerVerification?, linkOwners: [GroupLinkOwner] = [])
    /// A channel without relays.
    @JSONName(["linkData": "groupSLinkData_"])
    case noRelays(linkData: GroupShortLinkData?)
    /// A public group of a kind that this version does not know.
    @JSONName(["linkData": "groupSLinkData_"])
    case updateRequired(linkData: GroupShortLinkData?)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// The outcome of verifying that the sender of a link owns it.
@JSONForms
public enum OwnerVerification: JSONTagged, Hashable {
    /// Its signature was good.
    case verified
    /// Its signature was not good.
    case failed(reason: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// An owner that the link of a group names.
@JSONMembers
public struct GroupLinkOwner: JSONObjectConvertible, Hashable {
    /// Id that all members use.
    public var memberID: MemberID
    /// Key that the member signs with.
    public var memberKey: String
}

/// The ways to join a group.
@JSONMembers
public struct GroupShortLinkInfo: JSONObjectConvertible, Hashable {
    /// True if it is joined by its host, without relays.
    public var direct: Bool
    /// Links of its relays.
    public var groupRelays: [String]
    /// Public id of the group.
    public var publicGroupID: String?
}
