internal import ChatAPI
internal import ChatProtocol
internal import Logging

/// Invites the trusted contacts whom managed groups name, and gives moderators their role: at the start of the bots, and when such a contact connects.
struct ModeratorKeeper {
    let logger: Logger
    /// Counts a failure of a bot, with its code and place.
    let noteFailure: @Sendable (_ bot: String, _ code: String, _ place: String) -> Void

    /// Looks after the people of all bots. A refusal of the core is logged: it keeps no bot from running.
    func appoint(_ bots: [Bot], _ profiles: [HostReady.Profile]) async {
        for (bot, profile) in zip(bots, profiles) { await appoint(nil, bot, profile) }
    }

    /// Looks after a trusted contact in the groups that name it.
    func appoint(_ name: String, _ bot: Bot, _ profile: HostReady.Profile) async { await appoint(.some(name), bot, profile) }

    /// - Parameter only: The name that is looked at; nil for all.
    private func appoint(_ only: String?, _ bot: Bot, _ profile: HostReady.Profile) async {
        for wanted in bot.groups where !wanted.moderators.isEmpty || !wanted.members.isEmpty {
            guard let id = profile.managedGroups.first(where: { $0.id == wanted.id })?.groupID, let group = await profile.client.groups.group(id) else {
                continue
            }
            let people = wanted.moderators.map { ($0, GroupMemberRole.moderator) } + wanted.members.map { ($0, .member) }
            for (name, role) in people where only == nil || only == name {
                do {
                    try await appoint(name, as: role, in: group, profile.client)
                } catch {
                    noteFailure(bot.id, ErrorCode.of(error) ?? "groups.moderator", "group \(wanted.id): invite")
                    logger.error(
                        "a trusted contact could not be invited or appointed",
                        metadata: [
                            "bot": "\(bot.id)", "group": "\(wanted.id)", "contact": "\(name)", "role": "\(role.code)",
                            "code": "\(ErrorCode.of(error) ?? "groups.moderator")", "error": "\(error)",
                        ])
                }
            }
        }
    }

    private func appoint(_ name: String, as role: GroupMemberRole, in group: BotGroup, _ client: BotClient) async throws {
        // A trusted contact who has not used the link yet, or is connecting, is invited once the connection exists.
        guard let contact = await client.chat(withTrusted: name)?.contact, contact.isReady else { return }
        let members = try await group.members().filter { $0.member.status.isInGroupOrOnTheWay }
        guard let found = members.first(where: { $0.trustedName == name }) else {
            try await group.invite(contact.contactID, role: role)
            return
        }
        if role == .moderator, !found.isModerator { try await found.setRole(role) }
    }
}

extension GroupMemberStatus {
    /// True for a present member, and for an invited one who has not refused.
    fileprivate var isInGroupOrOnTheWay: Bool { isCurrentMember || self == .invited || self == .pendingApproval || self == .pendingReview }
}
