import Testing

@testable import ParleyRules

/// Which action is possible after which event, in which chats.
@Suite struct ActionMatrixTests {
    /// The events with what makes most actions possible.
    private static let events: KeyValuePairs<String, String> = [
        "contact": "message: any", "command": "command: x, role: moderator, chat: group", "named": "text: x, from: Ann",
        "support": "message: any, chat: support",
        "edited": "edited: true, chat: group", "deleted": "deleted: true", "reaction": "reaction: any", "connected": "connected: true",
        "request": "request: true",
        "joined": "member: joined", "pending": "member: pending", "left": "member: [left, removed]", "invitation": "invitation: true", "report": "report: true",
        "warned": "warned: \"> 2\"", "delivered": "delivered: true", "failed": "delivery-failed: true", "received": "file-received: true",
        "lost": "file-failed: true",
    ]
    private static let names = Set(events.map(\.key))
    private static let deliveries: Set = ["delivered", "failed"], messages: Set = ["contact", "command", "named", "support"]
    /// What is about a member who is in the group, or can be.
    private static let members: Set = ["command", "support", "edited", "joined", "pending", "report", "warned"]

    private static let actions: [(action: String, events: Set<String>)] = [
        ("reply: x", names.subtracting(deliveries).subtracting(["request"])), ("send: x", names.subtracting(deliveries).subtracting(["request"])),
        ("send: { file: a }", names.subtracting(deliveries).subtracting(["request", "lost"])),
        ("post: { channel: c, text: x }", names.subtracting(deliveries).subtracting(["request"])), ("save: own", messages),
        ("react: 👍", messages.union(["edited", "reaction", "received"])), ("accept: true", ["request", "invitation", "pending", "support"]),
        ("reject: true", ["request", "pending", "support"]), ("moderate: true", ["command", "support", "edited", "report", "warned"]), ("block: true", members),
        ("block: { for: 1h }", members), ("remove: true", members), ("remove: with-messages", members), ("role: observer", members), ("forgive: true", members),
        ("warn: true", members.subtracting(["warned"])), ("undo: true", ["command"]), ("cases: true", ["command"]), ("captcha: true", ["pending"]),
        ("form: f", messages.union(["connected"])), ("tell: { chat: c, text: x }", names), ("broadcast: x", ["command", "named"]),
        ("cancel-broadcast: true", ["command", "named"]), ("forward: c", messages.union(["received"])),
        ("webhook: https://a.example", names.subtracting(["request"])),
    ]

    @Test func everyActionIsInTheMatrix() {
        #expect(Set(Self.actions.compactMap { $0.action.split(separator: ":").first.map(String.init) }) == Set(Schemas.action.names))
    }

    @Test(arguments: actions)
    func anActionIsTakenWhereItIsPossibleAndRefusedElsewhereWithAReason(_ action: String, _ possible: Set<String>) {
        for (name, when) in Self.events {
            let source = MarkedSource(
                "parley: 1\nprofiles:\n  a:\n    trusted-contacts: Ann\n    address: { accept: manual }\n    forms: { f: { questions: [ { name: q, ask: x } ], done: { send: x } } }\n"
                    + "    rules:\n      - when: { \(when) }\n        then: §{ \(action) }\n"
                    + "    channels: { n: { name: c, relays: \"https://relay.example.org/r#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\" } }\n")
            let found = faults(in: source.text)
            guard !possible.contains(name) else {
                #expect(found == [], "\(action) after \(name)")
                continue
            }
            #expect(found.count == 1, "\(action) after \(name): \(found)")
            #expect(found.first?.code == .badValue && found.first?.position == source.position, "\(action) after \(name): \(found)")
            #expect(found.first?.message.hasPrefix("\"\(action.prefix { $0 != ":" })\" does not go with \"") == true, "\(action) after \(name): \(found)")
        }
    }

    // MARK: Checks

    private static let texts: Set = ["message", "edited", "report", "warned", "delivered", "delivery-failed", "file-received", "file-failed", "request"]
    private static let written: Set = ["message", "edited", "report", "warned", "file-received", "invitation"]
    private static let ofMembers: Set = ["message", "edited", "member", "report", "warned", "file-received"]
    private static let all = Set(RuleEvent.allCases.map(\.rawValue))

    private static let checks: [(check: String, events: Set<String>)] = [
        ("text: x", texts), ("contains: x", texts), ("pattern: x", texts), ("command: x", texts), ("words: x", texts), ("domains: a.example", texts),
        ("link: true", texts), ("length: \"> 1\"", texts), ("word-count: \"> 1\"", texts), ("lines: \"> 1\"", texts), ("capitals: \"> 1%\"", texts),
        ("emoji: \"> 1\"", texts), ("marks: \"> 1\"", texts), ("repeated: 3", texts), ("blank: true", texts), ("invisible: true", texts),
        ("file: any", ["message", "file-received", "file-failed"]), ("forwarded: true", ["message"]), ("comment: true", ["message", "edited"]),
        ("from: Ann", written), ("name: x", written.union(["member", "connected", "request"])), ("bot: true", written.union(["member", "connected"])),
        ("role: member", ofMembers), ("member-age: \"> 1d\"", ofMembers), ("mention: true", ofMembers.subtracting(["member"])),
        ("mentions: \"> 1\"", ofMembers.subtracting(["member"])), ("group: g", all.subtracting(["connected", "request"])), ("hours: \"1:00-2:00\"", all),
        ("rate: \"> 1 in 1m\"", all.subtracting(["warned"])),
    ]

    @Test func everyCheckIsInTheMatrix() {
        // "message" says what the event is.
        #expect(Set(Self.checks.compactMap { $0.check.split(separator: ":").first.map(String.init) } + ["message"]) == Set(RuleChecks.all.map { $0.key }))
    }

    @Test(arguments: checks, [false, true])
    func aCheckIsTakenWhereTheEventAnswersItAndRefusedElsewhereWithAReason(_ row: (check: String, events: Set<String>), isException: Bool) {
        for event in RuleEvent.allCases {
            let about =
                event == .reaction
                ? "reaction: any"
                : event == .member ? "member: joined" : event == .warned ? "warned: \"> 1\"" : event == .relay ? "relay: left" : "\(event.rawValue): true"
            let key = event == .message ? "message: any" : about
            // Exceptions do not make a rule one about groups.
            let isOfChats = ![.connected, .request, .invitation, .member, .report, .warned].contains(event)
            let chat = isException && isOfChats ? ", chat: group" : ""
            let rule = isException ? "{ when: { \(key)\(chat) }, unless: { \(row.check) }," : "{ when: { \(key), \(row.check) },"
            let found = faults(
                in:
                    "parley: 1\nprofiles:\n  a:\n    address: { accept: manual }\n    rules:\n      - \(rule) then: { tell: { chat: c, text: x } } }\n    groups: { c: {} }\n    trusted-contacts: Ann\n"
            )
            #expect(found.isEmpty == row.events.contains(event.rawValue), "\(row.check) of \(event): \(found)")
            #expect(found.allSatisfy { $0.code == .badValue && $0.position.line == 6 }, "\(row.check) of \(event): \(found)")
        }
    }
}
