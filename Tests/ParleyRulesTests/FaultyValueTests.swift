import Parley
import ParleyRules
import Testing

/// Each part of a file with a value that it cannot have: one fault at its place, which says what is wrong and how to mend it.
@Suite struct FaultyValueTests {
    private func expect(_ marked: String, _ message: String, _ hint: String?) {
        let source = MarkedSource(marked), found = faults(in: source.text)
        #expect(found.count == 1 && found.first?.position == source.position, "\(found)")
        #expect(found.first?.message == message && found.first?.hint == hint, "\(found)")
    }

    @Test(
        arguments: [
            ("parley: §one\nprofiles: { a: {} }", "parley must be a whole number, not \"one\"", nil),
            ("parley: §0\nprofiles: { a: {} }", "parley must be from 1 to 9223372036854775807, not 0", nil),
            ("parley: §2\nprofiles: { a: {} }", "this version of Parley reads version 1 of the format, not 2", nil),
            ("parley: §~\nprofiles: { a: {} }", "parley must be a whole number, not nothing", nil),
            ("§profiles: { a: {} }", "the file needs the key \"parley\"", "write \"parley: 1\" at the top"),
            ("parley: 1\n§profile: { a: {} }\nprofiles: { a: {} }", "the file has no key \"profile\"", "did you mean \"profiles\"?"),
            (
                "parley: 1\n§zzz: 1\nprofiles: { a: {} }", "the file has no key \"zzz\"",
                "expected one of: parley, network, metrics, joins, webhooks, lists, profiles"
            ),
            ("parley: 1\nprofiles: { a: {} }\nmetrics: §{}", "metrics needs the key \"port\"", nil),
            ("parley: 1\nprofiles: { a: {} }\nmetrics: { port: §0 }", "metrics.port must be from 1 to 65535, not 0", nil),
            ("parley: 1\nprofiles: { a: {} }\nmetrics: { port: §65536 }", "metrics.port must be from 1 to 65535, not 65536", nil),
            ("parley: 1\nprofiles: { a: {} }\nmetrics: { port: 1, address: §\" \" }", "metrics.address must not be empty", nil),
            (
                "parley: 1\nprofiles: { a: {} }\nwebhooks: §{ port: 1 }", "everybody could send with the bots",
                "add token: { env: NAME } or secret: { env: NAME }"
            ),
            (
                "parley: 1\nprofiles: { a: {} }\nwebhooks: { port: 1, token: §hunter2 }", "webhooks.token must not be in the file",
                "write { env: NAME } or { file: PATH }"
            ),
            (
                "parley: 1\nprofiles: { a: {} }\nwebhooks: { port: 1, secret: §{ env: A, file: b } }", "webhooks.secret names one source",
                "write { env: NAME } or { file: PATH }"
            ),
            ("parley: 1\nprofiles: { a: {} }\nwebhooks: { port: 1, secret: { env: §\"\" } }", "webhooks.secret.env must not be empty", nil),
            ("parley: 1\nprofiles: { a: {} }\nnetwork: { tcp-timeout: §[] }", "network.tcp-timeout must be text, not a list", nil),
            ("parley: 1\nprofiles: §a", "profiles must be a mapping of keys to values, not \"a\"", nil),
            ("parley: 1\nprofiles: §{}", "profiles must not be empty", nil),
            ("parley: 1\nprofiles: { a: §~ }", "profiles.a must be a mapping of keys to values, not nothing", nil),
        ] as [(String, String, String?)])
    func aFaultOfTheFileIsTold(_ marked: String, _ message: String, _ hint: String?) { expect(marked, message, hint) }

    private static let bio = String(repeating: "x", count: 161)

