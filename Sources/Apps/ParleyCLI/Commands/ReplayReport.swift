internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Hosting
internal import ParleyRules

/// The rules of a profile, and those before, in front of the same messages.
struct ReplayComparison: Sendable {
    /// The outcomes of both rule sets for a message.
    struct Difference {
        let new: RuleReplay.Outcome
        /// Nil if there is nothing to compare with.
        let old: RuleReplay.Outcome?
    }

    let profile: String
    /// The names that the profile may have in the folder.
    let names: [String]
    /// The names of the profile's trusted contacts.
    let trusted: Set<String>
    private var new: RuleReplay
    private var old: RuleReplay?
    /// Messages that were given.
    private(set) var messages = 0
    /// Messages that are shown.
    private(set) var shown = 0
    /// The messages that each rule applies to: of the new and of the old rules.
    private(set) var counts: [String: (new: Int, old: Int)] = [:]
    /// The rules in the order of the files.
    let rules: [String]

    init(_ profile: ProfileSpec, in file: BotsFile, before: ProfileSpec?, in old: BotsFile?) throws {
        self.profile = profile.id
        trusted = Set(profile.trustedContacts)
        names = ([profile.name] + (before.map { [$0.name] } ?? [])).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        new = RuleReplay(try RuleSet(profile.rules, lists: file.lists), bot: profile.name)
        // A profile that the other file does not have did nothing.
        self.old = try old.map { old in RuleReplay(try RuleSet(before?.rules ?? [], lists: old.lists), bot: before?.name ?? profile.name) }
        rules = (profile.rules + (before?.rules ?? [])).map(\.label).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// - Returns: nil for a message with which both do the same or, with nothing to compare, to which no rule applies.
    mutating func take(_ message: ReplayedMessage) -> Difference? {
        messages += 1
        let outcome = new.take(message), before = old?.take(message)
        for rule in outcome.rules { counts[rule, default: (0, 0)].new += 1 }
        for rule in before?.rules ?? [] { counts[rule, default: (0, 0)].old += 1 }
        guard before.map({ !outcome.hasSameEffects(as: $0) }) ?? !outcome.rules.isEmpty else { return nil }
        shown += 1
        return Difference(new: outcome, old: before)
    }
}

/// The output of `parley replay`.
struct ReplayReport: Sendable {
    let file: String
    let against: String?
    let showsText: Bool
    let json: Bool

    func show(_ message: ReplayedMessage, _ difference: ReplayComparison.Difference, of comparison: ReplayComparison) {
        let time = message.time.formatted(.iso8601)
        guard !json else {
            Output.line(
                Output.object { object in
                    object["event"] = "message"
                    object["profile"] = comparison.profile
                    object["item"] = message.id.rawValue
                    object["chat"] = message.chat
                    object["time"] = time
                    object["new"] = outcome(difference.new)
                    object["old"] = difference.old.map(outcome)
                    if showsText { object["text"] = message.text }
                })
            return
        }
        let new = words(difference.new)
        let change = difference.old.map { "\(words($0)) -> \(new)" } ?? new
        Output.line("\(comparison.profile): message \(message.id.rawValue) in \(VisibleText.name(message.chat)), \(time): \(change)")
        if showsText { Output.block("    ", message.text) }
    }

    func end(_ comparison: ReplayComparison) {
        let rules = comparison.rules.map { ($0, comparison.counts[$0] ?? (0, 0)) }
        guard !json else {
            let counts = rules.map { rule, count in
                Output.object { object in
                    object["rule"] = rule
                    object["new"] = count.new
                    if against != nil { object["old"] = count.old }
                }
            }
            Output.line(
                Output.object { object in
                    object["event"] = "done"
                    object["profile"] = comparison.profile
                    object["messages"] = comparison.messages
                    object[against == nil ? "applied" : "different"] = comparison.shown
                    object["rules"] = JSONValue.array(counts)
                })
            return
        }
        let messages = "\(comparison.messages) message\(comparison.messages == 1 ? "" : "s")"
        Output.line(
            "\(comparison.profile): \(messages), " + (against == nil ? "rules apply to \(comparison.shown)" : "\(comparison.shown) with another outcome"))
        for (rule, count) in rules where count.new + count.old > 0 {
            Output.line("  \(rule): \(count.new)" + (against == nil || count.new == count.old ? "" : " (before: \(count.old))"))
        }
    }

    private func words(_ outcome: RuleReplay.Outcome) -> String {
        guard !outcome.actions.isEmpty else { return "nothing" }
        let actions = outcome.actions.map { ($0.isAudit ? "audit " : "") + (showsText ? $0.description : $0.word) }
        return actions.joined(separator: ", ") + " (\(outcome.rules.joined(separator: ", ")))"
    }

    private func outcome(_ outcome: RuleReplay.Outcome) -> JSONValue {
        Output.object { object in
            object["rules"] = JSONValue.array(outcome.rules.map { .string($0) })
            object["actions"] = JSONValue.array(
                outcome.actions.map { action in
                    Output.object { object in
                        object["rule"] = action.rule
                        object["action"] = action.word
                        if action.isAudit { object["audit"] = true }
                        if showsText { object["detail"] = action.detail }
                    }
                })
        }
    }
}
