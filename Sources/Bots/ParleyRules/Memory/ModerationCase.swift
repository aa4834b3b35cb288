internal import ChatAPI
internal import ChatProtocol
internal import Parley

/// An action of a rule against a message or a member, as the record of a group holds it.
struct ModerationCase: Codable, Sendable, Hashable {
    /// The number within the group, from 1.
    var number: Int
    /// The id of the rule, or its line.
    var rule: String
    /// The key of the action.
    var action: String
    /// The reason that the rule gives.
    var reason: String?
    /// The member whom it is about.
    var member: Int64?
    /// The name of that member at the time.
    var name: String
    /// The role that the member had before a rule changed it.
    var roleBefore: String?
    /// The beginning of the text that the rule found.
    var evidence: String
    /// The time, in seconds since 1970.
    var time: Double
    /// The time at which it ends by itself; nil for never.
    var expires: Double?
    /// The one who has undone it, or `expiry`; nil while it holds.
    var undoneBy: String?

    /// Characters of evidence at the most.
    static let longestEvidence = 200

    /// True if it can be taken back.
    var isReversible: Bool { ["warn", "block", "role"].contains(action) }

    /// One line for moderators.
    var line: String {
        var text = "\(number): \(action) \(name), rule \(rule)"
        if let reason { text += ", \(reason)" }
        if let undoneBy { text += ", undone by \(undoneBy)" }
        return evidence.isEmpty ? text : text + ": \(evidence)"
    }
}

/// The record of a group: the newest cases.
struct ModerationRecord: StoredState, Hashable {
    static let stateName = "parley.cases"
    /// Cases that are kept at the most; the oldest are forgotten first.
    static let maximumCases = 200
    /// Cases that a list shows.
    static let listed = 10

    /// The number of the next case.
    private(set) var next = 1
    /// The cases, the oldest first.
    private(set) var cases: [ModerationCase] = []

    /// Adds a case under its number, or the next one if another handler has taken that meanwhile.
    mutating func add(_ new: ModerationCase) {
        var new = new
        if new.number < next { new.number = next }
        next = new.number + 1
        cases.append(new)
        if cases.count > Self.maximumCases { cases.removeFirst() }
    }

    mutating func markUndone(_ number: Int, by name: String) {
        guard let index = cases.firstIndex(where: { $0.number == number }) else { return }
        cases[index].undoneBy = name
    }

    /// The case of a number; without a number the newest that can be taken back.
    func open(_ number: Int?) -> ModerationCase? {
        if let number { return cases.first { $0.number == number } }
        return cases.last { $0.isReversible && $0.undoneBy == nil }
    }

    /// The newest cases, a line each.
    var list: String {
        cases.isEmpty ? "No cases." : cases.suffix(Self.listed).reversed().map(\.line).joined(separator: "\n")
    }
}