    @Test(
        arguments: [
            ("name: §\"\"", "profiles.a.name must not be empty", nil), ("name: §'#a'", "\"#a\" cannot be a display name", "\"a\" can"),
            ("name: §\"a  b\"", "\"a  b\" cannot be a display name", "\"a b\" can"), ("name: §\"'\"", "\"'\" cannot be a display name", nil),
            ("bio: §\(bio)", "the bio has 161 bytes, more than 160", nil), ("bio: §\"\(bio.dropLast(2))\\n\"", "the bio has 161 bytes, more than 160", nil),
            ("address: §manual", "profiles.a.address must be a mapping of keys to values, not \"manual\"", nil),
            ("address: { accept: §auto }", "profiles.a.address.accept cannot be \"auto\"", "expected one of: automatic, manual, business"),
            ("address: { accept: §manuel }", "profiles.a.address.accept cannot be \"manuel\"", "did you mean \"manual\"?"),
            (
                "address: { welcome: \"Hi §{{ contact.name }}\" }", "a welcome message is not a template: contacts would read \"{{ contact.name }}\"",
                "leave the braces out, or greet with a rule: when: { connected: true }"
            ),
            ("mode: §audited", "profiles.a.mode cannot be \"audited\"", "did you mean \"audit\"?"),
            ("handle-when-muted: §yes", "profiles.a.handle-when-muted must be true or false, not \"yes\"", nil),
            ("receive-files: { up-to: §10 mib }", "profiles.a.receive-files.up-to cannot be \"10 mib\"", "a size is written 500kb, 10mb or 1gb"),
            ("receive-files: { up-to: §-1 }", "profiles.a.receive-files.up-to cannot be \"-1\"", "a size is written 500kb, 10mb or 1gb"),
            ("receive-files: { up-to: §1 0kb }", "profiles.a.receive-files.up-to cannot be \"1 0kb\"", "a size is written 500kb, 10mb or 1gb"),
            ("receive-files: { up-to: §8589934592gb }", "profiles.a.receive-files.up-to cannot be \"8589934592gb\"", "a size is written 500kb, 10mb or 1gb"),
            ("receive-files: { up-to: 1kb, files-per-day: §1000001 }", "profiles.a.receive-files.files-per-day must be from 1 to 1000000, not 1000001", nil),
            ("rules: §{ when: { message: any } }", "profiles.a.rules must be a list, not a mapping", nil),
            ("rules: §[]", "profiles.a.rules must not be empty", nil),
            ("rules: §{ -id: x }", "profiles.a.rules must be a list, not a mapping", "put a space after the \"-\" of an element: \"- id: …\""),
            ("rules: [ §x ]", "profiles.a.rules[0] must be a mapping of keys to values, not \"x\"", nil),
            ("groups: §{}", "profiles.a.groups must not be empty", nil),
            ("channels: §{}", "profiles.a.channels must not be empty", nil),
            ("groups: { g: { name: §\"#g\" } }", "\"#g\" cannot be a name of a group", "\"g\" can"),
            ("groups: { g: { summary: §\(bio) } }", "the summary has 161 bytes, more than 160", nil),
            ("groups: { g: { moderators: §[] } }", "profiles.a.groups.g.moderators must not be empty", nil),
            (
                "groups: { g: { preferences: { disappearing: §31536001 } } }",
                "profiles.a.groups.g.preferences.disappearing must be from 1 to 31536000, not 31536001", nil
            ),
            (
                "groups: { g: { preferences: { reactions: §admin } } }", "profiles.a.groups.g.preferences.reactions cannot be \"admin\"",
                "expected one of: on, off"
            ),
            (
                "groups: { g: { joiners: [ §{ picture: true } ] } }", "profiles.a.groups.g.joiners[0] needs the key \"then\"",
                "write accept, approve, review or reject"
            ),
            (
                "groups: { g: { joiners: [ { name-longer: §101, then: reject } ] } }",
                "profiles.a.groups.g.joiners[0].name-longer must be from 1 to 100, not 101", nil
            ),
            (
                "channels: { c: §{} }", "profiles.a.channels.c needs the key \"relays\"",
                "name the relays: their addresses, or the key of a profile with \"relay: true\""
            ),
            ("config: §{ x: y }", "\"config\" is the configuration of a plugin, and the profile names none", "add \"plugin\""),
            ("plugin: §x", "there is no plugin \"x\"", "this program has no plugins: those of docs/extending.md run in a program of their own"),
        ] as [(String, String, String?)])
    func aFaultOfAProfileIsTold(_ part: String, _ message: String, _ hint: String?) { expect("parley: 1\nprofiles:\n  a:\n    \(part)\n", message, hint) }

