internal import Parley
internal import UnicodeText

/// The mappings of a bots.yaml.
enum Schemas {
    static let file = MappingSchema(
        "file",
        [
            .required("parley", .integer(1...BotsFile.version), "The version of the format."),
            .key("network", .mapping("network"), "How the bots reach routers."),
            .key("metrics", .mapping("metrics"), "Serve metrics and health."),
            .key("joins", .mapping("joins"), "The pace at which strangers join groups."),
            .key("webhooks", .mapping("webhooks"), "Let other programs ask the bots to send."),
            .key("lists", .keyed(.mapping("list")), "Words and domains that rules share."),
            .required("profiles", .keyed(.mapping("profile")), "The profiles to run, each with a key of its own."),
        ])

    static let network = MappingSchema(
        "network", HostNetwork.Key.allCases.map { .key($0.rawValue, .text, "See docs/bots-yaml.md#network.") })

    static let joins = MappingSchema(
        "joins",
        [
            .key("burst", .integer(PaceSpec.bursts), "Messages that the joins of one group may cause at once; 20000 by default."),
            .key("per-second", .number, "Messages a second from then on; 100 by default."),
        ])

    static let metrics = MappingSchema(
        "metrics",
        [
            .required("port", .integer(MonitoringSpec.ports), "The port of /metrics and /healthz."),
            .key("address", .text, "The address of this machine; 127.0.0.1 by default."),
        ])

    static let listKinds: KeyValuePairs<String, ListSpec.Kind> = ["words": .words, "domains": .domains]
    static let normalizations: Shape = .anyOf([.listOrOne(.words(TextNormalization.words.map(\.key))), .words(["all"])])

    static let list = MappingSchema(
        "list",
        [
            .key("words", .listOrOne(.text), "Words and phrases; * at an end matches more letters."),
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
            .key("picture", .text, "A JPEG, PNG or WebP file."),
            .key("address", .mapping("address"), "Requests to connect."),
            .key("trusted-contacts", .listOrOne(.text), "People whom the bot knows for certain: each connects by a link of their own."),
            .key("joined-groups", .listOrOne(.text), "Groups of others to which trusted contacts invite the bot, and which rules send into."),
            .key("connect", .listOrOne(.text), "People, groups and channels that the bot connects to, by links or names such as @ann.simplex."),
            .key("receive-files", .mapping("receive-files"), "The files that the bot receives on its own."),
            .key("pace", .anyOf([.words(["off"]), .mapping("pace")]), "How fast the bot sends: limits for each chat and for all together, or off."),
            .key("texts", .mapping("texts"), "The fixed texts that people read, in other words or another language."),
            .key("mode", RuleMode.words.shape, "enforce, or audit to log what rules would do without doing it."),
            .key("plugin", .text, "A plugin of the program that runs the file."),
            .key("config", .anything, "The configuration of the plugin."),
            .key("rules", .list(.mapping("rule")), "The rules."),
            .key("tests", .list(.mapping("test")), "Events, and what the rules have to make of them."),
            .key("groups", .keyed(.mapping("group")), "Groups that the bot keeps."),
            .key("forms", .keyed(.mapping("form")), "Questions that somebody answers one after the other; the action form begins one."),
            .key("schedules", .list(.mapping("schedule")), "Messages that are sent at times."),
            .key("channels", .keyed(.mapping("channel")), "Channels that the bot keeps."),
            .key("relay", .anyOf([.bool, .mapping("relay")]), "Relay channels for others: true, or limits."),
            .key("retention", .text, "The time after which messages are deleted from the data folder: 30d; none to keep them."),
            .key("handle-when-muted", .bool, "Keep rules running while the profile is muted."),
        ])

