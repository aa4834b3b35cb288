internal import ChatProtocol
public import Parley

/// One profile of a bots.yaml.
public struct ProfileSpec: Sendable {
    /// The key of the profile in the file.
    public let id: String
    /// The display name that others see; the key if the file gives none.
    public let name: String
    /// A line about the bot; at most ``maximumBioLength`` bytes as JSON.
    public let bio: String?
    /// The path of its picture; nil for none.
    public let picture: String?
    /// The settings of the address.
    public let address: AddressSpec
    /// The people whom the bot knows for certain.
    public let trustedContacts: [String]
    /// Groups of others to which trusted contacts invite the bot, and which rules send into.
    public let joinedGroups: [String]
    /// The people, groups and channels that the bot connects to, by links or names.
    public let connections: [String]
    /// The files that the bot receives on its own; nil for none.
    public let fileReception: FileReception?
    /// The pace of sending; nil for the default of the framework.
    public let pace: SendingPace?
    /// The fixed texts of the framework that people read.
    public let texts: BotTexts
    /// The rules, in their order.
    public let rules: [RuleSpec]
    /// The tests of the rules.
    public let tests: [RuleTest]
    /// The groups that the bot keeps.
    public let groups: [ManagedGroup]
    /// The channels that the bot keeps.
    public let channels: [ManagedChannel]
    /// The forms, by their keys.
    public let forms: [String: FormSpec]
    /// The messages that are sent at times.
    public let schedules: [ScheduleSpec]
    /// The plugin that the profile is an instance of; nil for none.
    public let plugin: PluginUse?
    /// True for a profile that relays channels for others.
    public var isRelay: Bool { relay != nil }
    /// The limits of the profile as a relay; nil for a profile that is not a relay.
    public let relay: HostRelay?
    /// True if rules apply while the profile is muted.
    public let handlesEventsWhenMuted: Bool
    /// The retention of messages; nil for the setting of the profile.
    public let retention: MessageRetention?

    /// The longest bio, in bytes of its JSON text without the quotes; the official apps refuse more.
    public static let maximumBioLength = 160

    /// The handling of requests to the profile's address.
    public struct AddressSpec: Sendable, Hashable {
        /// Accept contact requests without asking.
        public var acceptsAutomatically = true
        /// Make a chat of its own for each contact, to which colleagues can be added.
        public var isBusiness = false
        /// The message to a new contact.
        public var welcome: String?
    }