    private static let deep = String(repeating: "x", count: 201)

    @Test(
        arguments: [
            ("text: §\"\"", "rules[0].when.text must not be empty", nil), ("contains: [a, §~]", "rules[0].when.contains[1] must be text, not nothing", nil),
            ("text: §\(deep)", "rules[0].when.text has 201 bytes, more than 200", nil),
            ("command: §\"two  words\"", "a command is one word, or several with a space between them, with or without the slash before it", nil),
            ("command: §\"/\"", "a command is one word, or several with a space between them, with or without the slash before it", nil),
            ("command: §\"it's\"", "a command is one word, or several with a space between them, with or without the slash before it", nil),
            ("link: §maybe", "rules[0].when.link cannot be \"maybe\"", "expected one of: true, false, simplex, web, address"),
            ("repeated: §1001", "rules[0].when.repeated must be from 2 to 1000, not 1001", nil),
            ("repeated: { times: 2, length: §65 }", "rules[0].when.repeated.length must be from 1 to 64, not 65", nil),
            ("lines: { count: \"> 1\", width: §10001 }", "rules[0].when.lines.width must be from 1 to 10000, not 10001", nil),
            ("lines: §{ width: 80 }", "rules[0].when.lines needs the key \"count\"", "write a comparison in quotes: \"> 20\""),
            ("length: §\"5\"", "rules[0].when.length cannot be \"5\"", "write a comparison in quotes: \"> 500\", \">= 5\", \"< 10\", \"= 0\" or \"10..20\""),
            ("length: §\"7..5\"", "rules[0].when.length: no number is in 7..5", "write the smaller number first"),
            ("length: §\"< 0\"", "rules[0].when.length: no number is below 0", nil),
            ("capitals: §\"> 101%\"", "rules[0].when.capitals cannot be \"> 101%\"", "write a comparison in quotes: \"> 70%\" or \"50%..80%\""),
            (
                "member-age: §\"< 1 month\"", "rules[0].when.member-age cannot be \"< 1 month\"",
                "write a comparison in quotes: \"< 24h\" or \"> 7d\"; units are s, m, h, d and w"
            ),
            ("hours: §\"9:00\"", "rules[0].when.hours cannot be \"9:00\"", "write two times of the day in UTC: \"22:00-06:00\""),
            ("hours: §\"9:00-9:00\"", "rules[0].when.hours cannot be \"9:00-9:00\"", "write two times of the day in UTC: \"22:00-06:00\""),
            ("hours: §\"9:00-24:00\"", "rules[0].when.hours cannot be \"9:00-24:00\"", "write two times of the day in UTC: \"22:00-06:00\""),
            ("rate: §\"> 5\"", "rules[0].when.rate cannot be \"> 5\"", "write how many in what time: \"> 5 in 10s\""),
            ("rate: §\"< 0 in 1m\"", "rules[0].when.rate cannot be \"< 0 in 1m\"", "write how many in what time: \"> 5 in 10s\""),
            ("rate: §\"> 5 in 25h\"", "rules[0].when.rate must be of a day at the most: counts are kept in memory", nil),
            ("rate: §{ per: chat }", "rules[0].when.rate needs the key \"of\"", "write how many in what time: \"> 5 in 10s\""),
            ("mention: §false", "leave \"mention\" out instead of saying false", "write not: { mention: true }"),
            ("file: { name: §\"\(deep.prefix(101))\" }", "the pattern of a name has more than 100 bytes", nil),
            ("file: { type: §image }", "\"image\" is not a media type", "write image/*, or application/pdf"),
            ("file: §{ larger: 2kb, smaller: 2kb }", "no file is larger than 2048 bytes and smaller than 2048", nil),
            ("any: §{ link: true }", "rules[0].when.any must be a list, not a mapping", nil),
            ("not: §[]", "rules[0].when.not must be a mapping of keys to values, not a list", nil),
            ("not: §{}", "rules[0].when.not says nothing", "write a check, for example: { link: true }"),
            ("pattern: \"a§(?=b)\"", "bad pattern: invalid perl operator: (?=", "RE2 has no look-around; a named group is written (?P<name>…)"),
        ] as [(String, String, String?)])
    func aFaultOfACheckIsTold(_ check: String, _ message: String, _ hint: String?) {
        let shown = message.hasPrefix("rules") ? "profiles.a." + message : message
        expect("parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { message: any, \(check) }\n        then: { send: x }\n", shown, hint)
    }

