internal import Foundation

/// An action against a message or a member, as the record of a group holds it.
public struct ModerationCase: Codable, Sendable, Hashable {
    /// The number within the group, from 1.
    public package(set) var number: Int
    /// The name of the rule that applied; empty for none.
    public package(set) var rule: String
    /// The action: `warn`, `block`, `role`, `remove` or `moderate`.
    public package(set) var action: String
    /// The reason; nil if none was given.
    public package(set) var reason: String?
    /// The id of the member whom it is about; nil if it is not known.
    public package(set) var member: Int64?
    /// The name of that member at the time.
    public package(set) var name: String
    /// The role that the member had before the action changed it.
    public package(set) var roleBefore: String?
    /// The beginning of the text that the action is about.
    public package(set) var evidence: String
    /// The time, in seconds since 1970.
    public package(set) var time: Double
    /// The time at which it ends by itself, in seconds since 1970; nil for never.
    public package(set) var expires: Double?
    /// The person who has undone it, or `expiry`; nil while it holds.
    public package(set) var undoneBy: String?
    /// The person who asked for the action; nil for the bot itself.
    public package(set) var actor: String?
    /// The name of the case for the timer that ends it, and for its confirmation; nil for a case that needs neither, and for cases of earlier versions.
    package private(set) var endKey: String?
    /// True until it is known that the action was done: the process may have died before.
    public var isUnconfirmed: Bool { unconfirmedMark == true }
    private var unconfirmedMark: Bool?
    /// The times before they were corrected, by a clock that may have been the right one.
    private(set) var uncorrected: TimerTimes.Original?

    /// Characters of evidence at the most.
    public static let longestEvidence = 200

    package init(
        number: Int, rule: String, action: String, reason: String? = nil, member: Int64? = nil, name: String, roleBefore: String? = nil, evidence: String,
        time: Double, expires: Double? = nil, undoneBy: String? = nil, actor: String? = nil,
        endKey: String? = nil
    ) {
        self.number = number
        self.rule = rule
        self.action = action
        self.reason = reason
        self.member = member
        self.name = name
        self.roleBefore = roleBefore
        self.evidence = String(evidence.prefix(Self.longestEvidence))
        self.time = time
        self.expires = expires
        self.undoneBy = undoneBy
        self.actor = actor
        self.endKey = endKey
    }

    /// Names the case. Numbers do not do: a handler that runs again after a crash opens its case under another.
    mutating func makeKey() { endKey = String(UInt64.random(in: .min ... .max), radix: 16) }

    /// The case before its action.
    var unconfirmed: ModerationCase {
        var unconfirmed = self
        unconfirmed.unconfirmedMark = true
        return unconfirmed
    }

    fileprivate mutating func confirm() { unconfirmedMark = nil }

    /// True if it can be taken back.
    public var isReversible: Bool { ["warn", "block", "role"].contains(action) }

    /// The part of the case that is needed to take it back, without words of people.
    var ending: ModerationCase {
        ModerationCase(number: number, rule: "", action: action, member: member, name: "", roleBefore: roleBefore, evidence: "", time: time, endKey: endKey)
    }

    /// True for one of the same kind against the same member that came later and holds.
    fileprivate func follows(_ other: ModerationCase) -> Bool {
        number > other.number && action == other.action && member == other.member && undoneBy == nil
    }

    /// One line for moderators, with the times in UTC.
    ///
    /// - Parameter hasText: whether the line ends with the text that the action is about. That was often deleted, and is not for everybody.
    package func entry(withText hasText: Bool) -> String {
        var text = "\(number): \(action) \(name)"
        if !rule.isEmpty { text += ", rule \(rule)" }
        text += ", " + Self.text(of: time)
        if let expires { text += " to " + Self.text(of: expires) }
        if let actor { text += ", by \(actor)" }
        if let reason { text += ", \(reason)" }
        if isUnconfirmed { text += ", perhaps not done" }
        if let undoneBy { text += ", undone by \(undoneBy)" }
        return evidence.isEmpty || !hasText ? text : text + ": \(evidence)"
    }

