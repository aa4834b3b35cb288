internal import Parley

/// The mappings of a bots.yaml.
enum Schemas {
    static let file = MappingSchema(
        "file",
        [
            .required("parley", .integer(1...BotsFile.version), "The version of the format."),
            .key("network", .mapping("network"), "How the bots reach routers."),
            .key("lists", .keyed(.mapping("list")), "Words and domains that rules share."),
            .required("profiles", .keyed(.mapping("profile")), "The profiles to run, each with a key of its own."),
        ])

    static let network = MappingSchema(
        "network", HostNetwork.Key.allCases.map { .key($0.rawValue, .text, "See docs/bots-yaml.md#network.") })

    static let listKinds: KeyValuePairs<String, ListSpec.Kind> = ["words": .words, "domains": .domains]
    static let normalizations: Shape = .anyOf([.listOrOne(.words(TextNormalization.words.map(\.key))), .words(["all"])])

    static let list = MappingSchema(
        "list",
        [
            .key("words", .listOrOne(.text), "Words and phrases; * at an end stands for more letters."),
            .key("domains", .listOrOne(.text), "Domains, each with those below it."),
            .key("file", .text, "A file with one entry a line, relative to the folder of this file."),
            .key("kind", listKinds.shape, "The entries of the file; words by default."),
            .key("normalize", normalizations, "Changes to texts before they are compared; case by default."),
        ])

    static let profile = MappingSchema(
        "profile",
        [
            .key("name", .text, "The display name; the key of the profile by default."),
            .key("bio", .text, "A line about the bot, at most 160 bytes."),
            .key("address", .mapping("address"), "Requests to connect."),
            .key("mode", RuleMode.words.shape, "enforce, or audit to log what rules would do without doing it."),
            .key("rules", .list(.mapping("rule")), "The rules."),
            .key("tests", .list(.mapping("test")), "Events, and what the rules have to make of them."),
            .key("groups", .keyed(.mapping("group")), "Groups that the bot keeps."),
            .key("channels", .keyed(.mapping("channel")), "Channels that the bot keeps."),
            .key("relay", .bool, "Relay channels for others."),
            .key("handle-when-muted", .bool, "Keep rules running while the profile is muted."),
        ])

    static let acceptWords: KeyValuePairs<String, (Bool, Bool)> = ["automatic": (true, false), "manual": (false, false), "business": (true, true)]
    static let address = MappingSchema(
        "address",
        [
            .key("accept", acceptWords.shape, "Who is let in: everybody, those that a rule accepts, or customers with a chat each."),
            .key("welcome", .text, "The message to a new contact; not a template."),
        ])

    static let group = MappingSchema(
        "group",
        [
            .key("name", .text, "The name; the key by default."), .key("summary", .text, "A line about it, at most 160 bytes."),
            .key("welcome", .text, "The text that new members read."),
            .key("link", GroupSpec.linkRoles.shape, "The role of those who join by the link; none for no link."),
            .key("review", .bool, "Moderators admit new members."),
            .key("preferences", .mapping("preferences"), "What members may do."),
        ])

    static let channel = MappingSchema(
        "channel",
        [
            .key("name", .text, "The name; the key by default."), .key("summary", .text, "A line about it, at most 160 bytes."),
            .key("welcome", .text, "The text that new subscribers read."),
            .required("relays", .listOrOne(.text), "Addresses of relays, or the key of a profile with relay: true."),
            .key("preferences", .mapping("preferences"), "What subscribers may do."),
        ])

    static let preferences = MappingSchema(
        "preferences",
        GroupSpec.features.map { name, feature in
            .key(name, .words(GroupSpec.words(for: feature)), "Allow it, or allow it from a role up.")
        } + [.key("disappearing", .anyOf([.integer(GroupSpec.disappearing), .words(["off"])]), "Seconds after which messages disappear.")])

    static let rule = MappingSchema(
        "rule",
        [
            .key("id", .text, "A name for logs and tests, unique in the profile."),
            .required("when", .mapping("when"), "When the rule applies: all keys must hold."),
            .key("unless", .listOrOne(.mapping("checks")), "When it does not apply after all."),
            .required("then", .listOrOne(.mapping("action")), "What happens."),
            .key("description", .text, "The text of the command in the menu that apps show."),
            .key("continue", .bool, "Try the rules behind this one too."),
            .key("priority", .integer(RuleSpec.priorities), "Rules of a higher priority come first; 0 by default."),
            .key("exempt", .anyOf([.listOrOne(MemberCondition.roleWords.shape), .words(["none"])]), "Roles that the rule never applies to."),
            .key("mode", RuleMode.words.shape, "enforce, or audit to log what the rule would do without doing it."),
        ])

