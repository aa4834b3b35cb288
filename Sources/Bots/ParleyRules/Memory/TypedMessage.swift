internal import ChatProtocol
internal import Parley

/// A message that is, or was, typed live, and the rules that have applied to it before.
///
/// While it is typed, rules that moderate see each of its texts. When it is finished, all rules see it once, but those that have applied before.
struct TypedMessage: Sendable {
    let item: ChatItemID
    /// False while the message is typed.
    let isFinished: Bool
    /// The keys of the rules that have applied.
    var applied: Set<String> = []

    /// Nil for a message that was sent whole.
    init?(_ message: MessageContext, isFinished: Bool) {
        guard message.item.meta.isLive != nil else { return nil }
        (item, self.isFinished) = (message.id, isFinished)
    }

    /// True if a rule that applies is to be carried out.
    func isFor(_ rule: RuleSpec) -> Bool { !applied.contains(rule.memoryKey) && (isFinished || rule.isModerating) }
}

/// The keys of the rules that have applied to a message while it was typed.
struct AppliedRules: StoredState {
    static let stateName = "parley.rules.live"
    /// The maximum number of keys that are kept. Nobody writes a file with more rules for one message.
    static let maximumCount = 200

    var rules: [String] = []

    mutating func add(_ keys: [String]) {
        for key in keys where !rules.contains(key) && rules.count < Self.maximumCount { rules.append(key) }
    }
}
