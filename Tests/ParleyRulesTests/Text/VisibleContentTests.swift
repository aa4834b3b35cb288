import ChatProtocol
import Foundation
import Parley
import Testing

@testable import ParleyRules

/// Rules see what people see and open.
@Suite struct VisibleContentTests {
    /// Runs the tests of a file with the rules.
    private func run(_ rules: String, _ tests: [String], lists: String = "", file: String = #fileID, line: Int = #line) throws {
        let source = "parley: 1\n\(lists)\nprofiles:\n  a:\n    rules:\n\(rules)\n    tests:\n" + tests.map { "      - \($0)\n" }.joined()
        let bots = try BotsFile(parsing: source), profile = try #require(bots.profiles.first)
        let set = try RuleSet(profile.rules, lists: bots.lists)
        for test in profile.tests {
            let failures = test.run(set, bot: "Guard", forms: profile.forms)
            #expect(failures.isEmpty, "\(file):\(line): \(test.position.line): \(failures)")
        }
    }

    private func decisions(_ when: String, then: String = "moderate: true", lists: String = "", _ input: RuleInput) throws -> [RuleDecision] {
        let file = try BotsFile(parsing: "parley: 1\n\(lists)\nprofiles: { a: { rules: [ { id: r, when: { \(when) }, then: { \(then) } } ] } }")
        return try RuleSet(try #require(file.profiles.first).rules, lists: file.lists).decide(input)
    }

    private func input(_ text: String, attached: [String] = [], kind: MessageKind = .text, _ change: (inout RuleInput) -> Void = { _ in }) -> RuleInput {
        var input = RuleInput(event: .message, kind: kind, text: text)
        input.attached = attached
        input.chat = .groups
        change(&input)
        return input
    }

    // MARK: Previews, cards, files

    @Test func aPreviewIsJudgedLikeTheText() throws {
        try run(
            """
                  - { id: link, when: { link: web, message: any, chat: group }, then: { moderate: true }, continue: true }
                  - { id: domain, when: { domains: [bad.example], message: any, chat: group }, then: { moderate: true }, continue: true }
                  - { id: word, when: { words: [casino], chat: group }, then: { moderate: true }, continue: true }
                  - { id: part, when: { contains: bonus, chat: group }, then: { moderate: true }, continue: true }
                  - { id: pattern, when: { pattern: "(?i)free +money", chat: group }, then: { moderate: true }, continue: true }
            """,
            [
                "{ say: have a look, chat: group, preview: { uri: \"https://bad.example/x\", title: Casino bonus }, expect: [link, domain, word, part] }",
                "{ say: have a look, chat: group, preview: { uri: \"https://good.org\", description: FREE MONEY }, expect: [link, pattern] }",
                "{ say: have a look, chat: group, preview: { title: a page }, expect-none: true }",
                "{ say: have a look, chat: group, expect-none: true }",
            ])
    }

    @Test func aPreviewOfAnEditedOrReportedMessageIsJudged() throws {
        try run(
            """
                  - { id: edit, when: { edited: true, link: true, chat: group }, then: { moderate: true } }
                  - { id: report, when: { report: true, words: [casino] }, then: { moderate: true } }
            """,
            [
                "{ edited: fine, chat: group, preview: { uri: \"https://bad.example\" }, expect: edit }",
                "{ report: look, card: { name: Casino }, expect: report }", "{ report: look, card: { name: Cafe }, expect-none: true }",
            ])
    }

    @Test func aCardIsJudgedLikeTheText() throws {
        let link = "https://smp8.simplex.im/a#lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok"
        try run(
            """
                  - { id: simplex, when: { link: simplex, message: any, chat: group }, then: { moderate: true }, continue: true }
                  - { id: card, when: { message: card, chat: group }, then: { moderate: true }, continue: true }
                  - { id: word, when: { words: { of: [casino], normalize: all }, chat: group }, then: { moderate: true }, continue: true }
            """,
            [
                "{ message: card, chat: group, card: { link: \"\(link)\", name: \"C a s i n o\" }, expect: [simplex, card, word] }",
                "{ say: \"\", card: { description: сasino }, chat: group, expect: [card, word] }",
            ])
    }

    @Test(
        arguments: [
            (
                #"{"type":"link","text":"x","preview":{"uri":"https://bad.example","title":"T","description":"D","image":"data:image/jpg;base64,AA=="}}"#,
                ["https://bad.example", "T", "D"]
            ),
            (
                #"{"type":"poll","text":"x","question":"Casino?","answers":[{"text":"yes"},{"text":"no","n":1}],"image":"data:image/png;base64,AA=="}"#,
                ["Casino?", "yes", "no"]
            ),
            (#"{"type":"text","text":"x"}"#, []),
            (
                #"{"type":"chat","text":"","chatLink":{"type":"group","connLink":"https://smp8.simplex.im/g#x","groupProfile":{"displayName":"G","fullName":"","shortDescr":"S","description":"D","groupPreferences":{}}}}"#,
                ["https://smp8.simplex.im/g#x", "G", "S", "D"]
            ),
        ] as [(String, [String])])
    func whatStandsBesideATextIsRead(_ json: String, _ texts: [String]) throws {
        let content = try MessageContent(parsing: json)
        #expect(content.attachedTexts == texts)
    }

    /// Each text of a message that people see or open reaches the rules, whatever the kind of content is. What is left out is named here.
    @Test(arguments: VisibleContentTests.contents) func eachVisibleTextOfAContentIsJudged(_ json: String) throws {
        let content = try MessageContent(parsing: json)
        var leaves: [(path: String, text: String)] = []
        func collect(_ value: JSONValue, _ path: String) {
            switch value {
            case .string(let text): leaves.append((path, text))
            case .array(let values): for value in values { collect(value, path) }
            case .object(let object): for (key, value) in object.members { collect(value, path.isEmpty ? key : path + "." + key) }
            default: break
            }
        }
        collect(try JSONValue(parsing: json), "")
        var input = RuleInput(event: .message, kind: MessageKind(content), text: content.text)
        input.attached = content.attachedTexts
        input.chat = .groups
        var seen = 0
        for leaf in leaves where leaf.text.contains("MARK") {
            seen += 1
            // A word of letters only for each leaf.
            #expect(([input.text] + input.attached).contains(leaf.text), "\(leaf.path)")
            let word = leaf.text.hasPrefix("http") ? "contains: \"\(leaf.text)\"" : "words: [\(leaf.text)]"
            #expect(try !decisions("\(word), chat: group", input).isEmpty, "\(leaf.path)")
        }
        #expect(seen > 0)
        // What has no mark: kinds, pictures, ids and settings, which no app shows as a text.
        let hidden = ["type", "image", "reason", "preview.image", "preview.content.type", "connLink", "peerType", "groupType", "publicGroupId", "ownerSig"]
        for leaf in leaves where !leaf.text.contains("MARK") {
            #expect(
                hidden.contains { leaf.path == $0 || leaf.path.hasSuffix(".\($0)") } || leaf.path.contains("ownerSig"), "\(leaf.path) is shown and has no mark")
        }
    }

    static let contents: [String] = {
        let picture = #""image":"data:image/jpg;base64,AA==""#
        let profile =
            #"{"displayName":"MARKname","fullName":"MARKfull","shortDescr":"MARKshort","contactLink":"https://MARK.example/a#x","peerType":"bot",\#(picture)}"#
        let group = #"{"displayName":"MARKname","fullName":"MARKfull","shortDescr":"MARKshort","description":"MARKlong",\#(picture)}"#
        return [
            #"{"type":"text","text":"MARKtext"}"#,
            #"{"type":"link","text":"MARKtext","preview":{"uri":"https://MARK.example/x","title":"MARKtitle","description":"MARKabout",\#(picture),"content":{"type":"page"}}}"#,
            #"{"type":"image","text":"MARKtext",\#(picture)}"#, #"{"type":"video","text":"MARKtext",\#(picture),"duration":3}"#,
            #"{"type":"voice","text":"MARKtext","duration":3}"#, #"{"type":"file","text":"MARKtext"}"#,
            #"{"type":"report","text":"MARKtext","reason":"spam"}"#,
            #"{"type":"chat","text":"MARKtext","chatLink":{"type":"contact","connLink":"https://MARK.example/c#x","profile":\#(profile),"business":false}}"#,
            #"{"type":"chat","text":"MARKtext","chatLink":{"type":"invitation","invLink":"https://MARK.example/i#x","profile":\#(profile)}}"#,
            #"{"type":"chat","text":"MARKtext","chatLink":{"type":"group","connLink":"https://MARK.example/g#x","groupProfile":\#(group)}}"#,
            #"{"type":"poll","text":"MARKtext","question":"MARKquestion","options":[{"text":"MARKone","votes":1},{"label":"MARKtwo"}],"footer":{"note":"MARKnote"},\#(picture)}"#,
            #"{"type":"event","text":"MARKtext","place":{"name":"MARKplace","map":"https://MARK.example/map"},"guests":["MARKguest"]}"#,
        ]
    }()

    @Test func aQuoteThatNobodyHasSentIsJudged() throws {
        try run(
            """
                  - { id: link, when: { link: true, chat: group }, then: { moderate: true }, continue: true }
                  - { id: word, when: { words: [casino], chat: group }, then: { moderate: true } }
            """,
            [
                "{ say: yes, chat: group, quote: \"win at https://bad.example, a casino\", expect: [link, word] }",
                "{ say: yes, chat: group, quote: fine, expect-none: true }",
            ])
        #expect(throws: BotsFileError.self) {
            try BotsFile(parsing: "parley: 1\nprofiles: { a: { rules: [], tests: [ { edited: x, quote: y, expect-none: true } ] } }")
        }
    }

