internal import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import Logging

/// Channels are made when the bots run: their relays must be reached, and an unreachable relay must not block other work.
extension Provisioner {
    /// Makes the channels of a bot, or brings them to what the bot says of them.
    ///
    /// - Parameter addresses: The addresses of the bots of the process, by their ids.
    func channels(of bot: Bot, identity: BotIdentity, addresses: [String: String]) async throws -> [HostReady.Group] {
        guard !bot.channels.isEmpty else { return [] }
        let effects = Effects(model: model, userID: identity.userID, event: nil, filesFolder: filesFolder, locks: locks)
        var reports: [HostReady.Group] = []
        for wanted in bot.channels {
            let channel = try await channel(wanted, of: bot, identity, addresses, effects)
            let current = try await channel.update { $0 = wanted.group.profile(from: $0, menu: []) }
            reports.append(HostReady.Group(id: wanted.id, name: wanted.settings.name, groupID: current.id, link: current.channelLink))
        }
        return reports
    }

    /// The names of the channels of a profile that no relay serves.
    func channelsWithoutRelay(of identity: BotIdentity) async -> [String] {
        guard case .groupsList(_, let known)? = try? await model.send(.groups(.list(user: identity.userID)), as: identity.userID) else { return [] }
        var names: [String] = []
        for group in known where group.membership.role == .owner && group.membership.status.isCurrentMember && group.groupProfile.publicGroup != nil {
            guard case .groupRelays(_, _, let relays)? = try? await model.send(.groups(.relays(group.groupID)), as: identity.userID), relays.haveNone
            else { continue }
            names.append(group.groupProfile.displayName)
        }
        return names
    }

    private func channel(
        _ wanted: ManagedChannel, of bot: Bot, _ identity: BotIdentity, _ addresses: [String: String], _ effects: Effects
    ) async throws -> BotGroup {
        guard case .groupsList(_, let known) = try await model.send(.groups(.list(user: identity.userID)), as: identity.userID) else {
            throw ChatCoreError(.invalidResponse, "the core did not list the groups of \(bot.id)")
        }
        let own = known.filter { $0.membership.role == .owner && $0.membership.status.isCurrentMember && $0.groupProfile.publicGroup != nil }
        let id = try await store.groupID(of: wanted.storeName, bot: bot.id)
        // The second was made, and the process died before that was noted.
        let needed = try relays(wanted, addresses)
        if let info = own.first(where: { $0.groupID == id }) ?? own.first(where: { $0.groupProfile.displayName == wanted.settings.name && $0.isOwnCreation }) {
            try await store.setGroupID(info.groupID, of: wanted.storeName, bot: bot.id)
            let channel = BotGroup(bot: identity, info: info, effects: effects)
            try await keepRelays(needed, of: channel, wanted, identity)
            return channel
        }
        let relays = try await relayIDs(of: needed, identity)
        let response = try await model.send(
            .groups(.createPublic(user: identity.userID, relays: relays, wanted.settings.profile)), as: identity.userID)
        switch response {
        case .publicGroupCreated(_, let info, _, _):
            try await store.setGroupID(info.groupID, of: wanted.storeName, bot: bot.id)
            logger.info("channel made", metadata: ["bot": "\(bot.id)", "channel": "\(wanted.id)"])
            let channel = BotGroup(bot: identity, info: info, effects: effects)
            _ = try await awaitRelay(of: channel) { $0.status == .active }
            return channel
        case .publicGroupCreationFailed(_, let results):
            let failed = results.compactMap { result in result.error.map { "\(result.relay.address): \($0.message) (\($0.code))" } }
            throw HostError(.handlers, "the channel \"\(wanted.id)\" was not made: relays refuse: \(failed.joined(separator: "; "))")
        default: throw ChatCoreError(.invalidResponse, "the core did not show the channel \(wanted.id)")
        }
    }

    /// Waits for a while until a relay takes subscribers: before, nobody can use the link. Relays that are not running now take them later.
    ///
    /// - Returns: False if none does by then.
    private func awaitRelay(of channel: BotGroup, where isReady: (GroupRelay) -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + Self.relayWait
        while try await !channel.relays().contains(where: isReady) {
            if ContinuousClock.now >= deadline { return false }
            try await Task.sleep(for: Self.relayPause)
        }
        return true
    }

    private static let relayWait = Duration.seconds(10)
    private static let relayPause = Duration.milliseconds(50)

    /// The addresses of the relays that a channel names.
    private func relays(_ wanted: ManagedChannel, _ addresses: [String: String]) throws -> [String] {
        let needed = try wanted.relays.map { relay in
            switch relay {
            case .address(let address): return address
            case .bot(let id):
                guard let address = addresses[id] else {
                    throw HostError(.handlers, "the channel \"\(wanted.id)\" names the relay \"\(id)\", and there is no such bot with an address")
                }
                return address
            }
        }
        return needed
    }

    private func relayIDs(of addresses: [String], _ identity: BotIdentity) async throws -> [UserChatRelayID] {
        let directory = RelayDirectory { [model] command throws(ChatCoreError) in try await model.send(command, as: identity.userID) }
        return try await directory.ids(of: addresses, holding: locks.relays, of: identity.userID)
    }

    // MARK: Relays of a channel that is there

    /// Brings the relays of a channel to those that are declared. One that is declared no longer leaves once one that is takes subscribers.
    private func keepRelays(_ needed: [String], of channel: BotGroup, _ wanted: ManagedChannel, _ identity: BotIdentity) async throws {
        let current = try await channel.relays()
        let change = RelayChange(from: current, to: needed)
        if !change.added.isEmpty {
            let ids = try await relayIDs(of: change.added, identity)
            switch try await model.send(.groups(.addRelays(channel.id, ids)), as: identity.userID) {
            case .groupRelaysAdded:
                logger.info("relays added to a channel", metadata: ["channel": "\(wanted.id)", "relays": "\(ids.count)"])
            case .groupRelaysAddFailed(_, let results):
                let failed = results.compactMap { result in result.error.map { "\(result.relay.address): \($0.message) (\($0.code))" } }
                throw ChatCoreError(.unreachable, "relays of the channel \"\(wanted.id)\" were not added: \(failed.joined(separator: "; "))")
            default: throw ChatCoreError(.invalidResponse, "the core did not show the relays of the channel \(wanted.id)")
            }
        }
        guard !change.removed.isEmpty else { return }
        let isServed = try await awaitRelay(of: channel) { $0.status == .active && needed.contains($0.userChatRelay.address) }
        guard isServed else {
            throw ChatCoreError(.unreachable, "no relay that the channel \"\(wanted.id)\" names takes subscribers yet: the ones before stay")
        }
        for relay in change.removed { try await channel.removeRelay(relay) }
        logger.info("relays removed from a channel", metadata: ["channel": "\(wanted.id)", "relays": "\(change.removed.count)"])
    }
}

/// The difference between the relays of a channel and those that are wanted.
struct RelayChange {
    /// The addresses of relays to be invited.
    let added: [String]
    /// The relays to be removed.
    let removed: [GroupRelay]

    /// - Parameter wanted: The addresses of relays.
    init(from current: [GroupRelay], to wanted: [String]) {
        // A relay that has left, or refused, is invited again.
        let serving = current.filter { $0.status != .inactive && $0.status != .rejected && $0.status != .new }
        added = wanted.filter { address in !serving.contains { $0.userChatRelay.address == address } }
        removed = serving.filter { !wanted.contains($0.userChatRelay.address) }
    }
}
