internal import AsyncPrimitives
public import ChatAPI
public import ChatProtocol

/// A group that the bot is, was or may become a member of, and the means to manage it.
///
/// The role that the bot needs is named at each call. A core that refuses throws `ChatCoreError` with the code `error.groupUserRole`.
public struct BotGroup: Sendable {
    /// The bot.
    public let bot: BotIdentity
    /// The core's record of the group.
    public let info: GroupInfo
    let effects: Effects

    /// The id by which commands name the group.
    public var id: GroupID { info.groupID }
    /// The name as the bot's profile shows it; unique among the chats of the profile.
    public var name: String { info.localDisplayName }
    /// The name that the group has published.
    public var displayName: String { info.groupProfile.displayName }
    /// The role of the bot.
    public var role: GroupMemberRole { info.membership.role }
    /// True if the bot may delete messages of members and block them: it is a moderator or more.
    public var canModerate: Bool { isMember && role >= .moderator }
    /// True if the bot may remove members, invite and change roles: it is an admin or owner.
    public var canManageMembers: Bool { isMember && role >= .admin }
    /// True while the bot is a member who can read and, as its role allows, write.
    ///
    /// A member that was admitted and is not connected yet, with a relay of the channel or with the inviter, misses the messages of this time.
    public var isMember: Bool { info.membership.status.isCurrentMember && info.membership.status != .accepted }

    /// The chat that all members see.
    public var chat: BotChat { BotChat(bot: bot, info: .group(groupInfo: info, scope: nil), effects: effects) }

    /// Sends a text to all members.
    @discardableResult
    public func send(_ text: String) async throws -> SentMessage { try await chat.send(text) }

    // MARK: Members

    /// All members except the bot, including invited, waiting, departed and removed ones: see the status in ``BotMember/member``.
    public func members() async throws -> [BotMember] {
        guard case .groupMembers(_, let group) = try await effects.perform(.groups(.members(id))) else {
            throw ChatCoreError(.invalidResponse, "the core did not list the members")
        }
        let current = BotGroup(bot: bot, info: group.groupInfo, effects: effects)
        return group.members.map { BotMember(group: current, member: $0) }
    }

    /// One member, as it is now.
    ///
    /// - Throws: `ChatCoreError`; `errorStore.groupMemberNotFound` when no group has the id.
    public func member(_ id: GroupMemberID) async throws -> BotMember {
        guard case .groupMemberInfo(_, let info, let member, _) = try await effects.perform(.groups(.memberInfo(self.id, id))) else {
            throw ChatCoreError(.invalidResponse, "the core did not show the member")
        }
        return BotMember(group: BotGroup(bot: bot, info: info, effects: effects), member: member)
    }

    /// Invites a contact. The bot must be an admin or owner.
    ///
    /// - Parameter role: the role of the contact once it has joined; not above the role of the bot.
    public func invite(_ contact: ContactID, role: GroupMemberRole = .member) async throws {
        _ = try await effects.perform(.groups(.add(id, contact, role)))
    }

    // MARK: Messages

    /// Deletes messages of members for everybody. The bot must be a moderator or more.
    ///
    /// - Parameter items: at least one message in what all members see, none of the bot's own.
    public func moderate(_ items: [ChatItemID]) async throws { try await effects.moderate(items, in: id) }

    // MARK: The group itself

    /// Leaves the group.
    public func leave() async throws { _ = try await effects.perform(.groups(.leave(id))) }

    /// Changes the name, the picture, the welcome message, the preferences or the admission. The bot must be an owner.
    ///
    /// - Parameter change: changes the profile of the group as it is now, which may be newer than ``info``. Handlers that run at the same time change it one
    ///   after another.
    /// - Returns: the group as it is then.
    @discardableResult
    public func update(_ change: @Sendable (inout GroupProfile) -> Void) async throws -> BotGroup {
        try await effects.locks.groups.withLock(id) { try await updateNow(change) }
    }

    private func updateNow(_ change: @Sendable (inout GroupProfile) -> Void) async throws -> BotGroup {
        let current = await effects.currentGroup(id) ?? info
        var profile = current.groupProfile
        change(&profile)
        guard profile != current.groupProfile else { return BotGroup(bot: bot, info: current, effects: effects) }
        guard case .groupUpdated(_, _, let group, _, _) = try await effects.perform(.groups(.updateProfile(id, profile))) else {
            throw ChatCoreError(.invalidResponse, "the core did not show the changed group")
        }
        return BotGroup(bot: bot, info: group, effects: effects)
    }

    /// The link by which people join; nil if there is none.
    public func link() async throws -> GroupLink? {
        do throws(ChatCoreError) {
            guard case .groupLink(_, _, let link) = try await effects.perform(.groups(.link(id))) else { return nil }
            return link
        } catch {
            guard case .store(.groupLinkNotFound)? = error.chatError else { throw error }
            return nil
        }
    }