    @Test func theNameOfAFileIsJudgedByRulesThatModerate() throws {
        let file: (inout RuleInput) -> Void = { $0.file = Attachment(name: "Casino bonus.pdf", size: 10) }
        #expect(try !decisions("words: [casino], chat: group", input("", kind: .file, file)).isEmpty)
        #expect(try !decisions("contains: casino, chat: group", input("", kind: .file, file)).isEmpty)
        #expect(try !decisions("pattern: \"(?i)^casino\", chat: group", input("", kind: .file, file)).isEmpty)
        #expect(try decisions("words: [casino], chat: group", then: "reply: Hi", input("", kind: .file, file)).isEmpty)
        #expect(try decisions("link: true, chat: group", input("", kind: .file) { $0.file = Attachment(name: "archive.zip", size: 1) }).isEmpty)
    }

    @Test(arguments: [
        "setup.exe ", "setup.exe.", "setup.exe . .", "SETUP.EXE", "setup.exe\u{202E}", "setup.exe\u{200B} ",
    ])
    func aFileIsKnownByTheNameThatSystemsRead(_ name: String) throws {
        let file: (inout RuleInput) -> Void = { $0.file = Attachment(name: name, size: 10) }
        #expect(try !decisions("file: { name: \"*.exe\" }, chat: group", input("", kind: .file, file)).isEmpty, "\(name)")
        #expect(try !decisions("file: { type: \"application/vnd.microsoft.*\" }, chat: group", input("", kind: .file, file)).isEmpty, "\(name)")
    }

