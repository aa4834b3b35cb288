public import Logging
public import Parley
internal import Synchronization

/// The bots of a file, whose rules can be replaced while they run.
///
/// Rules, lists and forms are replaced together, for all profiles in one step: an event sees the old ones or the new ones. What is remembered of
/// people stays. Everything else that a file says, such as names, addresses and groups, is looked at when the bots start.
public final class RunningRules: Sendable {
    /// The bots.
    public let bots: [Bot]
    private let current: RuleBox
    private let started: BotsFile

    /// - Parameter logger: the log of rules.
    public convenience init(_ file: BotsFile, logger: Logger = Logger(label: "parley.rules")) throws {
        try self.init(file, logger: logger, webhooks: WebClientTransport())
    }

    /// - Parameter webhooks: the way of webhooks to their receivers.
    package init(_ file: BotsFile, logger: Logger = Logger(label: "parley.rules"), webhooks: any WebhookTransport) throws {
        let rules = try Self.compiled(file)
        let box = RuleBox(rules)
        current = box
        started = file
        bots = file.profiles.compactMap { profile in
            guard let first = rules[profile.id] else { return nil }
            return profile.bot(logger: logger, menuOf: first.rules, webhooks: webhooks) { box.rules(of: profile.id) ?? first }
        }
    }

    /// Replaces the rules.
    ///
    /// - Returns: the parts of the file that differ from those at the start and wait for another start, in words; empty if nothing does.
    /// - Throws: `TextPatternError` if a pattern does not compile, ``RuleReplacementError`` if the file has none of the profiles that run. Then the
    ///   rules stay.
    public func replace(with file: BotsFile) throws -> [String] {
        let running = started.profiles.map(\.id)
        guard file.profiles.contains(where: { running.contains($0.id) }) else { throw RuleReplacementError(running: running, found: file.profiles.map(\.id)) }
        current.replace(with: try Self.compiled(file))
        return started.differencesBeyondRules(from: file)
    }

    private static func compiled(_ file: BotsFile) throws -> [String: ProfileRules] {
        var rules: [String: ProfileRules] = [:]
        for profile in file.profiles { rules[profile.id] = try profile.compiled(lists: file.lists) }
        return rules
    }
}

/// A file that has none of the profiles that run.
public struct RuleReplacementError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The keys of the profiles that run.
    public let running: [String]
    /// The keys of the profiles of the file.
    public let found: [String]

    /// A textual form, for messages and logs.
    public var description: String {
        "the file has no profile that runs: \(running.joined(separator: ", ")) run, and it has \(found.joined(separator: ", ")). Keep the keys of profiles, or "
            + "start the bots again"
    }
}

/// The rules that are in force, by the keys of their profiles.
private final class RuleBox: Sendable {
    private let profiles: Mutex<[String: ProfileRules]>

    init(_ profiles: [String: ProfileRules]) { self.profiles = Mutex(profiles) }

    func rules(of id: String) -> ProfileRules? { profiles.withLock { $0[id] } }

    func replace(with new: [String: ProfileRules]) { profiles.withLock { $0 = new } }
}

extension BotsFile {
    /// The parts of another file that are looked at when bots start, and differ.
    fileprivate func differencesBeyondRules(from other: BotsFile) -> [String] {
        var differences: [String] = network == other.network ? [] : ["network"]
        if monitoring != other.monitoring { differences.append("metrics") }
        if joins != other.joins { differences.append("joins") }
        if webhooks != other.webhooks { differences.append("webhooks") }
        for profile in other.profiles where !profiles.contains(where: { $0.id == profile.id }) { differences.append("profile \(profile.id) is new") }
        for profile in profiles {
            guard let new = other.profiles.first(where: { $0.id == profile.id }) else {
                differences.append("profile \(profile.id) is gone")
                continue
            }
            differences += profile.differencesBeyondRules(from: new).map { "\($0) of profile \(profile.id)" }
        }
        return differences
    }
}

extension ProfileSpec {
    fileprivate func differencesBeyondRules(from other: ProfileSpec) -> [String] {
        var differences: [String] = []
        if name != other.name { differences.append("name") }
        if bio != other.bio { differences.append("bio") }
        if picture != other.picture { differences.append("picture") }
        if trustedContacts != other.trustedContacts { differences.append("trusted-contacts") }
        if fileReception != other.fileReception { differences.append("receive-files") }
        if address != other.address { differences.append("address") }
        if pace != other.pace { differences.append("pace") }
        if texts != other.texts { differences.append("texts") }
        if groups != other.groups { differences.append("groups") }
        if channels != other.channels { differences.append("channels") }
        if relay != other.relay { differences.append("relay") }
        if retention != other.retention { differences.append("retention") }
        if handlesEventsWhenMuted != other.handlesEventsWhenMuted { differences.append("handle-when-muted") }
        if plugin?.name != other.plugin?.name || plugin?.source != other.plugin?.source { differences.append("plugin") }
        if other.isAboutDeliveries, !isAboutDeliveries { differences.append("rules about deliveries") }
        if other.isAboutTransfers, !isAboutTransfers { differences.append("rules about transfers of files") }
        if schedules != other.schedules { differences.append("schedules") }
        if rules.compactMap(\.menuText) != other.rules.compactMap(\.menuText) { differences.append("menu") }
        return differences
    }
}

extension RuleSpec {
    /// The entry of the rule in the menus of apps.
    fileprivate var menuText: String? { description.map { "\(when.commands?.first ?? "") \($0) \(when.members.kinds.rawValue)" } }
}