    static let texts = MappingSchema(
        "texts",
        BotTexts.Key.allCases.map { key in
            .key(key.rawValue, .shortText(BotTexts.longestText), "By default: " + key.standard)
        })

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
            .key("moderators", .listOrOne(.text), "Trusted contacts who are invited as moderators."),
            .key("members", .listOrOne(.text), "Trusted contacts who are invited as members."),
            .key("joiners", .list(.mapping("joiner")), "Rules for those who ask to join by the link; the first that fits decides."),
            .key("preferences", .mapping("preferences"), "What members may do."),
        ])

    static let joiner = MappingSchema(
        "joiner",
        [
            .key("name-longer", .integer(JoinerSpec.lengths), "The display name has more characters than this."),
            .key("name-contains", .listOrOne(.text), "The display name has one of these texts in it."),
            .key("picture", .bool, "The profile has a picture, or has none."),
            .required("then", JoinerSpec.decisions.shape, "The answer."),
            .key("role", GroupSpec.joinerRoles.shape, "The role of the joiner; that of the link by default."),
            .key("reason", .text, "The reason for reject, which the joiner's app gets."),
        ])

    static let receiveFiles = MappingSchema(
        "receive-files",
        [
            .required("up-to", .text, "The size that a file may have: 10mb."),
            .key("from", FileReceptionSpec.sources.shape, "own for the bot's file routers, any for all."),
            .key("kinds", .listOrOne(FileReceptionSpec.kinds.shape), "The kinds of message; all by default."),
            .key("files-per-day", .integer(FileReceptionSpec.counts), "Files of one person on a day (UTC); 100 by default."),
            .key("bytes-per-day", .text, "Bytes of one person on a day (UTC): 100mb; ten files of the largest size by default."),
            .key("refusal", .text, "The answer, once a day, to a file above these limits; not a template."),
        ])

    static let pace = MappingSchema(
        "pace",
        [
            .key("chat", .anyOf([.words(["off"]), .mapping("pace-rate")]), "The pace in each chat; 30 at once and 5 a second by default."),
            .key("profile", .anyOf([.words(["off"]), .mapping("pace-rate")]), "The pace in all chats together; 300 at once and 100 a second by default."),
            .key(
                "member", .anyOf([.words(["on", "off"]), .mapping("pace-member")]), "The limits in groups in which the bot is no moderator; off by default."),
        ])
    static let paceMember = MappingSchema(
        "pace-member",
        [
            .key("per-minute", .integer(PaceSpec.limits), "Messages in a minute; 20 by default."),
            .key("per-hour", .integer(PaceSpec.limits), "Messages in an hour; 300 by default."),
            .key("per-day", .integer(PaceSpec.limits), "Messages in a day; 1500 by default."),
        ])
    static let paceRate = MappingSchema(
        "pace-rate",
        [
            .required("burst", .integer(PaceSpec.bursts), "Messages that are sent without a wait."),
            .required("per-second", .number, "Messages a second from then on; 0.5 is one in two seconds."),
        ])

    static let channel = MappingSchema(
        "channel",
        [
            .key("name", .text, "The name; the key by default."), .key("summary", .text, "A line about it, at most 160 bytes."),
            .key("welcome", .text, "The text that new subscribers read."),
            .required("relays", .listOrOne(.text), "Addresses of relays, or the key of a profile with relay: true."),
            .key("preferences", .mapping("preferences"), "What subscribers may do."),
        ])

    private static let relayQuota: [MappingSchema.Key] = [
        .key("messages-per-minute", .integer(RelaySpec.numbers), "Messages that are passed on in a minute; what is more waits."),
        .key("bytes-per-day", .text, "Bytes that subscribers are given on a day (UTC): 2gb; what is more waits."),
    ]

    static let relay = MappingSchema(
        "relay",
        [
            .key("channels", .integer(RelaySpec.numbers), "Channels at the most."),
            .key("members", .integer(RelaySpec.numbers), "Members of a channel at the most."),
            .key("backlog", .integer(RelaySpec.numbers), "Messages of a channel that may wait; 10000 by default."),
        ] + relayQuota + [
            .key("total", .mapping("relay-total"), "Limits for all channels together."),
            .key("allow", .listOrOne(.text), "The only channels and owners, by publicGroupId and memberPubKey."),
            .key("deny", .listOrOne(.text), "Channels and owners that are not served."),
            .key("drain", .bool, "Take no new channels and subscribers."),
        ])
    static let relayTotal = MappingSchema("relay-total", relayQuota)

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
            .key("once", Repetition.words.shape, "Apply once for each person or chat, or once at all."),
            .key("cooldown", .anyOf([span, .mapping("cooldown")]), "A pause after which the rule applies again: 10m."),
            .key("priority", .integer(RuleSpec.priorities), "Rules of a higher priority come first; 0 by default."),
            .key("exempt", .anyOf([.listOrOne(MemberCondition.roleWords.shape), .words(["none"])]), "Roles that the rule never applies to."),
            .key("mode", RuleMode.words.shape, "enforce, or audit to log what the rule would do without doing it."),
        ])

    static let span = Shape.form("^ *\\d+ *[smhdw] *$", example: "10m")
    static let cooldown = MappingSchema(
        "cooldown", [.required("for", span, "The pause."), .key("per", Repetition.words.shape, "What is paused for: the person by default.")])
    /// Keys that select the event of a rule.
    private static let events: [MappingSchema.Key] = [
        .key("edited", .yes, "Somebody changed a message."), .key("deleted", .yes, "Somebody deleted a message."),
        ReactionCheck.schemaKey, .key("connected", .yes, "A new contact has connected."),
        .key("request", .yes, "Somebody asks to connect."),
        MemberChangeCheck.schemaKey,
        .key("invitation", .yes, "A contact invites the bot to a group."), .key("report", .yes, "A member reported a message."),
        WarnedCheck.schemaKey,
        .key("delivered", .yes, "The recipient's app has confirmed a message of the bot."),
        .key("delivery-failed", .yes, "A message of the bot cannot be delivered."),
        .key("file-received", .yes, "A file that the bot receives has come."),
        .key("file-failed", .yes, "The transfer of a file has failed, of one that the bot sent or was to receive."),
        RelayChangeCheck.schemaKey,
        .key("chat", .listOrOne(MemberCondition.kindWords.shape), "The kinds of chat; contacts by default."),
    ]

    private static let trees: [MappingSchema.Key] = [
        .key("all", .list(.mapping("checks")), "All of these hold."), .key("any", .list(.mapping("checks")), "At least one of these holds."),
        .key("not", .mapping("checks"), "This does not hold."),
    ]

    static let comparison = Shape.form("^ *((>=|<=|>|<|=) *\\d+ *[%smhdw]?|\\d+ *[%smhdw]?\\.\\.\\d+ *[%smhdw]?) *$", example: "> 5")
    static let when = MappingSchema("when", events + RuleChecks.all.map { $0.schemaKey } + trees)
    static let checks = MappingSchema("checks", RuleChecks.all.map { $0.schemaKey } + trees)

    static let action = MappingSchema("action", RuleActions.all.map { $0.schemaKey })
    static let sendFile = MappingSchema(
        "send-file",
        [
            .key("file", .text, "A file."), .key("image", .text, "A picture; one above 255 KiB is made smaller."),
            .key("original", .bool, "Send the picture as it is."), .key("voice", .text, "A recording."),
            .key("video", .text, "A video."), .key("seconds", .integer(RuleFile.videoSeconds), "The length of the recording or video."),
            .key("thumbnail", .text, "A picture for the preview of the video."), .key("text", .text, "The text beside it."),
        ])

    static let form = MappingSchema(
        "form",
        [
            .required("questions", .list(.mapping("question")), "The questions, in their order."),
            .required("done", .listOrOne(.mapping("form-action")), "What happens with the answers."),
            .key("timeout", span, "The time after which an unfinished form ends; a day at the most."),
            .key("cancel", .listOrOne(.text), "Words that end the form; /cancel by default."), .key("cancelled", .text, "The text after such a word."),
        ])
    static let question = MappingSchema(
        "question",
        [
            .required("name", .form("^[A-Za-z][A-Za-z0-9_-]{0,39}$", example: "size"), "Templates find the answer as form.NAME."),
            .required("ask", .text, "The text of the question."), .key("choices", .list(.text), "The answers that are taken."),
            .key("pattern", .shortText(TextPattern.maximumSourceLength), "An RE2 pattern that an answer matches."),
            .key("error", .text, "The text after a wrong answer."),
        ])
    static let formAction = MappingSchema(
        "form-action",
        [
            .key("send", .text, "Send a message to the one who answered."), .key("tell", .mapping("tell"), "Send a message into another chat."),
            .key("broadcast", .anyOf([.text, .mapping("broadcast")]), "Send a message to all contacts, or into several chats."),
        ])
    static let schedule = MappingSchema(
        "schedule",
        [
            .required("id", .text, "What was sent is remembered under it."),
            .key("at", .form("^\\d{4}-\\d{2}-\\d{2}[ T]\\d{1,2}:\\d{2}$", example: "2026-12-24 18:00"), "Once."),
            .key("every", span, "Again and again, from the first start on."),
            .key("cron", .text, "Times of the calendar: minute hour day month weekday."),
            .key("zone", .text, "The time zone, as in Europe/Berlin; UTC by default."),
            .required("to", .listOrOne(.text), "Names of chats, or contacts for all of them."), .required("send", SendAction.shape, "The text, or a file."),
            .key("missed", ScheduleSpec.missedWords.shape, "run, or skip, what was due while the bot did not run; run by default."),
        ])

    static let webhooks = MappingSchema(
        "webhooks",
        [
            .required("port", .integer(MonitoringSpec.ports), "The port."),
            .key("address", .text, "The address of this machine; 127.0.0.1 by default."),
            .key("token", .mapping("secret"), "The token of requests."),
            .key("secret", .mapping("secret"), "The key of signatures of requests."),
        ])
    static let secret = MappingSchema(
        "secret", [.key("env", .text, "A variable of the environment that holds it."), .key("file", .text, "A file that holds it.")])

    private static let testFile = Shape.anyOf([.text, .mapping("test-file")])
    private static let scenarioKeys: [MappingSchema.Key] = [
        .key("say", .text, "The text of a message."),
        .key("answer", .words(["right", "wrong"]), "An answer to the question of captcha."),
        .key("warned", .integer(RuleScenario.points), "Somebody is warned, and has so many points."),
        .key("message", RuleCondition.kindWords.shape, "The kind of the message."),
        .key("preview", .mapping("test-preview"), "The link preview of the message."),
        .key("card", .mapping("test-card"), "The contact or group that the message shares."),
        .key("quote", .text, "A text that the message quotes and that nobody has sent."),
        .key("edited", .text, "The new text of a message."), .key("report", .text, "The text of a report."),
        .key("reaction", .text, "A reaction that is added."), .key("member", .words(MembershipEvent.words.words), "Something that happens to a member."),
        .key("deleted", .yes, "A message is deleted."), .key("connected", .yes, "A contact has connected."),
        .key("request", .anyOf([.yes, .text]), "Somebody asks to connect: true, or the message of the request."),
        .key("invitation", .yes, "A contact invites the bot to a group."),
        .key("delivered", .text, "A message of the bot with this text was delivered."),
        .key("delivery-failed", .text, "A message of the bot with this text cannot be delivered."),
        .key("file-received", testFile, "A file has come, with its name."), .key("file-failed", testFile, "The transfer of a file has failed."),
        .key("relay", .words(RelayEvent.words.words), "Something that happens to a relay of a channel."),
        .key("error", .text, "The reason of a failure."),
        .key("chat", RuleScenario.kindWords.shape, "The kind of chat."), .key("group", .text, "The name of the group."),
        .key("role", MemberCondition.roleWords.shape, "The writer's role; member by default."),
        .key("name", .text, "The writer's display name; Ann by default."),
        .key("from", .text, "The trusted contact who writes."), .key("member-age", .form("^\\d+ *[smhdw]$", example: "2h"), "Time since the member joined."),
        .key("bot", .bool, "The writer is a bot."), .key("forwarded", .bool, "The message was forwarded."),
        .key("comment", .bool, "The message is a comment on a post of a channel."),
        .key("mention", .bool, "The message mentions the bot."),
        .key("mentions", .integer(RuleScenario.mentions), "Members that the message mentions."),
        .key("file", testFile, "The file of the message, with its name."),
        .key("at", .form("^(\\d{4}-\\d{2}-\\d{2} )?\\d{1,2}:\\d{2}$", example: "14:05"), "The time in UTC."),
    ]
    static let scenario = MappingSchema("scenario", scenarioKeys)
    static let scenarioFile = MappingSchema("test-file", [.required("name", .text, "The name."), .key("size", .text, "The size; 1kb by default.")])
    static let scenarioPreview = MappingSchema(
        "test-preview", [.key("uri", .text, "The address."), .key("title", .text, "The title."), .key("description", .text, "The description.")])
    static let scenarioCard = MappingSchema(
        "test-card", [.key("link", .text, "The link."), .key("name", .text, "The name."), .key("description", .text, "The description.")])
    static func wordsOfActions(_ words: [String]) -> Shape { .anyOf([.words(words), .list(.words(words))]) }
    private static let expectations: [MappingSchema.Key] = [
        .key("expect", .listOrOne(.text), "The ids of the rules that apply, in their order."),
        .key("expect-none", .yes, "No rule applies."), .key("replies", .anyOf([.text, .list(.text)]), "The texts that are sent, in their order."),
        .key("actions", wordsOfActions(RuleActions.all.map { $0.key }), "The keys of the actions, in their order."),
    ]
    static let test = MappingSchema(
        "test",
        scenarioKeys + expectations + [
            .key("title", .text, "A title for the output."),
            .key("steps", .list(.mapping("step")), "Events one after the other, each with what the rules make of it."),
        ])
    static let step = MappingSchema(
        "step", scenarioKeys + expectations + [.key("after", span, "The time between the step before and this one; none by default.")])

    /// All mappings, the file first.
    static let all = [
        file, network, metrics, joins, list, profile, texts, address, group, channel, relay, relayTotal, preferences, rule, when, checks,
        WordsCheck.mapping, ContainsCheck.mapping, NameCheck.mapping, GroupCheck.mapping, DomainsCheck.mapping, HoursCheck.mapping, LinesCheck.mapping,
        RepeatedCheck.mapping, FileCheck.mapping, action,
        sendFile, BroadcastAction.mapping, ForwardAction.mapping, joiner, receiveFiles, pace, paceRate, paceMember,
        PostAction.mapping, test, scenarioFile, scenarioPreview, scenarioCard, cooldown, RateCheck.mapping, WarnAction.mapping, BlockAction.mapping,
        RoleAction.mapping,
        CaptchaAction.mapping, step, TellAction.mapping,
        form, question, formAction, schedule, WebhookAction.mapping, webhooks, secret,
    ]
}
