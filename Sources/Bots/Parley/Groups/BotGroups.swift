public import ChatAPI
internal import ChatModel
public import ChatProtocol

/// The groups of a bot.
public struct BotGroups: Sendable {
    let bot: BotIdentity
    let effects: Effects

    /// All groups, the last active first: also those that the bot was only invited to, or has left.
    public var all: [BotGroup] {
        get async { await effects.chats.all.compactMap { $0.info.groupInfo }.map { BotGroup(bot: bot, info: $0, effects: effects) } }
    }

    /// The group of an id; nil if there is none.
    public func group(_ id: GroupID) async -> BotGroup? { await all.first { $0.id == id } }

    /// The group of a name, as ``BotGroup/name`` has it. Anybody can invite the bot to a group of a name: ``managed(_:)`` finds those of the bot.
    public func group(named name: String) async -> BotGroup? { await all.first { $0.name == name } }

    /// Makes a group. The bot is its owner.
    ///
    /// - Throws: `ChatCoreError` with the code `group.longSummary` for a summary of more than 160 bytes.
    @discardableResult
    public func create(_ settings: GroupSettings) async throws -> BotGroup {
        if let summary = settings.summary, summary.jsonLength > ChatLimits.shortDescription {
            throw ChatCoreError(.longSummary, "the summary has \(summary.jsonLength) bytes, more than \(ChatLimits.shortDescription): shorten it")
        }
        guard case .groupCreated(_, let info) = try await effects.perform(.groups(.create(user: bot.userID, settings.profile))) else {
            throw ChatCoreError(.invalidResponse, "the core did not show the group that it made")
        }
        return BotGroup(bot: bot, info: info, effects: effects)
    }

    /// Accepts an invitation. ``Trigger/groupJoined`` tells when the bot is a member.
    public func join(_ id: GroupID) async throws { _ = try await effects.perform(.groups(.join(id))) }
}

extension ChatCoreError.Code {
    /// The summary of a group is longer than official apps take. Nothing was made.
    public static let longSummary = Self(rawValue: "group.longSummary")
}

/// The settings of a group.
public struct GroupSettings: Sendable, Hashable {
    /// The display name.
    public var name: String
    /// A line about the group; at most 160 bytes.
    public var summary: String?
    /// The message that new members read.
    public var welcome: String?
    /// A picture as a `data:image/jpg;base64,…` URI, at most 12,500 characters.
    public var image: String?
    /// The preferences of the group; those that are nil have the network's default.
    public var preferences: GroupPreferences
    /// True if moderators let each new member in.
    public var reviewsNewMembers: Bool

    /// Creates the settings of a group.
    public init(
        _ name: String, summary: String? = nil, welcome: String? = nil, image: String? = nil, preferences: GroupPreferences = GroupPreferences(),
        reviewsNewMembers: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.welcome = welcome
        self.image = image
        self.preferences = preferences
        self.reviewsNewMembers = reviewsNewMembers
    }

    package var profile: GroupProfile {
        GroupProfile(
            displayName: name, shortDescription: summary, description: welcome, image: image.map(ImageData.init), groupPreferences: preferences,
            memberAdmission: reviewsNewMembers ? GroupMemberAdmission(review: .all) : nil)
    }
}

extension BotChat {
    /// The group, in a chat of one.
    public var group: BotGroup? { info.groupInfo.map { BotGroup(bot: bot, info: $0, effects: effects) } }

    /// All groups of the bot.
    public var groups: BotGroups { BotGroups(bot: bot, effects: effects) }

    /// The kind of chat.
    public var kind: ChatKinds { ChatKinds(info) }
}

extension ChatContext {
    /// The group, in a chat of one.
    public var group: BotGroup? { chat.group }

    /// All groups of the bot.
    public var groups: BotGroups { chat.groups }
}
