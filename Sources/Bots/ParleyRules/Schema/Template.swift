internal import Parley

/// Text with places that are filled in when a rule applies: `Hello, {{ contact.name }}!`.
///
/// A name that does not exist, or that has no value for the rule's event, is refused when the file is read. `{{{{` stands
/// for two braces. What is filled in is never read as a template again, and formats nothing: see ``filled(with:)``.
public struct Template: Sendable, Hashable {
    /// A name that is allowed between the braces.
    enum Variable: Sendable, Hashable {
        case botName, contactName, contactAlias, memberName, memberAlias, memberMention, groupName, inviterName, text, command, arguments, reaction, date, time,
            points, fileName,
            error
        case match(Int)
        case namedMatch(String)
        /// An answer of a form.
        case form(String)
    }

    enum Segment: Sendable, Hashable {
        case text(String)
        /// - Parameter isRaw: whether the value may format text.
        case variable(Variable, isRaw: Bool)
    }

    /// The template as it was written.
    public let source: String
    let segments: [Segment]

    static let names: KeyValuePairs<String, Variable> = [
        "bot.name": .botName, "contact.name": .contactName, "contact.alias": .contactAlias, "member.name": .memberName, "member.alias": .memberAlias,
        "member.mention": .memberMention, "group.name": .groupName,
        "inviter.name": .inviterName, "file.name": .fileName, "error": .error,
        "text": .text, "match": .match(0), "command": .command,
        "arguments": .arguments, "reaction": .reaction, "date": .date, "time": .time, "points": .points,
    ]

    /// Names of other programs for the author, and for the group.
    private static let synonyms: [String: String] = [
        "user": "contact.name", "user.name": "contact.name", "username": "contact.name", "user_name": "contact.name", "sender": "contact.name",
        "sender.name": "contact.name", "author": "contact.name", "author.name": "contact.name", "from": "contact.name", "from.name": "contact.name",
        "name": "contact.name", "contact": "contact.name", "first_name": "contact.name", "firstname": "contact.name", "person": "contact.name",
        "person.name": "contact.name", "member": "member.name", "mention": "member.mention", "user.mention": "member.mention", "group": "group.name",
        "chat": "group.name", "chat.name": "group.name", "room": "group.name", "guild": "group.name", "server": "group.name", "channel": "group.name",
        "bot": "bot.name", "args": "arguments", "argument": "arguments", "params": "arguments", "message": "text", "message.text": "text", "body": "text",
        "content": "text", "file": "file.name", "filename": "file.name", "today": "date", "now": "time", "emoji": "reaction", "inviter": "inviter.name",
    ]

    /// The value that a word probably means; nil if it means none.
    static func meant(by word: String) -> String? {
        if names.contains(where: { $0.key == word }) || word.hasPrefix("match.") || word.hasPrefix("form.") { return word }
        return synonyms[word.lowercased()]
    }

    init?(_ reader: NodeReader, in condition: RuleCondition?) { self.init(reader, .rule(condition)) }

    init?(_ reader: NodeReader, _ scope: TemplateScope) {
        guard let source = reader.nonEmptyString() else { return nil }
        reader.warnOfSlips()
        reader.warnOfSingleBraces()
        self.source = source
        var segments: [Segment] = []
        var rest = source[...]
        var sound = true
        while let open = rest.firstRange(of: "{{") {
            if open.lowerBound > rest.startIndex { segments.append(.text(String(rest[..<open.lowerBound]))) }
            // By Unicode scalars: a mark after a brace makes another character of it.
            if let second = rest[open.upperBound...].firstRange(of: "{{"), second.lowerBound == open.upperBound {
                segments.append(.text("{{"))
                rest = rest[second.upperBound...]
                continue
            }
            let offset = source.utf8.distance(from: source.startIndex, to: open.lowerBound)
            guard let close = rest[open.upperBound...].firstRange(of: "}}") else {
                reader.report(.badTemplate, "\"{{\" has no \"}}\"", hint: "write {{{{ for two braces", at: reader.position(ofByte: offset))
                return nil
            }
            let inside = TemplateReader(scope: scope, reader: reader, position: reader.position(ofByte: offset))
            if let segment = inside.segment(String(rest[open.upperBound..<close.lowerBound].trimmed)) { segments.append(segment) } else { sound = false }
            rest = rest[close.upperBound...]
        }
        if !rest.isEmpty { segments.append(.text(String(rest))) }
        guard sound else { return nil }
        if case .text(let text)? = segments.first, segments.count == 1, text.showsNothing {
            reader.report(.badValue, "nothing of \(reader.path) would be shown", hint: "write a text that can be seen")
            return nil
        }
        self.segments = segments
    }

