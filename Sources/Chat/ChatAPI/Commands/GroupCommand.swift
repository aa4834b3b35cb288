public import ChatProtocol

/// Commands about groups, business chats and channels.
public enum GroupCommand: Sendable, Hashable {
    /// Makes a group.
    case create(user: UserID, incognito: Bool = false, GroupProfile)
    /// Makes a channel that goes through relays.
    case createPublic(user: UserID, incognito: Bool = false, relays: [UserChatRelayID], GroupProfile)
    /// Tells the relays of a channel.
    case relays(GroupID)
    /// Invites more relays to a channel, a command of version 7.0. Relays that serve it already are skipped.
    case addRelays(GroupID, [UserChatRelayID])
    /// Accepts invitations to relay a channel again that this relay has left, a command of version 7.0.
    case allowRelay(GroupID)
    /// Invites a contact.
    case add(GroupID, ContactID, GroupMemberRole)
    /// Accepts an invitation.
    case join(GroupID)
    /// Admits a member who waits for it.
    case acceptMember(GroupID, GroupMemberID, GroupMemberRole)
    /// Deletes the support chat of a member.
    case deleteMemberSupportChat(GroupID, GroupMemberID)
    /// Changes the role of members.
    case setRole(GroupID, [GroupMemberID], GroupMemberRole)
    /// Blocks members for all, or unblocks.
    case blockForAll(GroupID, [GroupMemberID], Bool)
    /// Removes members, with their messages if asked to.
    case remove(GroupID, [GroupMemberID], withMessages: Bool = false)
    /// Leaves.
    case leave(GroupID)
    /// Tells the members.
    case members(GroupID)
    /// Lists the groups of a profile: with a contact in them, with a text in the name.
    case list(user: UserID, contact: ContactID? = nil, search: String? = nil)
    /// Tells a group.
    case info(GroupID)
    /// Tells a member and the state of the connection.
    case memberInfo(GroupID, GroupMemberID)
    /// Asks the router about the queue of a member.
    case memberQueueInfo(GroupID, GroupMemberID)
    /// Fetches the present data of a channel's link.
    case linkData(GroupID)
    /// Changes the public profile.
    case updateProfile(GroupID, GroupProfile)
    /// Changes how a channel is found besides its link, a command of version 7.0.
    case setPublicAccess(GroupID, PublicGroupAccess)
    /// Resolves the domain that a channel claims, and compares it with its link, a command of version 7.0.
    case verifyDomain(GroupID)
    /// Sets the alias; empty to remove it.
    case setAlias(GroupID, String)
    /// Keeps any JSON object with the group; nil to remove it.
    case setCustomData(GroupID, JSONValue?)
    /// Shows or hides the messages of a member, here only.
    case setMemberSettings(GroupID, GroupMemberID, GroupMemberSettings)
    /// Makes a link to join by.
    case createLink(GroupID, GroupMemberRole)
    /// Sets the role of those who join by the link.
    case setLinkRole(GroupID, GroupMemberRole)
    /// Sets the rules for those who join by the link, a command of this core only; nil removes them.
    case setLinkAdmission(GroupID, JoinerAdmission?)
    /// Deletes the link.
    case deleteLink(GroupID)
    /// Tells the link.
    case link(GroupID)
    /// Adds a short link to a link that has none.
    case addShortLink(GroupID)
    /// Moves the connection with a member to another address.
    case switchMember(GroupID, GroupMemberID)
    /// Gives up the move.
    case abortSwitchMember(GroupID, GroupMemberID)
    /// Synchronises the ratchets with a member.
    case syncMemberRatchet(GroupID, GroupMemberID, force: Bool = false)
    /// Tells the security code of a member.
    case memberSecurityCode(GroupID, GroupMemberID)
    /// Compares the security code; nil takes the confirmation back.
    case verifyMember(GroupID, GroupMemberID, code: String?)
    /// Takes up a connection that was disabled.
    case enableMember(GroupID, GroupMemberID)
    /// Makes a contact from a member.
    case createMemberContact(GroupID, GroupMemberID)
    /// Moves a prepared group to another profile.
    case changeUser(GroupID, to: UserID)
    /// Joins a prepared group.
    case connectPrepared(
        GroupID, incognito: Bool = false, owner: GroupOwnerContact? = nil, message: MessageContent? = nil)
}

