internal import Foundation
internal import ParleyRules

/// A first bots.yaml.
struct BotsFileTemplate {
    /// A part of what a first bot does.
    enum Feature: Int, CaseIterable {
        case echo, questions, form, moderation

        /// The choice, as it is offered.
        var title: String {
            switch self {
            case .echo: "repeat what people write"
            case .questions: "answer questions by the words in them"
            case .form: "ask questions one after another, and send the answers to another chat"
            case .moderation: "keep order in groups: delete links, count warnings, block"
            }
        }

        fileprivate var rules: String {
            switch self {
            case .echo:
                """
                      - id: echo
                        when: { message: text }
                        then: { reply: "{{ text }}" }
                """
            case .questions:
                """
                      - id: hours
                        when: { words: [open, opening, hours] }
                        then: { reply: "We are open from 9 to 17." }
                      - id: place
                        when: { words: [where, address] }
                        then: { reply: "12 Main Street." }
                """
            case .form:
                """
                      - id: order
                        when: { command: order }
                        description: Order something
                        then: { form: order }
                """
            case .moderation:
                """
                      - id: join
                        when: { invitation: true }
                        then: { accept: true }
                      - id: links
                        when: { link: true, chat: group }
                        then: [ { moderate: true }, { warn: { expires: 7d } }, { reply: "No links, {{ member.name }}: {{ points }} of 3." } ]
                      - { id: blocked, when: { warned: ">= 3" }, then: { block: true } }
                """
            }
        }

        fileprivate var tests: String {
            switch self {
            case .echo: "      - { say: good morning, replies: good morning }"
            case .questions: "      - { say: \"When are you open?\", expect: hours }\n      - { say: \"Where are you?\", expect: place }"
            case .form: "      - { say: /order, expect: order }"
            case .moderation:
                "      - { say: \"https://example.com\", chat: group, expect: links }\n      - { say: hello, chat: group, expect-none: true }"
            }
        }
    }

    let name: String
    let help: String
    /// The parts, in the order of their rules.
    let features: [Feature]
    /// True for a bot on the routers of the public network, which every phone reaches.
    let isPublic: Bool

    /// The line that lets phones reach the bots of a file.
    static let publicNetwork = "network: { operators: preset, accept-conditions: yes }"

    /// The file.
    var text: String {
        // What repeats everything comes last, or no other rule would get a message.
        let features = features.sorted { ($0 == .echo ? 1 : 0, $0.rawValue) < ($1 == .echo ? 1 : 0, $1.rawValue) }
        var lines = [
            "# parley schema --output parley.schema.json makes this line complete keys in editors.",
            BotsSchema.header(path: "./parley.schema.json"),
            "parley: 1",
        ]
        if isPublic { lines.append(Self.publicNetwork) }
        lines += [
            "profiles:",
            "  \(Self.key(for: name)):",
            "    name: \(YAMLText.quoted(name))",
            "    address: { accept: automatic, welcome: \"Hello! Send /help.\" }",
        ]
        if features.contains(.form) { lines.append(Self.form) }
        lines.append(
            """
                rules:
                  - id: help
                    when: { command: [help, start] }
                    description: What this bot does
                    then: { reply: \(YAMLText.quoted(help.replacingOccurrences(of: "{{", with: "{{{{", options: .literal))) }
                  - id: thanks
                    when: { words: [thanks, "thank you"] }
                    then: { react: 👍 }
            """)
        lines += features.map(\.rules)
        lines.append(
            """
                tests:
                  - { say: /help, expect: help }
                  - { say: "Thanks!", actions: react }
            """)
        lines += features.map(\.tests)
        return lines.joined(separator: "\n") + "\n"
    }

    private static let form = """
            forms:
              order:
                questions:
                  - { name: what, ask: "What would you like? /cancel ends this.", choices: [Bread, Rolls] }
                  - { name: count, ask: "How many?", pattern: "^[0-9]{1,2}$", error: "One or two digits, please." }
                done:
                  - { send: "{{ form.count }} {{ form.what }}: thank you, {{ contact.name }}." }
                  # Takes the answers to a group of the bot. Declare it in the profile: groups: { kitchen: { name: Kitchen } }
                  # - { tell: { chat: Kitchen, text: "{{ contact.name }}: {{ form.count }} {{ form.what }}" } }
        """

    /// Letters that are no letter with a mark.
    private static let plainLetters: [Character: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i",
    ]

    /// The key of a profile with a name: its letters without marks and its digits, in lower case.
    private static func key(for name: String) -> String {
        let lower = name.lowercased().map { plainLetters[$0] ?? String($0) }.joined().decomposedStringWithCanonicalMapping
        let plain = String(String.UnicodeScalarView(lower.unicodeScalars.filter { !$0.properties.isDiacritic || $0.isASCII }))
        let words = plain.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let key = words.joined(separator: "-")
        return key.first?.isLetter == true ? key : "helper"
    }
}
