public import ChatAPI
public import ChatProtocol

/// An invitation of the bot to a group. A bot joins no group on its own.
public struct InvitationContext: ChatContext {
    /// The chat with the contact who invites.
    public let chat: BotChat
    /// The invitation as it was received.
    public let invitation: GroupInvitationItem
    /// The role that the bot would have.
    public let role: GroupMemberRole

    /// The name that the group goes by.
    public var groupName: String { invitation.groupProfile.displayName }
    /// The name of the contact who invites, as the bot's profile shows it.
    public var inviter: String { chat.name }

    /// Accepts the invitation. ``Trigger/groupJoined`` tells when the bot is a member.
    public func join() async throws { try await chat.groups.join(invitation.groupID) }
}

/// A change of a member.
public enum MemberChange: Sendable, Hashable {
    /// The member has joined, or was admitted.
    case joined
    /// The member waits to be admitted.
    case pending
    case left
    case removed(withMessages: Bool)
    case role(from: GroupMemberRole, to: GroupMemberRole)
    case blocked
    case unblocked
}

/// A member to whom something happened.
public struct MemberContext: ChatContext {
    /// The group; of a member who waits, its conversation with the moderators.
    public let chat: BotChat
    /// The member that the event is about.
    public let member: BotMember
    /// The change of the member.
    public let change: MemberChange
    /// The member who did it; nil if it was the member itself.
    public let actor: GroupMember?

    /// The member.
    public var person: PersonID { .member(member.id, of: member.group.id) }
    /// The name of the member as the bot's profile shows it.
    public var name: String { member.name }
}

/// A change of a group, or of the bot's membership in it.
public enum GroupChange: Sendable, Hashable {
    /// The bot has joined, or was admitted.
    case joined
    /// The profile of the group changed: its name, its picture, its preferences.
    case updated(from: GroupProfile)
    /// The role of the bot changed.
    case role(from: GroupMemberRole, to: GroupMemberRole)
    /// The bot was removed.
    case removed
    /// The group was deleted.
    case deleted
}

/// A group that changed, or in which the role or status of the bot changed.
public struct GroupContext: ChatContext {
    /// The group as it is now.
    public let chat: BotChat
    /// The change of the group.
    public let change: GroupChange
    /// The member who did it, if that is known.
    public let actor: GroupMember?
}

/// A message that a member reports to the moderators. Only moderators get reports.
public struct ReportContext: ChatContext {
    /// The conversation of the reporter with the moderators: the reported member does not see it.
    public let chat: BotChat
    /// The report as it was stored.
    public let item: ChatItem
    /// The reason that the report gives.
    public let reason: ReportReason

    /// The member who reports.
    public var person: PersonID { chat.person(of: item) }
    /// The text that the reporter added; empty without one.
    public var text: String { item.meta.text }
    /// The member who reports.
    public var reporter: BotMember? { chat.member(of: item) }
    /// The message that is reported; nil if the bot does not have it.
    public var reportedItem: ChatItemID? { item.quotedItem?.itemID }
    /// The author of the reported message, if that is known.
    public var reportedMember: BotMember? {
        guard case .groupReceived(let member)? = item.quotedItem?.direction, let group = chat.group else { return nil }
        return BotMember(group: group, member: member)
    }

    /// Deletes the reported message for everybody.
    ///
    /// - Throws: `ChatCoreError` with the code `errorStore.chatItemNotFound` if the bot does not have it.
    public func moderate() async throws {
        guard let item = reportedItem, let group = chat.group else {
            throw ChatCoreError(.store(error: .chatItemNotFound(itemID: item.id)))
        }
        try await group.moderate([item])
    }

    /// Marks the report as dealt with, here only.
    public func archive() async throws {
        guard let group = chat.group else { return }
        try await chat.effects.archiveReport(item.id, in: group.id)
    }
}

extension BotChat {
    /// The person who sent an item.
    func person(of item: ChatItem) -> PersonID {
        guard let member = item.direction.member, let group = info.groupInfo else { return PersonID(description: scopeText) }
        return .member(member.groupMemberID, of: group.groupID)
    }

    /// The member who sent an item; nil outside of groups.
    func member(of item: ChatItem) -> BotMember? { member(item.direction.member) }

    /// A member as handlers see it; nil outside of groups.
    func member(_ member: GroupMember?) -> BotMember? {
        guard let member, let group else { return nil }
        return BotMember(group: group, member: member)
    }
}

extension MessageContext {
    /// The member who wrote; nil in a chat with a contact.
    public var member: BotMember? { chat.member(of: item) }

    /// True if the message mentions the bot.
    public var mentionsBot: Bool {
        if item.meta.userMention { return true }
        // A live message is announced before its author has typed the name.
        guard item.meta.isLive != nil, let own = chat.group?.info.membership.memberID else { return false }
        return item.mentions.values.contains { $0.memberID == own }
    }

    /// Deletes the message for everybody, as a moderator of the group.
    ///
    /// - Throws: `ChatCoreError` with the code `core.unsupported` in a chat with a contact: nobody can delete there what another sent.
    public func moderate() async throws {
        guard let group = chat.group else {
            throw ChatCoreError(.unsupported, "only messages of groups can be moderated")
        }
        try await group.moderate([item.id])
    }
}

extension EditContext {
    /// The member who changed the message; nil in a chat with a contact.
    public var member: BotMember? { chat.member(of: item) }

    /// Deletes the message for everybody, as a moderator of the group.
    public func moderate() async throws {
        guard let group = chat.group else {
            throw ChatCoreError(.unsupported, "only messages of groups can be moderated")
        }
        try await group.moderate([item.id])
    }
}
