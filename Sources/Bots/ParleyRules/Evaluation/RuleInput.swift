public import ChatProtocol
public import Foundation
public import Parley

/// An event, as rules see it.
public struct RuleInput: Sendable {
    /// The event.
    public var event: RuleEvent
    /// The kind of the message, when the event is about one.
    public var kind: MessageKind?
    /// The text of the message; empty when there is none.
    public var text: String
    /// The other texts that people see or open: of a link preview, of a shared contact or group, of the message that is reported.
    public var attached: [String] = []
    /// The reaction, when the event is one.
    public var emoji: String?
    /// The file of the message; nil if it has none.
    public var file: Attachment?
    /// The kind of chat.
    public var chat: ChatKinds = .contacts
    /// The role of who wrote, or of the member whom the event is about; nil outside of groups.
    public var role: GroupMemberRole?
    /// The role of the member whom moderating actions are about; nil outside of groups.
    public var target: GroupMemberRole?
    /// The name of the contact or of the member who wrote: that of a trusted contact, or else the name in the profile.
    public var sender: String?
    /// True if the contact or member is a trusted contact.
    public var isTrusted = false
    /// The alias that the owner of the profile has given the contact or member; the name of a trusted contact. Empty without one.
    public var alias = ""
    /// True if another member has passed the message on: nothing proves who wrote it.
    var isPassedOn = false
    /// The name that the contact or member has given itself; nil if the event is about nobody.
    public var displayName: String?
    /// The names of the group: the name that its members see, and the name that is unique in the profile.
    public var groupNames: [String] = []
    /// True for a group that a stranger has named: one to which a stranger has invited the bot, and the chat with a customer.
    var isForeignGroup = false
    /// True if a bot wrote.
    public var isFromBot = false
    /// True if the message was forwarded.
    public var isForwarded = false
    /// True if the message is a comment on a post of a channel.
    public var isComment = false
    /// Members whom the message mentions.
    public var mentions = 0
    /// Seconds since the member joined; nil if that is not known, as for members who were there before the bot.
    public var memberAge: Double?
    /// The minute of the day in UTC; nil if no rule may depend on it.
    public var minuteOfDay: Int?
    /// The time; nil if it is not known, so that no rule may depend on the day or a time zone.
    public var time: Date?
    /// True if the message mentions the bot.
    public var mentionsBot = false
    /// The change of the member; nil for events that are not about one.
    public var change: MembershipEvent?
    /// The change of the relay; nil for events that are not about one.
    public var relay: RelayEvent?
    /// The reason why a delivery or a transfer failed; nil if none did.
    public var error: String?
    /// The points of warnings that count; nil if the event is no warning.
    public var points: Int?
    /// Events of this kind until now, this one among them, for rules that ask how many there were.
    var rates: [Rate: Int] = [:]

    /// True for what another bot writes or changes in a group.
    var isOfBotInGroup: Bool { isFromBot && (event == .message || event == .edited) && chat.isDisjoint(with: .contacts) }

    /// Events that are counted together.
    struct Rate: Hashable, Sendable {
        let scope: Repetition.Scope
        let unit: RateTest.Unit
        /// Seconds.
        let window: Double

        init(_ rate: RateTest) { (scope, unit, window) = (rate.scope, rate.unit, rate.window) }
    }

    /// Creates the value from its parts.
    public init(event: RuleEvent, kind: MessageKind? = nil, text: String = "", emoji: String? = nil) {
        self.event = event
        self.kind = kind
        self.text = text
        self.emoji = emoji
    }
}

/// A rule that applies, with what its templates can use.
public struct RuleDecision: Sendable {
    /// The rule.
    public let rule: RuleSpec
    /// The match of the rule's pattern, or the entry or domain that its search found.
    public let match: PatternMatch?
    /// The command, if the message is one.
    public let command: SlashCommand?
    /// The points of the warned member; nil without a warning.
    public var points: Int?
    /// The numbers of the cases that the rule opens, in the order of its actions.
    var cases: [Int] = []
    /// True if the actions are only logged.
    public var isAudit: Bool { rule.mode == .audit }
}