    /// Keys that say what a rule is about.
    private static let events: [MappingSchema.Key] = [
        .key("edited", .yes, "Somebody changed a message."), .key("deleted", .yes, "Somebody deleted a message."),
        .key("reaction", .listOrOne(.text), "Somebody added the reaction; any for each."), .key("connected", .yes, "A new contact has connected."),
        .key("request", .yes, "Somebody asks to connect."),
        .key("member", .listOrOne(.words(MembershipEvent.words.words)), "Something happened to a member."),
        .key("invitation", .yes, "A contact invites the bot to a group."), .key("report", .yes, "A member reported a message."),
        .key("chat", .listOrOne(MemberCondition.kindWords.shape), "The kinds of chat; contacts by default."),
    ]

    /// Keys that look at what happened.
    private static let tests: [MappingSchema.Key] = [
        .key("message", .listOrOne(.words(["any"] + RuleCondition.kindWords.words)), "A message of the kind."),
        .key("text", .listOrOne(.shortText(RuleCondition.maximumTextLength)), "The whole text, without regard to case."),
        .key("contains", .listOrOne(.shortText(RuleCondition.maximumTextLength)), "A part of the text, without regard to case."),
        .key("pattern", .shortText(TextPattern.maximumSourceLength), "An RE2 pattern that the text matches."),
        .key("command", .listOrOne(.text), "The word behind the slash."),
        .key("words", .anyOf([.listOrOne(.text), .mapping("words")]), "Whole words or phrases in the text."),
        .key("domains", .anyOf([.listOrOne(.text), .mapping("domains")]), "Domains of links in the text."),
        .key("link", .anyOf([.bool, LinkTest.words.shape]), "A link in the text."),
        .key("length", comparison, "Characters of the text."), .key("word-count", comparison, "Words of the text."),
        .key("lines", .anyOf([comparison, .mapping("lines")]), "Lines of the text."),
        .key("capitals", comparison, "Percent of the letters that are capitals."), .key("emoji", comparison, "Emoji in the text."),
        .key("mentions", comparison, "Members that the message mentions."),
        .key("repeated", .anyOf([.integer(RuleCondition.repetitions), .mapping("repeated")]), "The same characters many times in a row."),
        .key("blank", .bool, "A text in which nothing can be seen."), .key("invisible", .bool, "Invisible characters in the text."),
        .key("forwarded", .bool, "A message that was forwarded."), .key("file", .anyOf([.words(["any"]), .mapping("file-test")]), "The file of the message."),
        .key("mention", .yes, "The message mentions the bot."), .key("from", .listOrOne(.text), "The writer's name in the profile."),
        .key("name", .shortText(TextPattern.maximumSourceLength), "An RE2 pattern of the writer's display name."),
        .key("bot", .bool, "The writer is a bot."), .key("role", .listOrOne(MemberCondition.roleWords.shape), "The role of the writer or the member."),
        .key("member-age", comparison, "Time since the member joined, if that is known."),
        .key("group", .listOrOne(.text), "The name of the group."),
        .key("hours", .form("^\\d{1,2}:\\d{2} *- *\\d{1,2}:\\d{2}$", example: "22:00-06:00"), "A part of the day in UTC."),
    ]

    private static let trees: [MappingSchema.Key] = [
        .key("all", .list(.mapping("checks")), "All of these hold."), .key("any", .list(.mapping("checks")), "At least one of these holds."),
        .key("not", .mapping("checks"), "This does not hold."),
    ]

    static let comparison = Shape.form("^ *((>=|<=|>|<|=) *\\d+ *[%smhdw]?|\\d+ *[%smhdw]?\\.\\.\\d+ *[%smhdw]?) *$", example: "> 5")
    static let when = MappingSchema("when", events + tests + trees)
    static let checks = MappingSchema("checks", tests + trees)

    static let words = MappingSchema(
        "words",
        [
            .key("of", .listOrOne(.text), "Words and phrases."), .key("list", .listOrOne(.text), "Lists of this file."),
            .key("normalize", normalizations, "Changes to texts before they are compared with the words of this rule."),
        ])
    static let domains = MappingSchema(
        "domains",
        [
            .key("of", .listOrOne(.text), "Domains."), .key("list", .listOrOne(.text), "Lists of this file."),
            .key("outside", .bool, "Look for links to other domains instead."),
        ])
    static let lines = MappingSchema(
        "lines",
        [.required("count", comparison, "Lines."), .key("width", .integer(RuleCondition.widths), "Characters after which a line counts twice.")])
    static let repeated = MappingSchema(
        "repeated",
        [
            .required("times", .integer(RuleCondition.repetitions), "Times in a row."),
            .key("length", .integer(1...TextMeasures.longestPeriod), "Characters of the sequence at least."),
        ])
    static let fileTest = MappingSchema(
        "file-test",
        [
            .key("name", .listOrOne(.text), "A pattern of the name with * and ?."), .key("larger", .text, "A size: 500kb."),
            .key("smaller", .text, "A size: 10mb."),
        ])