    init?(id: String, at position: SourcePosition, _ reader: NodeReader) {
        guard let mapping = reader.mapping() else { return nil }
        let firstUse = reader.sink.uses.count
        mapping.refuseKeys(otherThan: Schemas.profile)
        self.id = id
        let name = mapping.value("name").map { $0.nonEmptyString() } ?? id
        if let name, !DisplayName.isValid(name) {
            let suggestion = DisplayName.valid(name)
            (mapping.value("name") ?? reader).report(
                .badValue, "\"\(name.cut)\" cannot be a display name", hint: suggestion.isEmpty ? nil : "\"\(suggestion.cut)\" can",
                at: mapping.value("name")?.position ?? position)
        }
        bio = mapping.value("bio")?.nonEmptyString()
        if let bio, bio.jsonLength > Self.maximumBioLength {
            mapping.value("bio")?.report(.badValue, "the bio has \(bio.jsonLength) bytes, more than \(Self.maximumBioLength)")
        }
        picture = mapping.value("picture").flatMap(Self.picture)
        address = mapping.value("address").map(Self.address) ?? AddressSpec()
        let trusted = mapping.value("trusted-contacts").map { Self.names($0, hint: "a trusted contact is one person: remove one") } ?? []
        trustedContacts = trusted
        joinedGroups = mapping.value("joined-groups").map { Self.joinedGroups($0, isTrusting: !trusted.isEmpty) } ?? []
        connections = mapping.value("connect").map(Self.connections) ?? []
        fileReception = mapping.value("receive-files").flatMap(FileReceptionSpec.read)
        pace = mapping.value("pace").flatMap(PaceSpec.read)
        texts = mapping.value("texts").map(TextsSpec.read) ?? BotTexts()
        handlesEventsWhenMuted = mapping.value("handle-when-muted")?.bool() ?? false
        retention = mapping.value("retention").flatMap(Self.retention)
        let mode = mapping.value("mode")?.word(of: RuleMode.words) ?? .enforce
        rules = mapping.value("rules")?.list()?.compactMap { RuleSpec($0, mode: mode) } ?? []
        // A rule with a fault of its own has been reported, and its id is there.
        let known = mapping.value("rules")?.ids ?? []
        tests =
            mapping.value("tests")?.list()?.compactMap { item in
                guard let test = RuleTest(item) else { return nil }
                RuleTest.check(item, known: known)
                return test
            } ?? []
        forms = mapping.value("forms").map(Self.forms) ?? [:]
        schedules = mapping.value("schedules")?.list()?.compactMap { ScheduleSpec($0) } ?? []
        groups = mapping.value("groups").map(GroupSpec.read) ?? []
        channels = mapping.value("channels").map(ChannelSpec.read) ?? []
        relay = mapping.value("relay").flatMap(RelaySpec.read)
        plugin = PluginUse.read(mapping, PluginInstance(id: id, name: name ?? id))
        guard let name else { return nil }
        self.name = name
        refuseSameRules(mapping)
        refuseSameSchedules(mapping)
        let uses = reader.sink.uses[firstUse...]
        refuseUnknownForms(mapping, uses)
        refuseUnknownChats(reader, uses)
        refuseUntrustedNames(reader, uses)
        warnOfUnreachableRules(mapping.reader)
    }

    private static func address(_ reader: NodeReader) -> AddressSpec {
        var address = AddressSpec()
        guard let mapping = reader.mapping() else { return address }
        mapping.refuseKeys(otherThan: Schemas.address)
        if let (accepts, isBusiness) = mapping.value("accept")?.word(of: Schemas.acceptWords) {
            (address.acceptsAutomatically, address.isBusiness) = (accepts, isBusiness)
        }
        address.welcome = mapping.value("welcome").flatMap(Self.welcome)
        return address
    }

    /// Reads a time, or `none`.
    private static func retention(_ reader: NodeReader) -> MessageRetention? {
        if reader.text == "none" { return .unlimited }
        guard let seconds = TimeSpan.positive(reader) else { return nil }
        return .deleting(after: .seconds(seconds))
    }

    private static func joinedGroups(_ reader: NodeReader, isTrusting: Bool) -> [String] {
        if !isTrusting {
            reader.report(
                .badValue, "nobody is trusted to invite the bot to \(reader.path)",
                hint: "name the person who does in trusted-contacts: invitations of others are not followed there")
        }
        return names(reader, hint: "remove one")
    }

    /// Links and names, each once.
    private static func connections(_ reader: NodeReader) -> [String] {
        var targets: [String] = []
        for item in reader.listOrOne() ?? [] {
            guard let text = item.nonEmptyString() else { continue }
            if targets.contains(text) {
                item.report(.badValue, "\"\(text.cut)\" is there twice", hint: "remove one")
            } else if ConnectionTargetText.kind(of: text) == nil {
                item.report(
                    .badValue, "\"\(text.cut)\" is neither a link nor a name",
                    hint: "write a link of a person, group or channel, or a name in quotes: \"@ann.simplex\", \"#news.simplex\"")
            } else {
                targets.append(text)
            }
        }
        return targets
    }

    /// A list of display names, each once.
    private static func names(_ reader: NodeReader, hint: String) -> [String] {
        var names: [String] = []
        for item in reader.listOrOne() ?? [] {
            guard let name = item.nonEmptyString() else { continue }
            if names.contains(name) {
                item.report(.badValue, "\"\(name.cut)\" is there twice", hint: hint)
            } else if !DisplayName.isValid(name) {
                let suggestion = DisplayName.valid(name)
                item.report(.badValue, "\"\(name.cut)\" cannot be a name", hint: suggestion.isEmpty ? nil : "\"\(suggestion.cut)\" can")
            } else {
                names.append(name)
            }
        }
        return names
    }

