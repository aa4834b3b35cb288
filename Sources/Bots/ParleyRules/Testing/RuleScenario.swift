internal import ChatProtocol
internal import Foundation
internal import Parley
internal import UnicodeText
internal import Yams

/// An event as a test or a person describes it, to see what rules make of it.
public struct RuleScenario: Sendable {
    /// The event, as rules see it.
    public internal(set) var input: RuleInput
    /// The name of the contact or member.
    var name = "Ann"
    /// `2026-11-21`.
    var date = "2026-01-01"
    /// True for a right answer to a captcha, false for a wrong one; nil for other events.
    private(set) var isRightAnswer: Bool?

    /// Reads a scenario that is given as words, such as options of a command line.
    ///
    /// - Parameter words: values by the keys of a test, without expectations.
    /// - Throws: ``BotsFileError`` with everything that is wrong.
    public init(_ words: [(key: String, value: String)]) throws(BotsFileError) {
        let pairs = words.map { (Node.scalar(.init($0.key, Tag(.str), .plain)), Node.scalar(.init($0.value, Tag(.str), .doubleQuoted))) }
        let sink = DiagnosticSink()
        let scenario = NodeReader(node: .mapping(.init(pairs)), sink: sink, path: "").mapping().flatMap { RuleScenario($0, schema: Schemas.scenario) }
        guard let scenario, sink.diagnostics.isEmpty else { throw BotsFileError(file: "scenario", source: "", diagnostics: sink.diagnostics) }
        self = scenario
    }

    /// Keys that name an event, with their events.
    static let events: KeyValuePairs<String, RuleEvent> = [
        "say": .message, "message": .message, "edited": .edited, "report": .report, "reaction": .reaction, "member": .member, "deleted": .deleted,
        "connected": .connected, "request": .request, "invitation": .invitation, "warned": .warned, "answer": .message,
        "delivered": .delivered, "delivery-failed": .deliveryFailed, "file-received": .fileReceived, "file-failed": .fileFailed,
        "relay": .relay,
    ]
    static let answerWords: KeyValuePairs<String, Bool> = ["right": true, "wrong": false]
    /// Points that a test lets somebody have.
    static let points = 1...10_000
    static let kindWords: KeyValuePairs<String, ChatKinds> = [
        "contact": .contacts, "group": .groups, "support": .supportChats, "business": .businessChats,
    ]
    /// Members that a test lets a message mention at the most.
    static let mentions = 0...1_000

    init?(_ mapping: MappingReader, schema: MappingSchema) {
        mapping.refuseKeys(otherThan: schema)
        let named = Self.events.filter { mapping.value($0.key) != nil }
        let events = Set(named.map(\.value))
        guard let event = named.first?.value, events.count == 1 else {
            if named.isEmpty, mapping.hasUnknownKeys(schema) { return nil }
            mapping.reader.report(
                .badValue, named.isEmpty ? "nothing happens" : "one event, not \(named.map(\.key).joined(separator: " and "))",
                hint: "write one of: " + Self.events.map(\.key).joined(separator: ", "))
            return nil
        }
        input = RuleInput(event: event)
        if event == .message { input.kind = mapping.value("message")?.word(of: RuleCondition.kindWords) ?? Self.kind(mapping) }
        if let request = mapping.value("request"), request.text != "true", request.text != "false" { input.text = request.string() ?? "" }
        input.text += ["say", "edited", "report", "delivered", "delivery-failed"].compactMap { mapping.value($0)?.string() }.first ?? ""
        readAttached(mapping)
        isRightAnswer = mapping.value("answer")?.word(of: Self.answerWords)
        input.points = mapping.value("warned")?.integer(in: Self.points)
        input.emoji = mapping.value("reaction")?.nonEmptyString()
        if let reaction = mapping.value("reaction"), let text = input.emoji, !RuleAction.emoji.contains(where: { $0.folded == text.folded }) {
            reaction.warn(
                .unreachable, "no app sends the reaction \"\(text.cut)\"", hint: "expected one of: " + RuleAction.emoji.joined(separator: " "))
        }
        for key in ["deleted", "connected", "request", "invitation"]
        where mapping.value(key)?.text == "false" || key != "request" && mapping.value(key)?.bool() == false {
            mapping.value(key)?.report(.badValue, "leave \"\(key)\" out instead of saying false")
        }
        input.relay = mapping.value("relay")?.word(of: RelayEvent.words)?.first
        input.change = mapping.value("member")?.word(of: MembershipEvent.words)?.first
        if let file = mapping.value("file-received") ?? mapping.value("file-failed") { input.file = Self.file(file) }
        if event == .fileReceived { input.kind = .file }
        readError(mapping)
        readChat(mapping)
        readWriter(mapping)
        if let file = mapping.value("file") { input.file = Self.file(file) }
        if let at = mapping.value("at") { readTime(at) }
    }

    /// The kind of a message that does not name it.
    private static func kind(_ mapping: MappingReader) -> MessageKind {
        mapping.value("card") != nil ? .chat : mapping.value("preview") != nil ? .link : .text
    }

    private mutating func readAttached(_ mapping: MappingReader) {
        if let quote = mapping.value("quote") {
            if input.event == .message {
                input.attached += [quote.nonEmptyString()].compactMap(\.self)
            } else {
                quote.report(.badValue, "\"quote\" is a part of a message", hint: "it goes with say and message")
            }
        }
        for (key, schema) in [("preview", Schemas.scenarioPreview), ("card", Schemas.scenarioCard)] {
            guard let reader = mapping.value(key) else { continue }
            guard [.message, .edited, .report].contains(input.event) else {
                reader.report(.badValue, "\"\(key)\" is a part of a message", hint: "it goes with say, message, edited and report")
                continue
            }
            guard let parts = reader.mapping() else { continue }
            parts.refuseKeys(otherThan: schema)
            input.attached += schema.names.compactMap { parts.value($0)?.nonEmptyString() }
        }
    }

