internal import Parley

/// Text with places that are filled in when a rule applies: `Hello, {{ contact.name }}!`.
///
/// A name that does not exist, or that has no value for the rule's event, is refused when the file is read. `{{{{` stands
/// for two braces. What is filled in is never read as a template again.
public struct Template: Sendable {
    /// A name that can stand between the braces.
    enum Variable: Sendable, Hashable {
        case botName, contactName, memberName, groupName, text, command, arguments, reaction, date, time
        case match(Int)
        case namedMatch(String)
    }

    enum Segment: Sendable, Hashable {
        case text(String)
        case variable(Variable)
    }

    /// The template as it was written.
    public let source: String
    let segments: [Segment]

    static let names: KeyValuePairs<String, Variable> = [
        "bot.name": .botName, "contact.name": .contactName, "member.name": .memberName, "group.name": .groupName,
        "text": .text, "match": .match(0), "command": .command,
        "arguments": .arguments, "reaction": .reaction, "date": .date, "time": .time,
    ]

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let source = reader.nonEmptyString() else { return nil }
        reader.warnOfControlCharacters()
        self.source = source
        var segments: [Segment] = []
        var rest = source[...]
        var sound = true
        while let open = rest.firstRange(of: "{{") {
            if open.lowerBound > rest.startIndex { segments.append(.text(String(rest[..<open.lowerBound]))) }
            if rest[open.upperBound...].hasPrefix("{{") {
                segments.append(.text("{{"))
                rest = rest[rest.index(open.upperBound, offsetBy: 2)...]
                continue
            }
            let place = source.utf8.distance(from: source.startIndex, to: open.lowerBound)
            guard let close = rest[open.upperBound...].firstRange(of: "}}") else {
                reader.report(.badTemplate, "\"{{\" has no \"}}\"", hint: "write {{{{ for two braces", at: reader.position(ofByte: place))
                return nil
            }
            let name = String(rest[open.upperBound..<close.lowerBound].trimmed)
            if let variable = Self.variable(name, in: condition, reader: reader, at: reader.position(ofByte: place)) {
                segments.append(.variable(variable))
            } else {
                sound = false
            }
            rest = rest[close.upperBound...]
        }
        if !rest.isEmpty { segments.append(.text(String(rest))) }
        guard sound else { return nil }
        self.segments = segments
    }

    private static func variable(
        _ name: String, in condition: RuleCondition?, reader: NodeReader, at position: SourcePosition
    ) -> Variable? {
        if name.hasPrefix("match.") {
            return group(String(name.dropFirst("match.".count)), in: condition, reader: reader, at: position)
        }
        guard let variable = names.first(where: { $0.key == name })?.value else {
            reader.report(.badTemplate, "no value is called \"\(name)\"", hint: Spelling.hint(for: name, among: names.map(\.key)), at: position)
            return nil
        }
        if let condition, let problem = problem(with: variable, in: condition) {
            reader.report(.badTemplate, "\"\(name)\" has no value here: \(problem)", at: position)
            return nil
        }
        return variable
    }

    private static func group(
        _ name: String, in condition: RuleCondition?, reader: NodeReader, at position: SourcePosition
    ) -> Variable? {
        guard let condition else { return .namedMatch(name) }
        guard let pattern = condition.pattern else {
            reader.report(.badTemplate, "\"match.\(name)\" has no value here: the rule has no pattern", at: position)
            return nil
        }
        if let number = Int(name), (0...pattern.groupCount).contains(number) { return .match(number) }
        if pattern.groupNames.contains(name) { return .namedMatch(name) }
        let known = (1...max(1, pattern.groupCount)).prefix(pattern.groupCount).map(String.init) + pattern.groupNames
        reader.report(
            .badTemplate, "the pattern has no group \"\(name)\"",
            hint: known.isEmpty ? "it has no groups: put what you want to use in parentheses" : Spelling.hint(for: name, among: known),
            at: position)
        return nil
    }

    private static func problem(with variable: Variable, in condition: RuleCondition) -> String? {
        switch variable {
        case .text where !condition.event.hasText: "\"\(condition.event.rawValue)\" brings no text"
        case .match where condition.pattern == nil: "the rule has no pattern"
        case .command where condition.commands == nil, .arguments where condition.commands == nil: "the rule has no command"
        case .memberName where condition.members.kinds == .contacts, .groupName where condition.members.kinds == .contacts:
            "the rule is for chats with contacts"
        case .reaction where condition.event != .reaction: "the rule is not about a reaction"
        default: nil
        }
    }
}