    /// The path of a picture that can be shown.
    private static func picture(_ reader: NodeReader) -> String? {
        guard let path = reader.nonEmptyString() else { return nil }
        guard let folder = reader.sink.folder else { return path }
        let full = path.hasPrefix("/") ? path : folder + "/" + path
        do throws(BotFileError) {
            _ = try BotProfile.picture(from: full)
        } catch {
            reader.report(.badValue, error.message, hint: error.code == .notFound ? "paths are relative to the folder of this file" : nil)
        }
        return full
    }

    /// The welcome message is published with the address, before anybody has connected: nothing can be filled in.
    private static func welcome(_ reader: NodeReader) -> String? {
        guard let text = reader.nonEmptyString() else { return nil }
        guard let braces = text.firstRange(of: "{{") else { return text }
        reader.report(
            .badTemplate, "a welcome message is not a template: contacts would read \"\(text[braces.lowerBound...].prefix(30))\"",
            hint: "leave the braces out, or greet with a rule: when: { connected: true }",
            at: reader.position(ofByte: text.utf8.distance(from: text.startIndex, to: braces.lowerBound)))
        return nil
    }

    private func warnOfUnreachableRules(_ reader: NodeReader) {
        let ordered = RuleSpec.inOrder(rules)
        for (index, rule) in ordered.enumerated() {
            if rule.when.event == .request, address.acceptsAutomatically {
                reader.warn(
                    .unreachable, "this rule never applies: the address accepts requests automatically", hint: "set address: { accept: manual }",
                    at: rule.position)
            } else if let earlier = ordered[..<index].first(where: { $0.hides(rule) }) {
                reader.warn(
                    .unreachable, "this rule never applies: the one at line \(earlier.position.line) matches before it",
                    hint: "put it above that rule, or add \"continue: true\" to that rule", at: rule.position)
            }
        }
    }

    private static func forms(_ reader: NodeReader) -> [String: FormSpec] {
        guard let mapping = reader.mapping() else { return [:] }
        if mapping.all.isEmpty { reader.report(.badValue, "\(reader.path) must not be empty") }
        return Dictionary(mapping.all.compactMap { entry in FormSpec(id: entry.key, entry.value).map { (entry.key, $0) } }) { first, _ in first }
    }

    private func refuseSameSchedules(_ mapping: MappingReader) {
        let ids = schedules.map(\.id)
        if let id = ids.first(where: { id in ids.count { $0 == id } > 1 }) {
            mapping.value("schedules")?.report(.badValue, "two schedules of profile \"\(self.id.cut)\" have the id \"\(id.cut)\"")
        }
    }

    private func refuseUnknownForms(_ mapping: MappingReader, _ uses: ArraySlice<NameUse>) {
        let known = mapping.value("forms")?.keys ?? []
        for use in uses where use.kind == .form && !known.contains(use.name) {
            mapping.reader.report(
                .badValue, "there is no form \"\(use.name.cut)\"",
                hint: known.isEmpty ? "write it: forms: { \(use.name.cut): { questions: […], done: … } }" : Spelling.hint(for: use.name, among: known),
                at: use.position)
        }
        for rule in rules {
            for name in rule.then.compactMap({ ($0.value as? BeginFormAction)?.form }) where forms[name]?.broadcasts == true {
                guard let need = rule.when.broadcastObjection else { continue }
                mapping.reader.report(.badValue, "the form \"\(name.cut)\" sends to many, and \(need.reason)", hint: need.hint, at: rule.position)
            }
        }
    }

    private func refuseSameRules(_ mapping: MappingReader) {
        var seen: Set<String> = []
        for rule in rules {
            guard let id = rule.id, !seen.insert(id).inserted else { continue }
            mapping.reader.report(.badValue, "two rules of profile \"\(self.id.cut)\" have the id \"\(id.cut)\"", at: rule.position)
        }
    }
}
