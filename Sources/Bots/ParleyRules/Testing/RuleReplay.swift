package import ChatAPI
internal import ChatProtocol
package import Foundation
package import Parley

/// A stored message as rules see it.
package struct ReplayedMessage: Sendable {
    /// The id.
    package let id: ChatItemID
    /// The name of the chat as the profile shows it.
    package let chat: String
    /// The time at which it was written, as its chat tells.
    package let time: Date
    /// The text.
    package var text: String { input.text }
    let input: RuleInput
    let scopes: MemoryScopes
    let info: ChatInfo
    /// The name of the member who wrote; empty in a chat with a contact.
    let member: String

    /// - Returns: nil for items that are no messages, for those that handlers do not get, and for messages whose content was deleted.
    /// - Parameter trusted: the trusted contacts.
    package init?(_ entry: ItemInChat, trusted: TrustedPeople) {
        let item = entry.chatItem
        guard item.direction.isReceived, case .receivedMessage(let content) = item.content, entry.isForHandlers else { return nil }
        if content.isReport { return nil }
        guard let reference = entry.chatInfo.reference else { return nil }
        var input = RuleInput(message: item, content)
        let member = item.direction.member
        time = Date(timeIntervalSince1970: item.meta.itemTimestamp.timeIntervalSince1970)
        input.describe(entry.chatInfo, target: member, trusted: trusted, at: time)
        var person = "\(reference)"
        if let member, let group = entry.chatInfo.groupInfo { person = PersonID.member(member.groupMemberID, of: group.groupID).description }
        id = item.id
        chat = entry.chatInfo.localDisplayName
        info = entry.chatInfo
        self.input = input
        self.member = member?.profile.displayName ?? ""
        scopes = MemoryScopes(person: person, target: person, chat: "\(reference)")
    }
}

/// Rules in front of stored messages, one after the other, as if the messages came now and nothing had been remembered before. Nothing is sent.
///
/// Forms and captchas, which take messages from the rules while they are open, are not replayed.
package struct RuleReplay: Sendable {
    /// The outcome of the rules for a message.
    package struct Outcome: Sendable, Hashable {
        /// The ids of the rules that apply, or their lines.
        package var rules: [String] = []
        /// The effects, in their order.
        package var actions: [PlannedAction] = []

        /// True if people would see the same, whatever the rules are called.
        package func hasSameEffects(as other: Outcome) -> Bool {
            func effects(_ outcome: Outcome) -> [String] { outcome.actions.filter { !$0.isAudit }.map { "\($0.word) \($0.detail ?? "")" } }
            return effects(self) == effects(other)
        }
    }

    /// The maximum number of people and chats with state; when there are more, the state starts again.
    static let maximumMemories = 100_000

    private let rules: RuleSet
    private let bot: String
    private var memories: [String: RuleMemory] = [:]
    private var nextCases: [String: Int] = [:]
    private var arrivals = Arrivals()

    /// - Parameters:
    ///   - rules: the rules.
    ///   - bot: the name of the bot, for templates.
    package init(_ rules: RuleSet, bot: String) {
        self.rules = rules
        self.bot = bot
    }

    /// Takes the next message.
    package mutating func take(_ message: ReplayedMessage) -> Outcome {
        var input = message.input
        let now = message.time.timeIntervalSince1970, scopes = message.scopes
        rules.count(&input, scopes, &arrivals, at: now)
        // Only the state that the message can change: the time for a full copy for each message would grow with the number of people.
        var known: [String: RuleMemory] = [:]
        for name in [scopes.person, scopes.target, scopes.chat, MemoryScopes.bot] { known[name] = memories[name] }
        var turn = RuleTurn(rules, scopes, memories: known, nextCase: nextCases[scopes.chat] ?? 1, now: now)
        let decisions = turn.decide(input)
        guard !decisions.isEmpty else { return Outcome() }
        if memories.count > Self.maximumMemories { memories = [:] }
        for (name, memory) in turn.memories { memories[name] = memory }
        if rules.needs.cases { nextCases[scopes.chat] = turn.nextCase }
        var outcome = Outcome(rules: decisions.map(\.rule.label))
        for decision in decisions {
            var values = TemplateValues(input, message.info, member: message.member, bot: bot, at: message.time)
            (values.match, values.command, values.points) = (decision.match, decision.command, decision.points)
            // Moderators are left alone by actions, too.
            let isSpared = message.input.target.map(decision.rule.exempt.contains) ?? false
            for action in decision.rule.then where !(isSpared && action.isModerating) {
                outcome.actions.append(
                    PlannedAction(rule: decision.rule.label, word: action.word, detail: action.value.detail(values), isAudit: decision.isAudit))
            }
        }
        return outcome
    }
}