    @Test func textMessagesHavePreviews() throws {
        #expect(try !decisions("message: text, chat: group", input("look https://x.io", kind: .link)).isEmpty)
        #expect(try decisions("message: link, chat: group", input("plain")).isEmpty)
        #expect(try !decisions("message: link, chat: group", input("x", kind: .link)).isEmpty)
        let source =
            "parley: 1\nprofiles: { a: { rules: [ { when: { message: text }, then: { reply: x } }, { when: { message: link }, then: { reply: y } } ] } }"
        #expect(try BotsFile(parsing: source).warnings.diagnostics.map(\.code) == [.unreachable])
    }

    // MARK: Formats

    @Test(arguments: [
        "_casino_", "__casino__", "*casino*", "*ca*_sino_", "!1 ca!sino", "~casino~", "`casino`", "#casino#", "_ca_*si*~no~", "[casino](https://a.org)",
    ])
    func marksOfFormatsHideNoWords(_ text: String) throws {
        #expect(try !decisions("words: [casino], chat: group", input(text)).isEmpty, "\(text)")
        #expect(try !decisions("contains: casino, chat: group", input(text)).isEmpty, "\(text)")
        #expect(try !decisions("pattern: casino, chat: group", input(text)).isEmpty, "\(text)")
    }

    @Test func measuresAreOfTheTextThatIsShown() throws {
        #expect(try !decisions("length: \"= 6\", chat: group", input("*casino*")).isEmpty)
        #expect(try !decisions("text: hi, chat: group", input("*hi*")).isEmpty)
        #expect(try !decisions("capitals: \"= 100%\", chat: group", input("*HELLO* _EVERYONE_")).isEmpty)
        #expect(try !decisions("repeated: 6, chat: group", input("*no*ooooo")).isEmpty)
        #expect(try !decisions("blank: true, chat: group", input("\u{301}\u{FE0F}")).isEmpty)
        #expect(try decisions("words: [case], chat: group", input("snake_case")).isEmpty)
    }

    // MARK: Comparisons