    /// A time as lists show it: `2026-11-27 08:30`, in UTC.
    package static func text(of time: Double) -> String {
        let format = Date.ISO8601FormatStyle.iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false)
        return String(Date(timeIntervalSince1970: time).formatted(format).prefix(16))
    }

    /// One line for moderators.
    public var line: String {
        var text = "\(number): \(action) \(name)"
        if !rule.isEmpty { text += ", rule \(rule)" }
        if let actor { text += ", by \(actor)" }
        if let reason { text += ", \(reason)" }
        if isUnconfirmed { text += ", perhaps not done" }
        if let undoneBy { text += ", undone by \(undoneBy)" }
        return evidence.isEmpty ? text : text + ": \(evidence)"
    }
}

/// The record of a group: the newest cases.
package struct ModerationRecord: StoredState, Hashable {
    package static let stateName = "parley.cases"
    /// Cases that are kept at the most; the oldest are forgotten first.
    package static let maximumCases = 200
    /// Cases that a list shows.
    package static let listed = 10

    /// The number of the next case.
    package private(set) var next = 1
    /// The cases, the oldest first.
    package private(set) var cases: [ModerationCase] = []

    package init() {}

    /// Adds a case under its number, or the next one if that is taken. A case can come after those with higher numbers: its handler has ended later.
    ///
    /// - Returns: the case under the number that it has.
    @discardableResult
    package mutating func add(_ new: ModerationCase) -> ModerationCase {
        var new = new
        if cases.contains(where: { $0.number == new.number }) { new.number = next }
        next = max(next, new.number + 1)
        cases.insert(new, at: cases.lastIndex { $0.number < new.number }.map { $0 + 1 } ?? 0)
        if cases.count > Self.maximumCases { cases.removeFirst() }
        return new
    }

    /// Says of a case that its action was done. A handler that sees the record as it was before the case was stored adds it.
    ///
    /// - Returns: the case as it is then.
    mutating func confirm(_ opened: ModerationCase) -> ModerationCase {
        guard let index = cases.firstIndex(where: { $0.endKey == opened.endKey }) else {
            var confirmed = opened
            confirmed.confirm()
            return add(confirmed)
        }
        cases[index].confirm()
        return cases[index]
    }

    /// Removes a case whose action was not done. Its number is not given again.
    mutating func withdraw(_ opened: ModerationCase) { cases.removeAll { $0.endKey == opened.endKey } }

    /// Marks a case as undone. A later change of the member's role leads back to the role before this one from then on.
    package mutating func markUndone(_ number: Int, by name: String) {
        guard let index = cases.firstIndex(where: { $0.number == number }) else { return }
        cases[index].undoneBy = name
        passOn(cases[index])
    }

    /// Passes the role before a change that is taken back on to the next change that holds.
    mutating func passOn(_ change: ModerationCase) {
        guard change.action == "role", let index = cases.firstIndex(where: { $0.follows(change) }) else { return }
        cases[index].roleBefore = change.roleBefore
    }

    /// Checks whether the member of a case stays as it is when that is taken back: another block holds, or a later change of the role.
    package func outlasts(_ found: ModerationCase, at now: Double) -> Bool {
        switch found.action {
        case "block":
            cases.contains { other in
                other.number != found.number && other.action == "block" && other.member == found.member && other.undoneBy == nil
                    && other.expires.map { $0 > now } ?? true
            }
        case "role": cases.contains { $0.follows(found) }
        default: false
        }
    }

    /// Deletes the name and the words of a member from its cases.
    mutating func erase(_ member: Int64) {
        for index in cases.indices where cases[index].member == member {
            cases[index].name = "(deleted)"
            cases[index].evidence = ""
        }
    }

    /// The case of a number; without a number the newest that can be taken back.
    package func open(_ number: Int?) -> ModerationCase? {
        if let number { return cases.first { $0.number == number } }
        return cases.last { $0.isReversible && $0.undoneBy == nil }
    }

    /// The newest cases for moderators, a line each, with their times.
    package func report(withTexts hasTexts: Bool) -> String {
        cases.isEmpty ? "No cases." : cases.suffix(Self.listed).reversed().map { $0.entry(withText: hasTexts) }.joined(separator: "\n")
    }

    /// The newest cases, a line each.
    package var list: String {
        cases.isEmpty ? "No cases." : cases.suffix(Self.listed).reversed().map(\.line).joined(separator: "\n")
    }
}
