public import ChatAPI
public import ChatProtocol
internal import Foundation

extension BotGroup {
    /// True for a channel: relays forward its posts.
    public var isChannel: Bool { info.groupProfile.publicGroup != nil }

    /// The link by which people subscribe to the channel; nil for a group that is not a channel.
    public var channelLink: String? { info.groupProfile.publicGroup?.groupLink }

    /// Posts a text in the name of the channel. The bot must be an owner.
    ///
    /// - Parameter key: makes the post be sent once, however often the call is made with the same key within 30 days, also by different runs of the
    ///   program.
    @discardableResult
    public func post(_ text: String, onceAs key: String? = nil) async throws -> SentMessage { try await post(.text(text), onceAs: key) }

    /// Posts a message in the name of the channel. The bot must be an owner. A text that is too long for one message is posted as several.
    ///
    /// - Throws: `ChatCoreError` with the code `error.groupUserRole` for anybody but an owner, `channel.noRelay` while no relay would pass it on, `send.empty`
    ///   for a text of which nothing would be shown.
    @discardableResult
    public func post(_ content: MessageContent, onceAs key: String? = nil) async throws -> SentMessage {
        try await requireRelay()
        let effects = key.map(effects.keyed) ?? effects
        return SentMessage(chat: chat, items: try await effects.send(content, to: .group(id), chat.info, quoting: nil, asGroup: true))
    }

    /// Posts a file in the name of the channel. The bot must be an owner.
    @discardableResult
    public func post(_ file: OutgoingFile) async throws -> SentMessage {
        try await requireRelay()
        return SentMessage(chat: chat, items: try await effects.send(try file.composed(scalingInto: effects.filesFolder), to: .group(id, asGroup: true)))
    }

    /// - Throws: `ChatCoreError` with the code `channel.noRelay` if all relays have left or have not come yet: nobody would get the post, also later.
    private func requireRelay() async throws(ChatCoreError) {
        // A bot that is not an owner gets that error first. A core that does not list relays decides itself.
        guard isOwnChannel, case .groupRelays(_, _, let relays)? = try? await effects.core.send(.groups(.relays(id)), as: bot.userID) else { return }
        guard !relays.haveNone else { throw ChatCoreError(ChatError.noRelay) }
        guard let wait = await timeForSubscribers(toReach: relays) else { return }
        throw ChatCoreError(
            .noRelay,
            "the relay of the channel is new, and the subscribers of the one that has left are on their way to it; nothing was posted: try again in \(wait) seconds"
        )
    }

    /// Seconds that subscribers need to find another relay after one has left.
    private static let arrival: Int64 = 20

    /// The seconds until subscribers of a relay that has left had time to find one that serves the channel now; nil if one has served it for longer.
    private func timeForSubscribers(toReach relays: [GroupRelay]) async -> Int64? {
        guard relays.contains(where: { $0.status == .inactive }) else { return nil }
        var longest: Int64 = 0
        let now = Int64(effects.now.timeIntervalSince1970)
        for relay in relays where relay.isServing {
            guard
                case .groupMemberInfo(_, _, let member, _)? = try? await effects.core.send(.groups(.memberInfo(id, relay.groupMemberID)), as: bot.userID),
                case let age = now - member.updatedAt.seconds, (0..<Self.arrival).contains(age)
            else { return nil }
            longest = max(longest, age)
        }
        return Self.arrival - longest
    }

    /// True for a channel that the bot owns: it posts in its name.
    var isOwnChannel: Bool { isChannel && info.membership.role == .owner }

    /// The comments on a post of the channel, as a chat: its items are the comments, and messages into it are comments.
    ///
    /// - Parameter post: the item of the post, not that of a comment.
    public func comments(on post: ChatItemID) -> BotChat { BotChat(bot: bot, info: chat.info, effects: effects, post: post) }

    /// Closes a post for comments, or opens it again. The bot must be a moderator or more.
    public func setComments(on post: ChatItemID, areOpen: Bool) async throws {
        _ = try await effects.perform(.messages(.setCommentsDisabled(id, post, !areOpen)))
    }