    static func problem(with variable: Variable, in condition: RuleCondition) -> String? {
        switch variable {
        case .text where !condition.event.hasText: "\"\(condition.event.rawValue)\" brings no text"
        case .match where condition.pattern == nil && !condition.isSearch: "the rule has no pattern"
        case .command where condition.commands == nil, .arguments where condition.commands == nil: "the rule has no command"
        case .memberName where condition.members.kinds == .contacts, .memberAlias where condition.members.kinds == .contacts,
            .memberMention where condition.members.kinds == .contacts,
            .groupName where condition.members.kinds == .contacts:
            "the rule is for chats with contacts"
        case .memberName where condition.event.isAboutDelivery, .memberAlias where condition.event.isAboutDelivery,
            .memberMention where condition.event.isAboutDelivery:
            "\"\(condition.event.rawValue)\" is about no member"
        case .memberAlias where condition.event == .relay, .memberMention where condition.event == .relay: "\"relay\" is about no member"
        case .memberName where condition.mayBeOfContact, .memberMention where condition.mayBeOfContact:
            "the rule is also for chats with contacts. contact.name is the name of the one who wrote in any chat; or add \"chat: group\" to \"when\""
        case .groupName where condition.mayBeOfContact: "the rule is also for chats with contacts: add \"chat: group\" to \"when\""
        case .inviterName where condition.event != .invitation: "the rule is not about an invitation"
        case .fileName where !condition.isAboutFile: "the rule is not about a file"
        case .error where condition.event != .deliveryFailed && condition.event != .fileFailed: "nothing has failed"
        case .points where condition.event != .warned && !condition.warns: "the rule neither warns nor is about a warning"
        case .reaction where condition.event != .reaction: "the rule is not about a reaction"
        case .form: "the rule is no form"
        default: nil
        }
    }
}

/// Reads the text between two pairs of braces.
private struct TemplateReader {
    let scope: TemplateScope
    let reader: NodeReader
    let position: SourcePosition

    func segment(_ text: String) -> Template.Segment? {
        let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map { String($0.trimmed) }
        if parts.count == 2, parts[1] != "raw" {
            reader.report(.badTemplate, "no filter is called \"\(parts[1].cut)\"", hint: "there is one: {{ text | raw }} keeps formatting", at: position)
            return nil
        }
        return variable(parts[0]).map { .variable($0, isRaw: parts.count == 2) }
    }

    private func variable(_ name: String) -> Template.Variable? {
        if name.hasPrefix("match.") { return group(String(name.dropFirst("match.".count))) }
        if let fields = scope.fields, name.hasPrefix("form.") {
            let field = String(name.dropFirst("form.".count))
            if fields.contains(field) { return .form(field) }
            reader.report(
                .badTemplate, "there is no answer \"\(field.cut)\" here",
                hint: fields.isEmpty ? "no question was asked before" : Spelling.hint(for: field, among: fields), at: position)
            return nil
        }
        guard let variable = Template.names.first(where: { $0.key == name })?.value else {
            let known = Template.names.map(\.key) + (scope.fields ?? []).map { "form.\($0)" }
            // In a group, the author is a member.
            let isOfGroups = scope.condition.map { !$0.members.kinds.contains(.contacts) } ?? false
            let meant = Template.meant(by: name).map { isOfGroups && $0 == "contact.name" ? "member.name" : $0 }
            reader.report(
                .badTemplate, "no value is called \"\(name.cut)\"", hint: meant.map { "did you mean \"\($0)\"?" } ?? Spelling.hint(for: name, among: known),
                at: position)
            return nil
        }
        if let problem = scope.problem(with: variable) {
            reader.report(.badTemplate, "\"\(name)\" has no value here: \(problem)", at: position)
            return nil
        }
        return variable
    }

    private func group(_ name: String) -> Template.Variable? {
        guard case .rule(let condition) = scope else {
            reader.report(.badTemplate, "\"match.\(name.cut)\" has no value here: there is no pattern", at: position)
            return nil
        }
        guard let condition else { return .namedMatch(name) }
        guard let pattern = condition.pattern else {
            reader.report(.badTemplate, "\"match.\(name.cut)\" has no value here: the rule has no pattern", at: position)
            return nil
        }
        if let number = Int(name), (0...pattern.groupCount).contains(number) { return .match(number) }
        if pattern.groupNames.contains(name) { return .namedMatch(name) }
        let known = (1...max(1, pattern.groupCount)).prefix(pattern.groupCount).map(String.init) + pattern.groupNames
        reader.report(
            .badTemplate, "the pattern has no group \"\(name.cut)\"",
            hint: known.isEmpty ? "it has no groups: put what you want to use in parentheses" : Spelling.hint(for: name, among: known),
            at: position)
        return nil
    }
}