    private mutating func readError(_ mapping: MappingReader) {
        let error = mapping.value("error")
        if input.event == .deliveryFailed || input.event == .fileFailed {
            input.error = error?.nonEmptyString() ?? "something went wrong"
        } else {
            error?.report(.badValue, "nothing has failed", hint: "\"error\" goes with \"delivery-failed\" and \"file-failed\"")
        }
    }

    private mutating func readChat(_ mapping: MappingReader) {
        if input.event == .invitation {
            input.groupNames = [mapping.value("group")?.nonEmptyString() ?? "Group"]
            return
        }
        let isInGroup =
            [.member, .report, .warned, .relay].contains(input.event) || ["role", "group", "member-age", "comment"].contains { mapping.value($0) != nil }
        input.chat = mapping.value("chat")?.word(of: Self.kindWords) ?? (isRightAnswer != nil ? .supportChats : isInGroup ? .groups : .contacts)
        input.groupNames = input.chat == .contacts ? [] : [mapping.value("group")?.nonEmptyString() ?? "Group"]
    }

    private mutating func readWriter(_ mapping: MappingReader) {
        if let name = mapping.value("name")?.nonEmptyString() { self.name = name }
        input.displayName = name
        let known = mapping.value("from")?.nonEmptyString()
        (input.sender, input.alias, input.isTrusted) = (known ?? name, known ?? "", known != nil)
        let role = mapping.value("role")?.word(of: MemberCondition.roleWords)
        input.role = role ?? (input.chat == .contacts || input.event.isAboutDelivery || input.event == .relay ? nil : .member)
        // Who was reported is an ordinary member.
        input.target = input.event == .report ? .member : input.role
        input.memberAge = mapping.value("member-age").flatMap(TimeSpan.read)
        input.isFromBot = mapping.value("bot")?.bool() ?? false
        input.isForwarded = mapping.value("forwarded")?.bool() ?? false
        input.isComment = mapping.value("comment")?.bool() ?? false
        input.mentionsBot = mapping.value("mention")?.bool() ?? false
        input.mentions = mapping.value("mentions")?.integer(in: Self.mentions) ?? (input.mentionsBot ? 1 : 0)
    }

    /// A file with its name and size, or its name alone.
    private static func file(_ reader: NodeReader) -> Attachment? {
        guard reader.keys != nil else { return reader.nonEmptyString().map { Attachment(name: $0, size: 1_024) } }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.scenarioFile)
        let name = mapping.required("name", hint: "write the name of the file")?.nonEmptyString()
        let size = mapping.value("size").map(FileCondition.size) ?? 1_024
        guard let name, let size else { return nil }
        return Attachment(name: name, size: size)
    }

    /// Tells whether a text is a day of the calendar: 31 February is not.
    private static func isDay(_ text: Substring) -> Bool {
        guard text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil, let date = try? Date("\(text)T00:00:00Z", strategy: .iso8601) else { return false }
        return date.formatted(.iso8601.year().month().day()) == text
    }

    private mutating func readTime(_ reader: NodeReader) {
        guard let text = reader.string() else { return }
        let parts = text.split(separator: " ")
        guard (1...2).contains(parts.count), let last = parts.last, let minute = HourRange.minute(last),
            parts.count == 1 || Self.isDay(parts[0])
        else {
            reader.report(.badValue, "\(reader.path) cannot be \"\(text.cut)\"", hint: "write a time in UTC: 14:05, or 2026-11-21 14:05")
            return
        }
        input.minuteOfDay = minute
        if parts.count == 2 { date = String(parts[0]) }
        input.time = (try? Date("\(date)T00:00:00Z", strategy: .iso8601))?.addingTimeInterval(Double(minute) * 60)
    }

    /// The values for templates.
    func values(bot: String, _ decision: RuleDecision? = nil) -> TemplateValues {
        let minute = input.minuteOfDay ?? 12 * 60
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        var values = TemplateValues(
            botName: bot, contactName: name, text: input.text, match: decision?.match, command: decision?.command, emoji: input.emoji, date: date,
            time: "\(two(minute / 60)):\(two(minute % 60))")
        values.points = decision?.points
        if input.event == .invitation { (values.inviterName, values.groupName) = (name, input.groupNames.first ?? "") }
        (values.fileName, values.error) = (input.file?.name ?? "", input.error ?? "")
        if input.chat != .contacts { (values.memberName, values.groupName) = (name, input.groupNames.first ?? "") }
        return values
    }
}

/// The effect that an action of a rule would have.
public struct PlannedAction: Sendable, Hashable, CustomStringConvertible {
    /// The id of the rule, or its line.
    public let rule: String
    /// The key of the action: `reply`, `moderate`.
    public let word: String
    /// The text that is sent, the role, the reaction or the chat; nil for actions without any.
    public let detail: String?
    /// True if the action would only be logged.
    public let isAudit: Bool

    /// A textual form, for messages and logs.
    public var description: String { detail.map { "\(word) \"\($0)\"" } ?? word }

    /// True if a text is sent.
    public var isText: Bool { ["reply", "send", "tell", "broadcast"].contains(word) }
}

extension RuleSet {
    /// The effects that the rules would have, with the texts that they would send.
    public func plan(_ scenario: RuleScenario, bot: String) -> [PlannedAction] {
        var simulation = RuleSimulation(self, bot: bot)
        return simulation.take(scenario).actions
    }
}
