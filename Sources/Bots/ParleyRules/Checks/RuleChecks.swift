/// The checks of the format.
enum RuleChecks {
    /// The checks for `when`, `unless`, `all`, `any` and `not`, in the order of the schema.
    static let all: [any RuleCheck.Type] = [
        MessageKindCheck.self, TextCheck.self, ContainsCheck.self, PatternCheck.self, CommandCheck.self, WordsCheck.self, DomainsCheck.self, LinkCheck.self,
        LengthCheck.self, WordCountCheck.self, LinesCheck.self, CapitalsCheck.self, EmojiCheck.self, MarksCheck.self, MentionsCheck.self,
        RepeatedCheck.self, BlankCheck.self, InvisibleCheck.self, ForwardedCheck.self, CommentCheck.self, FileCheck.self, MentionCheck.self,
        FromCheck.self, NameCheck.self, BotCheck.self, RoleCheck.self, MemberAgeCheck.self, GroupCheck.self, RateCheck.self, HoursCheck.self,
    ]
    /// The checks whose keys also name the event of the rule. They are allowed in `when` only.
    static let ofEvents: [any RuleCheck.Type] = [ReactionCheck.self, MemberChangeCheck.self, RelayChangeCheck.self, WarnedCheck.self]

    private static let byKey = Dictionary((all + ofEvents).map { ($0.key, $0) }) { first, _ in first }

    /// The test of a key; nil for keys that are no checks and for values that cannot be read.
    static func test(_ key: String, _ reader: NodeReader, event: RuleEvent) -> (any CheckTest)? {
        if let condition = reader.sink.extensions.condition(key) { return condition.test(reader, event: event) }
        return byKey[key]?.read(reader, event: event)
    }
}
