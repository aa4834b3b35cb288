public import ChatAPI
public import ChatProtocol

/// A group that a bot makes at its start if it is not there, and keeps as it is described.
///
/// Changes by members and other owners are undone at the next start. Members, messages and the link itself stay.
public struct ManagedGroup: Sendable, Hashable {
    /// The id under which the group is found again at the next start. Keep it when the name changes.
    public let id: String
    /// The settings that the group is kept at.
    public var settings: GroupSettings
    /// The role of those who join by the link; nil for a group without a link.
    public var linkRole: GroupMemberRole?
    /// The rules for those who ask to join by the link, in the order of evaluation; nil keeps the rules of the link.
    public var joinerRules: [JoinerRule]?
    /// The people who are made moderators: names in ``Bot/trustedContacts``. Each is invited when it connects, with the role, and gets it back at each start.
    /// Other members keep their roles.
    public var moderators: [String]
    /// The people who are invited as members when they connect: names in ``Bot/trustedContacts``. In the group they count as trusted contacts, which those
    /// who join by the link do not. Their roles are left as they are.
    public var members: [String]

    /// Creates the description of a group.
    public init(
        _ id: String, _ settings: GroupSettings, linkRole: GroupMemberRole? = .member, joinerRules: [JoinerRule]? = nil, moderators: [String] = [],
        members: [String] = []
    ) {
        self.id = id
        self.settings = settings
        self.linkRole = linkRole
        self.joinerRules = joinerRules
        self.moderators = moderators
        self.members = members
    }

    /// The declared profile of the group, made from the present one. What newer clients have added to that stays.
    ///
    /// - Parameter menu: the commands that the apps show in the group.
    func profile(from old: GroupProfile, menu: [MenuCommand]) -> GroupProfile {
        var profile = old
        let wanted = settings.profile
        profile.displayName = wanted.displayName
        profile.shortDescription = wanted.shortDescription
        profile.description = wanted.description
        profile.image = wanted.image ?? old.image
        profile.memberAdmission = wanted.memberAdmission.map { $0.keepingUnknownMembers(of: old.memberAdmission) }
        profile.groupPreferences = Self.merged(settings.preferences, into: old.groupPreferences, menu: menu)
        return profile
    }

    /// The preferences that are described, and the others as they are.
    private static func merged(_ wanted: GroupPreferences, into old: GroupPreferences?, menu: [MenuCommand]) -> GroupPreferences? {
        var merged = old ?? GroupPreferences()
        merged.timedMessages = wanted.timedMessages.map { $0.keepingUnknownMembers(of: merged.timedMessages) } ?? merged.timedMessages
        merged.directMessages = wanted.directMessages.map { $0.keepingUnknownMembers(of: merged.directMessages) } ?? merged.directMessages
        merged.fullDelete = wanted.fullDelete.map { $0.keepingUnknownMembers(of: merged.fullDelete) } ?? merged.fullDelete
        merged.reactions = wanted.reactions.map { $0.keepingUnknownMembers(of: merged.reactions) } ?? merged.reactions
        merged.voice = wanted.voice.map { $0.keepingUnknownMembers(of: merged.voice) } ?? merged.voice
        merged.files = wanted.files.map { $0.keepingUnknownMembers(of: merged.files) } ?? merged.files
        merged.simplexLinks = wanted.simplexLinks.map { $0.keepingUnknownMembers(of: merged.simplexLinks) } ?? merged.simplexLinks
        merged.reports = wanted.reports.map { $0.keepingUnknownMembers(of: merged.reports) } ?? merged.reports
        merged.history = wanted.history.map { $0.keepingUnknownMembers(of: merged.history) } ?? merged.history
        merged.support = wanted.support.map { $0.keepingUnknownMembers(of: merged.support) } ?? merged.support
        merged.sessions = wanted.sessions.map { $0.keepingUnknownMembers(of: merged.sessions) } ?? merged.sessions
        merged.comments = wanted.comments.map { $0.keepingUnknownMembers(of: merged.comments) } ?? merged.comments
        merged.signMessages = wanted.signMessages.map { $0.keepingUnknownMembers(of: merged.signMessages) } ?? merged.signMessages
        let commands = menu.map { BotCommand.command(keyword: $0.keyword, label: $0.label, params: $0.parameters) }
        if !commands.isEmpty || merged.commands?.isEmpty == false { merged.commands = commands }
        return merged == GroupPreferences() ? old : merged
    }
}
