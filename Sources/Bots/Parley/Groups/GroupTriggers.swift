internal import ChatAPI
internal import ChatProtocol

extension Trigger where Context == MessageContext {
    /// A message in a group that mentions the bot.
    public static var mention: Self {
        Self(.message, in: [.groups, .supportChats, .businessChats]) { incoming in
            incoming.message.flatMap { $0.mentionsBot && $0.kind != .report ? $0 : nil }
        }
    }
}

extension Trigger where Context == ReportContext {
    /// A member reports a message to the moderators, of whom the bot is one.
    public static var report: Self {
        var trigger = Self(.message, in: .all) { $0.report }
        trigger.possibleKinds = [.report]
        return trigger
    }
}

extension Trigger where Context == InvitationContext {
    /// A contact invites the bot to a group.
    public static var groupInvitation: Self { Self(.invitation, in: .all) { $0.invitation } }
}

extension Trigger where Context == MemberContext {
    /// Anything happened to a member.
    public static var memberChanged: Self { Self(.member, in: .all) { $0.member } }

    /// A member has joined, or was admitted. Members who joined before the bot do not count.
    public static var memberJoined: Self { member { $0 == .joined } }

    /// A new member waits to be admitted. The chat of the context is the member's conversation with the moderators.
    public static var memberPending: Self { member { $0 == .pending } }

    /// A member left.
    public static var memberLeft: Self { member { $0 == .left } }

    /// A member was removed by another than the bot.
    public static var memberRemoved: Self { member { if case .removed = $0 { true } else { false } } }

    /// A member got another role, from another than the bot.
    public static var memberRoleChanged: Self { member { if case .role = $0 { true } else { false } } }

    /// A member was blocked for all, or unblocked, by another than the bot.
    public static var memberBlocked: Self { member { $0 == .blocked || $0 == .unblocked } }

    private static func member(_ isWanted: @escaping @Sendable (MemberChange) -> Bool) -> Self {
        Self(.member, in: .all) { incoming in incoming.member.flatMap { isWanted($0.change) ? $0 : nil } }
    }
}

extension Trigger where Context == GroupContext {
    /// The bot has joined a group, or was admitted.
    public static var groupJoined: Self { group { $0 == .joined } }

    /// The profile of a group was changed by another than the bot.
    public static var groupUpdated: Self { group { if case .updated = $0 { true } else { false } } }

    /// The bot got another role.
    public static var botRoleChanged: Self { group { if case .role = $0 { true } else { false } } }

    /// The bot was removed from a group, or the group was deleted.
    public static var groupEnded: Self { group { $0 == .removed || $0 == .deleted } }

    private static func group(_ isWanted: @escaping @Sendable (GroupChange) -> Bool) -> Self {
        Self(.group, in: .all) { incoming in incoming.group.flatMap { isWanted($0.change) ? $0 : nil } }
    }
}