    @Test(
        arguments: [
            ("§{}", "no action", nil), ("§x", "rules[0].then must be a mapping of keys to values, not \"x\"", nil),
            ("§[]", "rules[0].then must not be empty", nil),
            ("§{ send: x, react: 👍 }", "one action, not send and react", "make a list: put \"- \" before each"),
            ("{ block: §false }", "leave the action out instead of saying false", nil),
            ("{ block: { for: §0h } }", "rules[0].then.block.for must be more than nothing", "a time is written 90s, 10m, 24h, 7d or 2w"),
            ("{ role: { to: member, for: §0s } }", "rules[0].then.role.for must be more than nothing", "a time is written 90s, 10m, 24h, 7d or 2w"),
            ("{ role: §{ for: 1h } }", "rules[0].then.role needs the key \"to\"", "write the role"),
            ("{ warn: §101 }", "rules[0].then.warn must be from 1 to 100, not 101", nil),
            ("{ warn: { expires: §0d } }", "rules[0].then.warn.expires must be more than nothing", "a time is written 90s, 10m, 24h, 7d or 2w"),
            ("{ warn: { reason: §\(deep) } }", "the reason has 201 bytes, more than 200", nil),
            ("{ react: §👍👍 }", "\"👍👍\" is not a reaction", "expected one of: 👍 👎 😀 😂 😢 ❤ 🚀 ✅"),
            ("{ remove: §messages }", "rules[0].then.remove must be true or false, not \"messages\"", nil),
            ("{ form: §f }", "there is no form \"f\"", "write it: forms: { f: { questions: […], done: … } }"),
            (
                "{ tell: §{ text: x } }", "rules[0].then.tell needs the key \"chat\"",
                "write the name of a trusted contact, or of a group or channel of the profile"
            ),
            ("{ post: §News }", "rules[0].then.post must be a mapping of keys to values, not \"News\"", nil),
            ("{ send: §{ image: a, file: b } }", "one file, not file and image", "write one of: file, image, voice, video"),
            ("{ send: { voice: a, seconds: §0 } }", "rules[0].then.send.seconds must be from 1 to 300, not 0", nil),
            ("{ send: { image: a, seconds: §5 } }", "only recordings and videos have seconds", "leave them out"),
            ("{ webhook: §ftp://a.example }", "profiles.a.rules[0].then.webhook is not an address of the web", "write one that begins with https://"),
            ("{ webhook: { url: https://a.example, text: §maybe } }", "rules[0].then.webhook.text must be true or false, not \"maybe\"", nil),
            ("{ forward: { to: a, through: §b } }", "there is no profile \"b\"", "did you mean \"a\"?"),
            ("{ save: §yes }", "rules[0].then.save cannot be \"yes\"", "expected one of: own, any"),
        ] as [(String, String, String?)])
    func aFaultOfAnActionIsTold(_ marked: String, _ message: String, _ hint: String?) {
        let shown = message.hasPrefix("rules") ? "profiles.a." + message : message
        let source = MarkedSource("parley: 1\nprofiles:\n  a:\n    rules:\n      - when: { message: any, chat: group }\n        then: \(marked)\n"),
            found = faults(in: source.text)
        #expect(found.count == 1 && found.first?.position == source.position, "\(found)")
        // The hint of an action that is missing lists all of them.
        #expect(found.first?.message == shown && (marked == "§{}" || found.first?.hint == hint), "\(found)")
    }

