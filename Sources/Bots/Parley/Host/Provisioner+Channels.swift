internal import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import Logging

/// Channels are made when the bots run: their relays must be reached, and one that cannot be must not stop everything else.
extension Provisioner {
    /// Makes the channels of a bot, or brings them to what the bot says of them.
    ///
    /// - Parameter addresses: The addresses of the bots of the process, by their ids.
    func channels(of bot: Bot, identity: BotIdentity, addresses: [String: String]) async throws -> [HostReady.Group] {
        guard !bot.channels.isEmpty else { return [] }
        let effects = Effects(model: model, userID: identity.userID, event: nil, filesFolder: filesFolder)
        var reports: [HostReady.Group] = []
        for wanted in bot.channels {
            let channel = try await channel(wanted, of: bot, identity, addresses, effects)
            let current = try await channel.update { $0 = wanted.group.profile(from: $0, menu: []) }
            reports.append(HostReady.Group(id: wanted.id, name: wanted.settings.name, groupID: current.id, link: current.channelLink))
        }
        return reports
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
        if let info = own.first(where: { $0.groupID == id }) ?? own.first(where: { $0.groupProfile.displayName == wanted.settings.name }) {
            try await store.setGroupID(info.groupID, of: wanted.storeName, bot: bot.id)
            return BotGroup(bot: identity, info: info, effects: effects)
        }
        let relays = try await relays(wanted, identity, addresses)
        let response = try await model.send(
            .groups(.createPublic(user: identity.userID, relays: relays, wanted.settings.profile)), as: identity.userID)
        switch response {
        case .publicGroupCreated(_, let info, _, _):
            try await store.setGroupID(info.groupID, of: wanted.storeName, bot: bot.id)
            logger.info("channel made", metadata: ["bot": "\(bot.id)", "channel": "\(wanted.id)"])
            let channel = BotGroup(bot: identity, info: info, effects: effects)
            try await awaitRelay(of: channel)
            return channel
        case .publicGroupCreationFailed(_, let results):
            let failed = results.compactMap { result in result.error.map { "\(result.relay.address): \($0.json.text)" } }
            throw HostError(.handlers, "the channel \"\(wanted.id)\" was not made: relays refuse: \(failed.joined(separator: "; "))")
        default: throw ChatCoreError(.invalidResponse, "the core did not show the channel \(wanted.id)")
        }
    }

    /// Waits for a while until a relay takes subscribers: before, nobody can use the link. Relays that are not running now take them later.
    private func awaitRelay(of channel: BotGroup) async throws {
        let deadline = ContinuousClock.now + Self.relayWait
        while ContinuousClock.now < deadline, try await !channel.relays().contains(where: { $0.status == .active }) {
            try await Task.sleep(for: Self.relayPause)
        }
    }

    private static let relayWait = Duration.seconds(10)
    private static let relayPause = Duration.milliseconds(50)

    /// The relays of a channel among those of the profile, to which they are added if they are missing.
    private func relays(_ wanted: ManagedChannel, _ identity: BotIdentity, _ addresses: [String: String]) async throws -> [UserChatRelayID] {
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
        var known = try await configuredRelays(of: identity)
        let missing = needed.filter { address in !known.contains { $0.address == address } }
        if !missing.isEmpty {
            let all = known.map { NewChatRelay(name: $0.relayProfile.displayName, address: $0.address) }
            let added = missing.enumerated().map { NewChatRelay(name: "relay\(known.count + $0 + 1)", address: $1) }
            _ = try await model.send(.servers(.setRelays(all + added)), as: identity.userID)
            known = try await configuredRelays(of: identity)
        }
        return known.filter { needed.contains($0.address) }.compactMap(\.chatRelayID)
    }

    private func configuredRelays(of identity: BotIdentity) async throws -> [UserChatRelay] {
        guard case .userServers(_, let servers) = try await model.send(.servers(.relays), as: identity.userID) else {
            throw ChatCoreError(.invalidResponse, "the core did not list the relays of \(identity.id)")
        }
        return servers.flatMap(\.chatRelays).filter(\.enabled)
    }
}
