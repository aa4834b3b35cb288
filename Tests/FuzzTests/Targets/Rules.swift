import ChatProtocol
import Foundation
import Parley
import ParleyRules
import SMPWire

/// Files that people write.
extension FuzzTarget {
    static let bots = FuzzTarget("bots") {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../bots.yaml").standardized
        let text = try Data(contentsOf: file)
        return [Bytes(text)]
            + [
                "profiles: {a: {rules: [{when: {text: hi}, reply: 'hello {sender.name}'}]}}", "a: &a [*a]", "a: !!binary |\n  AAAA", "? [x]: y",
                "a: &a {b: 1}\n<<: *a", "profiles:\n  - name: x\n    name: y",
            ].map { Bytes($0.utf8) }
    } run: { input throws(FuzzFault) in
        do throws(BotsFileError) {
            let file = try BotsFile(parsing: input)
            _ = String(describing: file)
        } catch {
            // What is wrong is said with its place in the file.
            _ = error.description
        }
    }
}

extension FuzzTarget {
    /// Rules of every kind, for messages of strangers.
    private static let rules: Result<RuleSet, any Error> = Result {
        let file = try BotsFile(
            parsing: """
                parley: 1
                lists: { scam: { words: [casino, "free money", "crypto*"], normalize: all } }
                profiles:
                  guard:
                    rules:
                      - { id: words, when: { words: { list: scam }, chat: group }, then: { moderate: true }, continue: true }
                      - { id: pattern, when: { pattern: "(a+)+$", chat: group }, then: { moderate: true }, continue: true }
                      - { id: domain, when: { domains: { of: [simplex.chat], outside: true }, chat: group }, then: { moderate: true }, continue: true }
                      - when: { any: [ { lines: { count: "> 9", width: 20 } }, { capitals: "> 70%" }, { emoji: "> 5" }, { repeated: { times: 5, length: 2 } } ], chat: group }
                        then: { moderate: true }
                        continue: true
                      - { id: blank, when: { any: [ { blank: true }, { invisible: true }, { word-count: "> 50" } ], chat: group }, then: { moderate: true } }
                """)
        return try RuleSet(file.profiles[0].rules, lists: file.lists)
    }

    /// Templates that name the writer in formatted and in plain text.
    private static let templates: Result<ProfileSpec, any Error> = Result {
        try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  guard:
                    rules:
                      - when: { text: hi, chat: group }
                        then:
                          - send: "Hello {{ member.name }}, welcome to {{ group.name }}!"
                          - send: "*Hello {{ member.name }}*, you wrote: {{ text }}"
                          - send: "{{ member.name }}: {{ text }}"
                """
        ).profiles[0]
    }

    /// A message: rules decide about it, and its text and name format nothing in the texts of the bot.
    static let ruleMessage = FuzzTarget("rule-message", maximumLength: 8_192) {
        try Seeds.texts("markdown")
            + ["hello\u{0}Ann", "c 4 s i n o\u{0}*Ann*", "see https://x.example\u{0}/'pay 10'", "\u{200B}\u{0}@all", "*\u{301}*\u{301}*"].map { Bytes($0.utf8) }
    } run: { input throws(FuzzFault) in
        guard let all = String(validating: input, as: UTF8.self) else { return }
        let parts = all.split(separator: "\u{0}", maxSplits: 1, omittingEmptySubsequences: false)
        let text = String(parts[0]), name = String(parts.count > 1 ? parts[1] : parts[0])
        var message = RuleInput(event: .message, kind: .text, text: text)
        message.chat = .groups
        guard let rules = try? rules.get(), let templates = try? templates.get() else { throw FuzzFault("the rules of the target are wrong") }
        _ = rules.decide(message)
        var values = TemplateValues(botName: "Guard", contactName: name, text: text)
        (values.memberName, values.groupName) = (name, name)
        for template in templates.rules.flatMap(\.then).filter({ $0.word == "send" }).compactMap(\.template) {
            let filled = template.filled(with: values)
            guard filled.utf8.count < Template.maximumLength - 8 else { continue }
            for piece in Markdown.parse(filled) ?? [] {
                switch piece.format {
                case nil, .uri, .email, .phone, .unknown: continue
                case .simplexLink(let shown, _, _, _) where shown == nil: continue
                case .bold where template.source.contains("*"): continue
                default: throw FuzzFault("\(template.source) becomes \(filled.debugDescription), and \(piece.text.debugDescription) is formatted")
                }
            }
        }
    }
}