/// A contact who is an owner of a group.
public struct GroupOwnerContact: Sendable, Hashable {
    /// The contact.
    public var contactID: ContactID
    /// The member id of the owner, as text.
    public var memberID: String

    /// Names an owner.
    public init(contactID: ContactID, memberID: String) {
        self.contactID = contactID
        self.memberID = memberID
    }
}

extension GroupCommand {
    var commandString: String {
        switch self {
        case .create(let user, let incognito, let profile):
            "/_group \(user)\(CommandText.incognito(incognito)) \(CommandText.json(profile))"
        case .createPublic(let user, let incognito, let relays, let profile):
            "/_public group \(user)\(CommandText.incognito(incognito)) \(CommandText.list(relays)) \(CommandText.json(profile))"
        case .relays(let id): "/_get relays #\(id)"
        case .addRelays(let id, let relays): "/_add relays #\(id) \(CommandText.list(relays))"
        case .allowRelay(let id): "/_relay allow #\(id)"
        case .add(let id, let contact, let role): "/_add #\(id) \(contact) \(role.code)"
        case .join(let id): "/_join #\(id)"
        case .acceptMember(let id, let member, let role): "/_accept member #\(id) \(member) \(role.code)"
        case .deleteMemberSupportChat(let id, let member): "/_delete member chat #\(id) \(member)"
        case .setRole(let id, let members, let role): "/_member role #\(id) \(CommandText.list(members)) \(role.code)"
        case .blockForAll(let id, let members, let blocked):
            "/_block #\(id) \(CommandText.list(members)) blocked=\(CommandText.flag(blocked))"
        case .remove(let id, let members, let withMessages):
            "/_remove #\(id) \(CommandText.list(members))\(CommandText.option(" messages=", withMessages))"
        case .leave(let id): "/_leave #\(id)"
        case .members(let id): "/_members #\(id)"
        case .list(let user, let contact, let search):
            "/_groups \(user)" + (contact.map { " @\($0)" } ?? "") + (search.map { " \($0)" } ?? "")
        case .info(let id): "/_info #\(id)"
        case .memberInfo(let id, let member): "/_info #\(id) \(member)"
        case .memberQueueInfo(let id, let member): "/_queue info #\(id) \(member)"
        case .linkData(let id): "/_get group link data #\(id)"
        case .updateProfile(let id, let profile): "/_group_profile #\(id) \(CommandText.json(profile))"
        case .setPublicAccess(let id, let access): "/_public group access #\(id) \(CommandText.json(access))"
        case .verifyDomain(let id): "/_verify domain #\(id)"
        case .setAlias(let id, let alias): "/_set alias #\(id)" + (alias.isEmpty ? "" : " \(alias)")
        case .setCustomData(let id, let data): "/_set custom #\(id)\(CommandText.json(data))"
        case .setMemberSettings(let id, let member, let settings):
            "/_member settings #\(id) \(member) \(CommandText.json(settings))"
        case .createLink(let id, let role): "/_create link #\(id) \(role.code)"
        case .setLinkRole(let id, let role): "/_set link role #\(id) \(role.code)"
        case .setLinkAdmission(let id, let admission): "/_set link admission #\(id)\(CommandText.json(admission))"
        case .deleteLink(let id): "/_delete link #\(id)"
        case .link(let id): "/_get link #\(id)"
        case .addShortLink(let id): "/_short link #\(id)"
        case .switchMember(let id, let member): "/_switch #\(id) \(member)"
        case .abortSwitchMember(let id, let member): "/_abort switch #\(id) \(member)"
        case .syncMemberRatchet(let id, let member, let force):
            "/_sync #\(id) \(member)\(CommandText.option(" force=", force))"
        case .memberSecurityCode(let id, let member): "/_get code #\(id) \(member)"
        case .verifyMember(let id, let member, let code): "/_verify code #\(id) \(member)" + (code.map { " \($0)" } ?? "")
        case .enableMember(let id, let member): "/_enable #\(id) \(member)"
        case .createMemberContact(let id, let member): "/_create member contact #\(id) \(member)"
        case .changeUser(let id, let user): "/_set group user #\(id) \(user)"
        case .connectPrepared(let id, let incognito, let owner, let message):
            "/_connect group #\(id)\(CommandText.incognito(incognito))"
                + (owner.map { " contact=\($0.contactID) owner=\($0.memberID)" } ?? "") + CommandText.message(message)
        }
    }
}
