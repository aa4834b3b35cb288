internal import ChatAPI
internal import ChatProtocol
internal import Logging

/// Gives those whom managed groups name as moderators their role: at the start of the bots, and a trusted contact when it connects.
struct ModeratorKeeper {
    let logger: Logger

    /// Appoints the moderators of all bots. A name that nobody has, and a refusal of the core, are logged: they keep no bot from running.
    func appoint(_ bots: [Bot], _ profiles: [HostReady.Profile]) async {
        for (bot, profile) in zip(bots, profiles) { await appoint(nil, bot, profile) }
    }

    /// Appoints a trusted contact in the groups that name it.
    func appoint(_ name: String, _ bot: Bot, _ profile: HostReady.Profile) async { await appoint(.some(name), bot, profile) }

    /// - Parameter only: The name that is looked at; nil for all.
    private func appoint(_ only: String?, _ bot: Bot, _ profile: HostReady.Profile) async {
        for wanted in bot.groups where !wanted.moderators.isEmpty {
            guard let id = profile.managedGroups.first(where: { $0.id == wanted.id })?.groupID, let group = await profile.client.groups.group(id) else {
                continue
            }
            for name in wanted.moderators where only == nil || only == name {
                await appoint(name, in: group, profile.client, place: ["bot": "\(bot.id)", "group": "\(wanted.id)"])
            }
        }
    }

    private func appoint(_ name: String, in group: BotGroup, _ client: BotClient, place: Logger.Metadata) async {
        var metadata = place
        metadata["moderator"] = "\(name)"
        do {
            if try await appoint(name, in: group, client) { return }
            metadata["code"] = "groups.noModerator"
            logger.warning("no contact or member has the name of a moderator: it is looked for at the next start", metadata: metadata)
        } catch {
            metadata["code"] = "\(ErrorCode.of(error) ?? "groups.moderator")"
            metadata["error"] = "\(error)"
            logger.error("a moderator could not be appointed", metadata: metadata)
        }
    }

    /// - Returns: false if nobody has the name.
    private func appoint(_ name: String, in group: BotGroup, _ client: BotClient) async throws -> Bool {
        let contact = await client.chat(named: name)?.contact, isTrusted = client.bot.trustedContacts.contains(name)
        // A trusted contact whose link is unused, or who is connecting, is appointed once it is connected.
        if isTrusted, contact?.isReady != true { return true }
        let members = try await group.members().filter { $0.member.status.isInGroupOrOnTheWay }
        let found = members.first { member in
            // A contact that was invited is a member of its own name, too.
            if isTrusted { member.trustedName == name } else { member.name == name || contact != nil && member.member.contactID == contact?.contactID }
        }
        if let found {
            if !found.isModerator { try await found.setRole(.moderator) }
            return true
        }
        guard let contact, contact.isReady else { return false }
        try await group.invite(contact.contactID, role: .moderator)
        return true
    }
}

extension GroupMemberStatus {
    /// True for a member who is there, or was invited and has not refused.
    fileprivate var isInGroupOrOnTheWay: Bool { isCurrentMember || self == .invited || self == .pendingApproval || self == .pendingReview }
}
