public import Parley
internal import UnicodeText

/// The values for the placeholders of a template.
public struct TemplateValues: Sendable {
    /// The name of the bot.
    public var botName: String
    /// The name of the contact.
    public var contactName: String
    /// The alias of the contact or member, which only the owner of the profile knows; empty without one.
    public var alias = ""
    /// The member of a group who wrote, or of whom the event is about; empty in a chat with a contact.
    public var memberName = ""
    /// The name by which the text of a message can mention the member; nil in other texts, which contain the name instead.
    public var mentionName: String?
    /// The group; empty in a chat with a contact.
    public var groupName = ""
    /// The contact who invites; empty unless the event is an invitation.
    public var inviterName = ""
    /// The name of the file; empty without one.
    public var fileName = ""
    /// The reason why something failed; empty if nothing did.
    public var error = ""
    /// The text of the message.
    public var text: String
    /// The match of the rule's pattern, or the entry or domain that its search found.
    public var match: PatternMatch?
    /// The command, if the message is one.
    public var command: SlashCommand?
    /// The emoji, if the event is a reaction.
    public var emoji: String?
    /// The points of the warned member.
    public var points: Int?
    /// The answers of a form by the names of their questions.
    public var fields: [String: String] = [:]
    /// `2026-11-21`, in UTC.
    public var date: String
    /// `14:05`, in UTC.
    public var time: String

    /// Creates the value from its parts.
    public init(
        botName: String, contactName: String, text: String = "", match: PatternMatch? = nil, command: SlashCommand? = nil,
        emoji: String? = nil, date: String = "", time: String = ""
    ) {
        self.botName = botName
        self.contactName = contactName
        self.text = text
        self.match = match
        self.command = command
        self.emoji = emoji
        self.date = date
        self.time = time
    }
}

extension TemplateValues {
    /// The values for a text that is sent to the chat of the event, where the member can be mentioned.
    var mentioning: Self {
        var values = self
        if !memberName.isEmpty { values.mentionName = memberName }
        return values
    }
}

extension Template {
    /// The longest text that a filled-in template gives, in bytes: a message must fit one envelope.
    public static let maximumLength = 14_000

    /// Fills in the values. A group that took no part in the match is empty; a text above ``maximumLength`` is cut.
    ///
    /// Values are not formatted, unless the template says `| raw`, or consists of one value that a person wrote: then the text is repeated unchanged.
    public func filled(with values: TemplateValues) -> String {
        let text: String
        if segments.count == 1, case .variable(let variable, _) = segments[0], !variable.isName {
            text = Self.value(of: variable, in: values)
        } else {
            let parts: [MarkdownGuard.Part] = segments.map { segment in
                switch segment {
                case .text(let part): .text(part)
                case .variable(.memberMention, _):
                    values.mentionName.flatMap { $0 == $0.withoutDirectionControls ? MentioningText.mention(of: $0) : nil }.map { .text($0) }
                        ?? .value(values.memberName, isName: true)
                case .variable(let variable, true): .text(Self.value(of: variable, in: values).withoutDirectionControls)
                case .variable(let variable, false): .value(Self.value(of: variable, in: values), isName: variable.isName)
                }
            }
            let whole = MarkdownGuard.text(parts)
            // What formats nothing in the whole text may do so at the end of a shorter one.
            text = whole.utf8.count > Self.maximumLength ? MarkdownGuard.text(Self.cut(parts)) : whole
        }
        return text.utf8.count > Self.maximumLength ? text.prefix(bytes: Self.maximumLength - Self.mark.utf8.count) + Self.mark : text
    }

    /// The sign at the end of a text that was cut.
    private static let mark = "…"

    /// The parts as far as a message can hold them.
    private static func cut(_ parts: [MarkdownGuard.Part]) -> [MarkdownGuard.Part] {
        var room = maximumLength - mark.utf8.count
        var cut: [MarkdownGuard.Part] = []
        for part in parts where room > 0 {
            let shorter: MarkdownGuard.Part =
                switch part {
                case .text(let text): .text(text.prefix(bytes: room))
                case .value(let value, let isName): .value(value.prefix(bytes: room), isName: isName)
                }
            room -= part.length
            cut.append(shorter)
        }
        return cut + [.text(mark)]
    }

    private static func value(of variable: Variable, in values: TemplateValues) -> String {
        switch variable {
        case .botName: values.botName
        case .contactName: values.contactName
        case .memberName, .memberMention: values.memberName
        case .contactAlias, .memberAlias: values.alias
        case .groupName: values.groupName
        case .inviterName: values.inviterName
        case .fileName: values.fileName
        case .error: values.error
        case .text: values.text
        case .command: values.command?.name ?? ""
        case .arguments: values.command?.arguments ?? ""
        case .reaction: values.emoji ?? ""
        case .points: values.points.map(String.init) ?? ""
        case .date: values.date
        case .time: values.time
        case .match(let group): values.match?[group] ?? ""
        case .namedMatch(let name): values.match?[name] ?? ""
        case .form(let name): values.fields[name] ?? ""
        }
    }
}

extension Template.Variable {
    /// True for a name that somebody has chosen.
    var isName: Bool {
        switch self {
        case .botName, .contactName, .contactAlias, .memberName, .memberAlias, .memberMention, .groupName, .inviterName: true
        default: false
        }
    }
}