    /// The relays of the channel and their states. The bot must be an owner.
    public func relays() async throws -> [GroupRelay] {
        guard case .groupRelays(_, _, let relays) = try await effects.perform(.groups(.relays(id))) else {
            throw ChatCoreError(.invalidResponse, "the core did not list the relays")
        }
        return relays
    }
}

extension BotGroup {
    /// Adds a relay to the channel. The bot must be an owner. A relay that already serves the channel, or is already invited, does not change.
    ///
    /// The relay serves the channel once its status in ``relays()`` is `active`, which may take a while. From then on, new subscribers connect to it as
    /// well. Subscribers with Parley connect to it when another relay leaves; official clients of version 6.5 keep their relays.
    ///
    /// - Parameter address: The address of the relay.
    /// - Throws: `ChatCoreError` with the code `error.groupUserRole` if the bot is not an owner, `core.unreachable` if the relay cannot be invited now.
    public func addRelay(_ address: String) async throws {
        let directory = RelayDirectory { [effects] command throws(ChatCoreError) in try await effects.perform(command) }
        let ids = try await directory.ids(of: [address], holding: effects.locks.relays, of: bot.userID)
        switch try await effects.perform(.groups(.addRelays(id, ids))) {
        case .groupRelaysAdded: return
        case .groupRelaysAddFailed(_, let results):
            throw results.compactMap(\.error).first.map { ChatCoreError($0) }
                ?? ChatCoreError(.invalidResponse, "the core did not tell why the relay was not added")
        default: throw ChatCoreError(.invalidResponse, "the core did not show the relays")
        }
    }

    /// Removes a relay of the channel, which delivers what it has accepted and then ends its connections with subscribers. The bot must be an owner.
    public func removeRelay(_ relay: GroupRelay) async throws { _ = try await effects.perform(.groups(.remove(id, [relay.groupMemberID]))) }
}

extension [GroupRelay] {
    /// True if no relay forwards posts: all have left, were removed, have refused or have not come yet.
    var haveNone: Bool { !contains(where: \.isServing) }
}

extension BotGroups {
    /// Tests a relay by its address: whether it answers and has the key of the address. Takes up to 40 seconds.
    ///
    /// - Returns: nil for a relay that can be used, or the step that failed and why.
    public func testRelay(_ address: String) async throws -> RelayTestFailure? {
        let response = try await effects.perform(.servers(.testRelay(user: bot.userID, address: address)))
        guard case .chatRelayTestResult(_, _, let failure) = response else {
            throw ChatCoreError(.invalidResponse, "the core did not show the result of the test")
        }
        return failure
    }

    /// The channels that the bot owns or subscribes to.
    public var channels: [BotGroup] {
        get async { await all.filter(\.isChannel) }
    }

    /// Joins a group, or subscribes to a channel, by its link, or by a name such as `#news.simplex`. ``Trigger/groupJoined`` tells when the bot is a member.
    public func join(link: String) async throws { _ = try await effects.connect(by: link) }

    /// The full form of a link of any kind, looked up at its router if it is short. The record of a group that was joined by a link names it in this form, as
    /// `viaGroupLinkURI`.
    public func fullLink(_ link: String) async throws -> String {
        guard case .connectionPlan(_, let created, _, _, _) = try await effects.perform(.connections(.plan(user: bot.userID, link: link))) else {
            throw ChatCoreError(.invalidResponse, "the core did not show the link")
        }
        return created.fullLink
    }
}

extension BotChat {
    /// Sends a text; into a channel that the bot owns, as a post in its name.
    @discardableResult
    package func announce(_ text: String, onceAs key: String? = nil) async throws -> SentMessage {
        if post == nil, let group, group.isOwnChannel { return try await group.post(text, onceAs: key) }
        let effects = key.map(effects.keyed) ?? effects
        return try await BotChat(bot: bot, info: info, effects: effects, post: post).send(text)
    }

    /// Sends a file; into a channel that the bot owns, as a post in its name.
    @discardableResult
    package func announce(_ file: OutgoingFile, onceAs key: String? = nil) async throws -> SentMessage {
        let chat = BotChat(bot: bot, info: info, effects: key.map(effects.keyed) ?? effects, post: post)
        if post == nil, let group = chat.group, group.isOwnChannel { return try await group.post(file) }
        return try await chat.send(file)
    }
}