    @Test(arguments: [
        ("text: iyi", "İyi"), ("contains: istanbul", "İstanbul'da"), ("command: iptal", "/İptal"), ("text: straße", "STRASSE"), ("text: café", "cafe\u{301}"),
        ("contains: grün", "gru\u{308}n"), ("words: [mañana]", "man\u{303}ana"), ("contains: 학점", "\u{1112}\u{1161}\u{11A8}\u{110C}\u{1165}\u{11B7}"),
        ("pattern: '(?i)^größe$'", "Gro\u{308}ße"), ("words: [\"don't\"]", "I don’t"), ("contains: \"what's up\"", "What’s up?"), ("text: ❤", "❤️"),
        ("text: ❤️", "❤"),
        ("words: [casino]", "ca\u{200B}sino"), ("words: [ΜΑΓΕΙΑΣ]", "μαγειας"), ("text: \"a - b\"", "a – b"),
        ("words: [\"a...b\"]", "a…b"),
    ])
    func equalTextsAreFoundHoweverTheyAreWritten(_ when: String, _ text: String) throws {
        #expect(try !decisions("\(when), chat: group", input(text)).isEmpty)
    }

    @Test(arguments: [("words: [cafe]", "café"), ("words: [casino]", "саsino"), ("text: iyi", "iyı i"), ("contains: grun", "grün")])
    func otherTextsAreNotFoundWithoutBeingAskedFor(_ when: String, _ text: String) throws {
        #expect(try decisions("\(when), chat: group", input(text)).isEmpty)
    }

    @Test func aReactionIsTheSameWithASelector() throws {
        for (written, sent) in [("❤️", "❤"), ("❤", "❤️"), ("❤", "❤")] {
            let file = try BotsFile(parsing: "parley: 1\nprofiles: { a: { rules: [ { when: { reaction: \"\(written)\" }, then: { send: x } } ] } }")
            #expect(file.warnings.diagnostics.isEmpty)
            #expect(try !RuleSet(try #require(file.profiles.first).rules).decide(RuleInput(event: .reaction, emoji: sent)).isEmpty)
        }
    }

    @Test func heapedMarksCount() throws {
        let zalgo = "Z" + String(repeating: "\u{351}", count: 3_000)
        #expect(try !decisions("length: \"> 500\", chat: group", input(zalgo)).isEmpty)
        #expect(try !decisions("lines: { count: \"> 10\", width: 80 }, chat: group", input(zalgo)).isEmpty)
        #expect(try !decisions("marks: \"> 3\", chat: group", input(zalgo)).isEmpty)
        #expect(try decisions("marks: \"> 3\", chat: group", input("Tiếng Việt שָׁלוֹם ❤️")).isEmpty)
    }

    // MARK: Exceptions by place