    /// The link by which people join, with this role. The link is made if there is none. The bot must be an admin or owner.
    ///
    /// Handlers that ask for the link at the same time get the same.
    ///
    /// - Parameter role: `member` for those who may write at once, `observer` for those who may only read.
    @discardableResult
    public func makeLink(role: GroupMemberRole = .member) async throws -> GroupLink {
        try await effects.locks.groups.withLock(id) { try await makeLinkNow(role) }
    }

    private func makeLinkNow(_ role: GroupMemberRole) async throws -> GroupLink {
        guard let link = try await link() else {
            guard case .groupLinkCreated(_, _, let link) = try await effects.perform(.groups(.createLink(id, role))) else {
                throw ChatCoreError(.invalidResponse, "the core did not show the link that it made")
            }
            return link
        }
        guard link.acceptMemberRole != role else { return link }
        guard case .groupLink(_, _, let changed) = try await effects.perform(.groups(.setLinkRole(id, role))) else {
            throw ChatCoreError(.invalidResponse, "the core did not show the link that it changed")
        }
        return changed
    }

    /// Sets the rules for those who ask to join by the link: the first rule that applies decides. A joiner to whom no rule applies is accepted, so an empty
    /// list accepts everybody.
    ///
    /// They are stored with the link, and hold while no handler runs. The bot must be an admin or owner.
    ///
    /// - Throws: `ChatCoreError`: `errorStore.groupLinkNotFound` without a link, `error.commandError` for rules that make no sense and for channels.
    public func setJoinerRules(_ rules: [JoinerRule]) async throws {
        let admission = rules.isEmpty ? nil : JoinerAdmission(rules: rules)
        try await effects.locks.groups.withLock(id) {
            guard try await link()?.joinerAdmission != admission else { return }
            _ = try await effects.perform(.groups(.setLinkAdmission(id, admission)))
        }
    }

    /// Deletes the link. Members stay.
    public func deleteLink() async throws { _ = try await effects.locks.groups.withLock(id) { try await effects.perform(.groups(.deleteLink(id))) } }
}

/// A member of a group, with the actions of the bot on it.
///
/// A moderator may block and delete messages; an admin may also remove, admit and change roles below its own. Nobody may act on a member of a
/// higher role.
public struct BotMember: Sendable {
    /// The group.
    public let group: BotGroup
    /// The core's record of the member.
    public let member: GroupMember

    /// The id by which commands name the member.
    public var id: GroupMemberID { member.groupMemberID }
    /// The name as the bot's profile shows it; unique in the profile.
    public var name: String { member.localDisplayName }
    /// The name that the member has published; several may have the same.
    public var displayName: String { member.profile.displayName }
    /// The member's role. A role that the member's introducer claims, and does not have itself, counts as `.member`.
    public var role: GroupMemberRole { member.provenRole }
    /// True for moderators, admins and owners: those whom an automatic moderator leaves alone.
    public var isModerator: Bool { role >= .moderator }
    /// True if the member says that it is a bot.
    public var isBot: Bool { member.profile.peerType == .bot }
    /// True for the customer of a business chat, false for colleagues and in other groups.
    public var isCustomer: Bool { group.info.businessChat?.customerID == member.memberID }
    /// True while the member waits to be admitted.
    public var isPending: Bool { member.status == .pendingApproval || member.status == .pendingReview }

    /// Blocks the member for all: later messages of the member are hidden from everybody, and earlier ones stay. The bot must be a moderator or more.
    public func block() async throws { try await setBlocked(true) }

    /// Ends a block for all.
    public func unblock() async throws { try await setBlocked(false) }

    private func setBlocked(_ isBlocked: Bool) async throws {
        _ = try await group.effects.change(.blockForAll(group.id, [id], isBlocked))
    }

    /// Removes the member from the group. The bot must be an admin or owner.
    ///
    /// - Parameter withMessages: whether the messages of the member are deleted for everybody.
    public func remove(withMessages: Bool = false) async throws {
        _ = try await group.effects.change(.remove(group.id, [id], withMessages: withMessages))
    }

    /// Gives the member another role. The bot must be an admin or owner.
    public func setRole(_ role: GroupMemberRole) async throws { _ = try await group.effects.change(.setRole(group.id, [id], role)) }

    /// Admits a member who waits. The bot must be a moderator or more.
    ///
    /// - Parameter role: the role of the member; nil for the role of the group link.
    public func accept(as role: GroupMemberRole? = nil) async throws {
        _ = try await group.effects.perform(.groups(.acceptMember(group.id, id, role ?? member.role)))
    }

    /// Refuses a member who waits. The bot must be an admin or owner.
    public func reject() async throws { try await remove() }

    /// The conversation of the member with the moderators, which nobody else sees.
    public var supportChat: BotChat {
        BotChat(bot: group.bot, info: .group(groupInfo: group.info, scope: .memberSupport(groupMember: member)), effects: group.effects)
    }
}

extension GroupMemberStatus {
    /// True for a member who gets the messages to all members.
    var isCurrentMember: Bool {
        switch self {
        case .connected, .complete, .creator, .announced, .accepted, .introduced, .introductionInvited: true
        default: false
        }
    }
}