    static let action = MappingSchema(
        "action",
        [
            .key("reply", message, "Answer with a quote of the message."), .key("send", message, "Send a message."),
            .key("react", .words(RuleAction.emoji), "Add a reaction."), .key("accept", .yes, "Accept the request, the invitation or the member."),
            .key("reject", .yes, "Refuse the request or the member."), .key("moderate", .yes, "Delete the message for everybody."),
            .key("block", .yes, "Block the member for all."), .key("remove", .anyOf([.yes, .words(["with-messages"])]), "Remove the member."),
            .key("role", MemberCondition.roleWords.shape, "Give the member another role."),
            .key("forward", .text, "Forward the message to the chat of that name."),
            .key("save", RuleAction.sources.shape, "Receive the file of the message."), .key("post", .mapping("post"), "Post in the name of a channel."),
        ])
    private static let message = Shape.anyOf([.text, .mapping("send-file")])
    static let sendFile = MappingSchema(
        "send-file",
        [
            .key("file", .text, "A file."), .key("image", .text, "A picture."), .key("voice", .text, "A recording."),
            .key("seconds", .integer(RuleFile.seconds), "The length of the recording."), .key("text", .text, "The text beside it."),
        ])
    static let post = MappingSchema(
        "post", [.required("channel", .text, "The name of a channel of the profile."), .required("text", .text, "The text of the post.")])

    /// The keys of actions, for tests.
    static let actionWords: KeyValuePairs<String, String> = [
        "reply": "reply", "send": "send", "react": "react", "accept": "accept", "reject": "reject", "moderate": "moderate", "block": "block",
        "remove": "remove", "role": "role", "forward": "forward", "save": "save", "post": "post",
    ]

    private static let scenarioKeys: [MappingSchema.Key] = [
        .key("say", .text, "The text of a message."), .key("message", RuleCondition.kindWords.shape, "The kind of the message."),
        .key("edited", .text, "The new text of a message."), .key("report", .text, "The text of a report."),
        .key("reaction", .text, "A reaction that is added."), .key("member", .words(MembershipEvent.words.words), "Something that happens to a member."),
        .key("deleted", .yes, "A message is deleted."), .key("connected", .yes, "A contact has connected."), .key("request", .yes, "Somebody asks to connect."),
        .key("invitation", .yes, "A contact invites the bot to a group."),
        .key("chat", RuleScenario.kindWords.shape, "The kind of chat."), .key("group", .text, "The name of the group."),
        .key("role", MemberCondition.roleWords.shape, "The writer's role; member by default."),
        .key("name", .text, "The writer's display name; Ann by default."),
        .key("from", .text, "The writer's name in the profile."), .key("member-age", .form("^\\d+ *[smhdw]$", example: "2h"), "Time since the member joined."),
        .key("bot", .bool, "The writer is a bot."), .key("forwarded", .bool, "The message was forwarded."),
        .key("mention", .bool, "The message mentions the bot."),
        .key("mentions", .integer(RuleScenario.mentions), "Members that the message mentions."),
        .key("file", .mapping("test-file"), "The file of the message."),
        .key("at", .form("^(\\d{4}-\\d{2}-\\d{2} )?\\d{1,2}:\\d{2}$", example: "14:05"), "The time in UTC."),
    ]
    static let scenario = MappingSchema("scenario", scenarioKeys)
    static let scenarioFile = MappingSchema("test-file", [.required("name", .text, "The name."), .key("size", .text, "The size; 1kb by default.")])
    static let test = MappingSchema(
        "test",
        scenarioKeys + [
            .key("title", .text, "A title for the output."), .key("expect", .listOrOne(.text), "The ids of the rules that apply, in their order."),
            .key("expect-none", .yes, "No rule applies."), .key("replies", .anyOf([.text, .list(.text)]), "The texts that are sent, in their order."),
            .key("actions", .anyOf([.words(actionWords.words), .list(.words(actionWords.words))]), "The keys of the actions, in their order."),
        ])

    /// All mappings, the file first.
    static let all = [
        file, network, list, profile, address, group, channel, preferences, rule, when, checks, words, domains, lines, repeated, fileTest, action, sendFile,
        post, test, scenarioFile,
    ]
}