    @Test(
        arguments: [
            ("once: §anybody", "rules[0].once cannot be \"anybody\"", "expected one of: person, chat, bot"),
            ("cooldown: §soon", "rules[0].cooldown cannot be \"soon\"", "a time is written 90s, 10m, 24h, 7d or 2w"),
            ("cooldown: §0m", "rules[0].cooldown must be more than nothing", "a time is written 90s, 10m, 24h, 7d or 2w"),
            ("cooldown: §{ per: chat }", "rules[0].cooldown needs the key \"for\"", "write how long, for example: for: 10m"),
            ("once: person, cooldown: §1m", "a rule has \"once\" or \"cooldown\", not both", "cooldown: a pause after which it applies again"),
            ("priority: §1001", "rules[0].priority must be from -1000 to 1000, not 1001", nil),
            ("priority: §\"1.5\"", "rules[0].priority must be a whole number, not \"1.5\"", nil),
            ("mode: §dry", "rules[0].mode cannot be \"dry\"", "expected one of: enforce, audit"),
            ("continue: §1", "rules[0].continue must be true or false, not \"1\"", nil),
            ("description: §Help", "only a rule with a command has a description: it is what the command menu shows", nil),
            (
                "exempt: [member, §boss]", "rules[0].exempt[1] cannot be \"boss\"",
                "expected one of: observer, commenter, author, member, moderator, admin, owner"
            ),
            ("unless: §{}", "rules[0].unless says nothing", "write a check, for example: { link: true }"),
            ("unless: §[]", "rules[0].unless must not be empty", nil),
            ("unless: [ { link: true }, §x ]", "rules[0].unless[1] must be a mapping of keys to values, not \"x\"", nil),
        ] as [(String, String, String?)])
    func aFaultOfARuleIsTold(_ part: String, _ message: String, _ hint: String?) {
        let shown = message.hasPrefix("rules") ? "profiles.a." + message : message
        expect("parley: 1\nprofiles:\n  a:\n    rules:\n      - { id: r, when: { message: any }, then: { send: x }, \(part) }\n", shown, hint)
    }

    /// What a person types is right in many ways.
    @Test(arguments: [
        "name: 007", "name: true", "bio: 2026-01-01", "receive-files: { up-to: \" 10 MB \" }", "receive-files: { up-to: 512 }", "bio: \(bio.dropLast())",
        "rules: [ { when: { text: 5 }, then: { send: 7 } } ]", "rules: [ { id: 1, when: { message: any }, then: { send: x }, cooldown: \" 10 m \" } ]",
        "rules: [ { when: { hours: \" 9:00 - 17:30 \" }, then: { send: x } } ]", "rules: [ { when: { text: \(deep.dropLast()) }, then: { send: x } } ]",
        "rules: [ { when: { command: /Help }, then: { react: ❤️ } } ]",
        "rules: [ { when: { file: { name: \"\(String(repeating: ".", count: 100))\" } }, then: { save: own } } ]",
        "rules: [ { when: { file: { name: \"\(String(repeating: "*", count: 100))\" } }, then: { save: own } } ]",
    ])
    func whatIsMeantIsTaken(_ part: String) {
        let found = faults(in: "parley: 1\nprofiles:\n  a:\n    \(part)\n")
        #expect(found == [])
    }

    /// Each sign of a name is one, and no part of a pattern.
    @Test func aNameOfAFileIsComparedSignBySign() throws {
        let signs = "!#$%&'()+,-.;=@[]^_`{}~ \\d\\w"
        let quoted = signs.replacing("\\", with: "\\\\")
        let file = try BotsFile(parsing: "parley: 1\nprofiles: { a: { rules: [ { when: { file: { name: \"\(quoted)*.TXT\" } }, then: { save: own } } ] } }")
        let rules = try RuleSet(try #require(file.profiles.first).rules)
        func applies(_ name: String) -> Bool {
            var input = RuleInput(event: .message, kind: .file)
            input.file = Attachment(name: name, size: 1)
            return !rules.decide(input).isEmpty
        }
        #expect(applies(signs + ".txt") && applies(signs + "any\nthing.TXT") && applies(signs.uppercased() + "x.txt"))
        for index in signs.indices {
            var other = signs
            other.replaceSubrange(index...index, with: "ä")
            #expect(!applies(other + ".txt"), "\(signs[index])")
        }
        #expect(!applies(signs + ".txt.exe") && !applies("x" + signs + ".txt"))
    }
}