    @Test(
        arguments: [
            (
                "words: { of: [\"crypto*\", idiot], except: [cryptography] }", ["cryptography, you idiot", "crypto and cryptography", "cryptocoin"],
                ["cryptography", "CRYPTOGRAPHY!"]
            ),
            (
                "contains: { of: free, except: [\"free speech\"] }", ["free speech and free money", "freedom"],
                ["free speech", "Free Speech"]
            ),
            (
                "domains: { of: [example.com], except: [docs.example.com] }", ["https://docs.example.com https://example.com", "a.example.com"],
                ["docs.example.com", "https://x.docs.example.com"]
            ),
            ("domains: { of: [simplex.chat], outside: true }", ["https://simplex.chat https://evil.example"], ["https://simplex.chat", "node.js"]),
            (
                "words: { list: l, except: [\"casino royale\"] }", ["casino", "Casino Royale, a casino"],
                ["casino royale", "Cаsino Royale"]
            ),
            ("words: { of: \"*ass*\", except: [\"class*\", assume] }", ["bass", "class ass"], ["classes", "assume"]),
        ] as [(String, [String], [String])])
    func anAllowedPhraseExcusesItsOwnPlaceOnly(_ when: String, _ found: [String], _ allowed: [String]) throws {
        let lists = "lists: { l: { words: [casino], normalize: all } }"
        for text in found { #expect(try !decisions("\(when), chat: group", lists: lists, input(text)).isEmpty, "\(text)") }
        for text in allowed { #expect(try decisions("\(when), chat: group", lists: lists, input(text)).isEmpty, "\(text)") }
    }

    @Test func manyExceptionsOfManyChecksAreReadInTheEnd() throws {
        let text = String(repeating: "free speech ", count: 1_000)
        #expect(try decisions("contains: { of: [free, e, speech], except: [\"free speech\"] }, chat: group", input(text)).isEmpty)
        #expect(try !decisions("contains: { of: [free, e, speech], except: [\"free speech\"] }, chat: group", input(text + "free")).isEmpty)
    }

    // MARK: Names

    @Test(arguments: ["Аdmin", "\u{202E}nimdA", "A d m i n", "𝐀𝐝𝐦𝐢𝐧", "Ádmin", "Ad\u{200B}min", "@admin", "Admin2", "the ADMIN"])
    func aNameIsComparedAsTextsAre(_ name: String) throws {
        var input = RuleInput(event: .member)
        (input.chat, input.change, input.displayName) = (.groups, .pending, name)
        let when = "member: pending, name: { words: [admin], normalize: all }"
        #expect(try !decisions(when, then: "reject: true", input).isEmpty, "\(name)")
        input.displayName = "Administration"
        #expect(try decisions(when, then: "reject: true", input).isEmpty)
        input.displayName = nil
        #expect(try decisions(when, then: "reject: true", input).isEmpty)
        #expect(try decisions("member: pending, not: { name: { words: [admin] } }", then: "reject: true", input).isEmpty, "an unknown name decides nothing")
    }

    @Test func namesAreComparedWithListsAndPatterns() throws {
        let lists = "lists: { staff: { words: [admin, moderator], normalize: all } }"
        func holds(_ name: String, _ test: String) throws -> Bool {
            try !decisions("chat: group, message: any, name: { \(test) }", lists: lists, input("x") { $0.displayName = name }).isEmpty
        }
        #expect(try holds("Mоderator", "list: staff"))
        #expect(try holds("Admin 7", "list: staff, pattern: \"7$\""))
        #expect(try !holds("Admin 8", "list: staff, pattern: \"7$\""))
        #expect(try !holds("admin of fun", "list: staff, except: [\"admin of fun\"]"))
        // A word of a name is not looked for in texts.
        #expect(try decisions("chat: group, message: any, name: { words: [admin] }", input("admin") { $0.displayName = "Ann" }).isEmpty)
        #expect(try !decisions("group: { words: [casino], normalize: all }", input("x") { $0.groupNames = ["Tор Cаsinо", "g_1"] }).isEmpty)
        #expect(try decisions("group: { words: [casino] }", input("casino") { $0.groupNames = ["Cafe"] }).isEmpty)
    }

    // MARK: Findings

    @Test(arguments: [
        ("words: { of: [casino, poker], normalize: all }", "play p0ker", "poker"), ("contains: [free, money]", "MONEY", "money"),
        ("domains: [bad.example]", "https://x.BAD.example/y", "x.bad.example"),
        ("domains: [bücher.example]", "https://xn--bcher-kva.example", "bücher.example"),
        ("pattern: '(?i)c.sino'", "CaSiNo", "CaSiNo"), ("any: [ { link: simplex }, { words: [casino] } ]", "casino", "casino"),
        ("words: [casino]", "_casino_", "casino"),
    ])
    func whatIsFoundCanBeNamed(_ when: String, _ text: String, _ match: String) throws {
        let decision = try #require(try decisions("\(when), chat: group", then: "reply: \"found: {{ match }}\"", input(text)).first)
        #expect(decision.match?.text == match)
    }

    @Test func whereNothingIsLookedForNothingCanBeNamed() {
        #expect(throws: BotsFileError.self) { try decisions("link: true", then: "reply: \"{{ match }}\"", input("x")) }
        #expect(throws: BotsFileError.self) { try decisions("words: [a]", then: "reply: \"{{ match.1 }}\"", input("x")) }
    }

    @Test(
        arguments: [
            ("(?i)\\\\bприв\\\\b", "ASCII"), ("größe\\\\w", "ASCII"), ("/casino/i", "(?i)casino"), ("/a b/", nil), ("\\\\bcasino\\\\b", nil),
            ("^\\\\d+ €$", "ASCII"), ("/help", nil), ("^\\\\d+$", "[0-9]"), ("[\\\\D]", "\\p{Nd}"), ("\\\\w+@", "[0-9A-Za-z_]"), ("[[:alpha:]]x", "ASCII"),
            ("[[:^digit:]]", "ASCII"), ("\\\\pL\\\\b", "edge of a word"), ("^[0-9]+$", nil), ("\\\\p{Nd}+", nil), ("\\\\\\\\d", nil), ("\\\\Q\\\\d\\\\E", nil),
            ("\\\\Q\\\\d\\\\E\\\\d", "[0-9]"), ("\\\\s+x", nil),
        ] as [(String, String?)])
    func aPatternThatMatchesLessThanItSeemsToIsWarnedOf(_ pattern: String, _ words: String?) throws {
        let file = try BotsFile(parsing: "parley: 1\nprofiles: { a: { rules: [ { when: { pattern: \"\(pattern)\" }, then: { reply: x } } ] } }")
        let warnings = file.warnings.diagnostics.filter { $0.code == .pattern }
        #expect(warnings.isEmpty == (words == nil), "\(warnings)")
        if let words { #expect(warnings.first.map { ($0.message + ($0.hint ?? "")).contains(words) } == true) }
    }
}
