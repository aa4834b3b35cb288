internal import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import Logging

extension Provisioner {
    /// Makes the groups of a bot, or brings them to what the bot says of them.
    func groups(of bot: Bot, identity: BotIdentity) async throws -> [HostReady.Group] {
        guard !bot.groups.isEmpty else { return [] }
        let effects = Effects(model: model, userID: identity.userID, event: nil, filesFolder: filesFolder, locks: locks)
        guard case .groupsList(_, let known) = try await model.send(.groups(.list(user: identity.userID)), as: identity.userID) else {
            throw ChatCoreError(.invalidResponse, "the core did not list the groups of \(bot.id)")
        }
        var reports: [HostReady.Group] = []
        for wanted in bot.groups {
            let group = try await group(wanted, of: bot, identity, among: known, effects)
            let current = try await group.update { $0 = wanted.profile(from: $0, menu: bot.groupMenu) }
            var link: GroupLink?
            if let role = wanted.linkRole {
                link = try await current.makeLink(role: role)
                if let rules = wanted.joinerRules { try await current.setJoinerRules(rules) }
            } else if try await current.link() != nil {
                try await current.deleteLink()
            }
            let shown = link.map { $0.connectionLink.shortLink ?? $0.connectionLink.fullLink }
            reports.append(HostReady.Group(id: wanted.id, name: wanted.settings.name, groupID: current.id, link: shown))
        }
        return reports
    }

    private func group(
        _ wanted: ManagedGroup, of bot: Bot, _ identity: BotIdentity, among known: [GroupInfo], _ effects: Effects
    ) async throws -> BotGroup {
        let own = known.filter { $0.membership.role == .owner && $0.membership.status.isCurrentMember }
        if let id = try await store.groupID(of: wanted.id, bot: bot.id), let info = own.first(where: { $0.groupID == id }) {
            return BotGroup(bot: identity, info: info, effects: effects)
        }
        // It was made, and the process died before that was noted; or the owner of the profile made it. Others can give the bot a group of that name, too.
        let found = own.first { $0.groupProfile.displayName == wanted.settings.name && $0.isOwnCreation }
        var group = found.map { BotGroup(bot: identity, info: $0, effects: effects) }
        if group == nil {
            group = try await BotGroups(bot: identity, effects: effects).create(wanted.settings)
            logger.info("group made", metadata: ["bot": "\(bot.id)", "group": "\(wanted.id)"])
        }
        guard let group else { throw ChatCoreError(.invalidResponse, "the core did not make the group \(wanted.id)") }
        try await store.setGroupID(group.id, of: wanted.id, bot: bot.id)
        return group
    }
}
