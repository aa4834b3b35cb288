internal import ChatProtocol
internal import Parley

/// Reads `groups:` of a profile: the groups that its bot keeps.
enum GroupSpec {
    /// Roles that can be given to those who join by a link.
    static let linkRoles: KeyValuePairs<String, GroupMemberRole?> = ["member": .member, "observer": .observer, "none": nil]
    /// Roles that a rule for joiners can give.
    static let joinerRoles: KeyValuePairs<String, GroupMemberRole> = ["member": .member, "observer": .observer]
    static let features: KeyValuePairs<String, GroupFeature> = [
        "direct-messages": .directMessages, "full-delete": .fullDelete, "reactions": .reactions, "voice": .voice, "files": .files,
        "simplex-links": .simplexLinks, "reports": .reports, "history": .history, "support": .support,
        "comments": .comments,
    ]
    /// Features that can be for members of a role and above.
    private static let featuresWithRole: Set<GroupFeature> = [.directMessages, .fullDelete, .voice, .files, .simplexLinks]
    /// Seconds after which messages may disappear: a year at the most.
    static let disappearing = 1...31_536_000

    /// Moderators, and members, that a group names at the most.
    static let maximumPeople = 100

    static func read(_ reader: NodeReader) -> [ManagedGroup] {
        guard let mapping = reader.mapping() else { return [] }
        if mapping.all.isEmpty { reader.report(.badValue, "\(reader.path) must not be empty") }
        var names: [String: String] = [:]
        return mapping.all.compactMap { entry in
            guard let group = group(entry.key, at: entry.position, entry.value) else { return nil }
            if let other = names.updateValue(entry.key, forKey: group.settings.name) {
                reader.report(
                    .badValue, "groups \"\(other.cut)\" and \"\(entry.key.cut)\" have the same name \"\(group.settings.name.cut)\"", at: entry.position)
            }
            return group
        }
    }

    private static func group(_ id: String, at position: SourcePosition, _ reader: NodeReader) -> ManagedGroup? {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.group)
        guard var settings = settings(id, at: position, mapping) else { return nil }
        settings.reviewsNewMembers = mapping.value("review")?.bool() ?? false
        var link: GroupMemberRole? = .member
        if let role = mapping.value("link")?.word(of: linkRoles) { link = role }
        let joiners = mapping.value("joiners")
        if let joiners, link == nil { joiners.report(.badValue, "nobody joins a group without a link", hint: "leave out \"joiners\", or \"link: none\"") }
        let moderators = people(mapping.value("moderators"), "moderators"), members = people(mapping.value("members"), "members")
        if let both = members.first(where: moderators.contains) {
            mapping.value("members")?.report(.badValue, "\"\(both.cut)\" is a moderator, too", hint: "remove the name from \"members\"")
        }
        return ManagedGroup(
            id, settings, linkRole: link, joinerRules: joiners.map(JoinerSpec.read), moderators: moderators, members: members)
    }

    private static func people(_ reader: NodeReader?, _ kind: String) -> [String] {
        let names = reader?.listOrOne()?.compactMap { $0.name(of: .person) } ?? []
        if names.count > maximumPeople { reader?.report(.tooLarge, "\(names.count) \(kind) are more than \(maximumPeople)") }
        return names
    }

    /// The settings that groups and channels have in common.
    static func settings(_ id: String, at position: SourcePosition, _ mapping: MappingReader) -> GroupSettings? {
        let reader = mapping.reader
        let named = mapping.value("name")
        guard let name = named.map({ $0.nonEmptyString() }) ?? id else { return nil }
        if !DisplayName.isValid(name) {
            let suggestion = DisplayName.valid(name)
            (named ?? reader).report(
                .badValue, "\"\(name.cut)\" cannot be a name of a group", hint: suggestion.isEmpty ? nil : "\"\(suggestion.cut)\" can",
                at: named?.position ?? position)
        }
        var settings = GroupSettings(name)
        settings.summary = mapping.value("summary")?.nonEmptyString()
        if let summary = settings.summary, summary.jsonLength > ProfileSpec.maximumBioLength {
            mapping.value("summary")?.report(.badValue, "the summary has \(summary.jsonLength) bytes, more than \(ProfileSpec.maximumBioLength)")
        }
        settings.welcome = mapping.value("welcome")?.nonEmptyString()
        if let preferences = mapping.value("preferences") { settings.preferences = self.preferences(preferences) }
        return settings
    }

    /// The words for a feature.
    static func words(for feature: GroupFeature) -> [String] { settings(of: feature).map(\.key) }

    private static func settings(of feature: GroupFeature) -> KeyValuePairs<String, (GroupFeatureEnabled, GroupMemberRole?)> {
        featuresWithRole.contains(feature)
            ? ["on": (.on, nil), "off": (.off, nil), "moderator": (.on, .moderator), "admin": (.on, .admin), "owner": (.on, .owner)]
            : ["on": (.on, nil), "off": (.off, nil)]
    }

    private static func preferences(_ reader: NodeReader) -> GroupPreferences {
        var preferences = GroupPreferences()
        guard let mapping = reader.mapping() else { return preferences }
        mapping.refuseKeys(otherThan: Schemas.preferences)
        for (key, feature) in features {
            guard let value = mapping.value(key) else { continue }
            if let (enable, role) = value.word(of: settings(of: feature)) { preferences.set(feature, enable, role: role) }
        }
        if let value = mapping.value("disappearing") {
            if value.text == "off" {
                preferences.timedMessages = TimedMessagesGroupPreference(enable: .off)
            } else if let seconds = value.integer(in: disappearing) {
                preferences.timedMessages = TimedMessagesGroupPreference(enable: .on, ttl: seconds)
            }
        }
        return preferences
    }
}
