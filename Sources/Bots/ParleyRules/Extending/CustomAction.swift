public import Parley

/// An action that is written in Swift. Files use it in `then` like the actions of the format.
///
/// ```swift
/// struct Roll: Decodable { let text: Template }
///
/// let roll = CustomAction("roll", "Roll dice.", Roll.self) { roll, event in
///     try await event.chat.send(event.filled(roll.text))
/// }
/// ```
///
/// The parameters are read as those of a ``CustomCondition``; a property of the type ``Template`` can use the values of the rule's event. What the action
/// sends and stores is done once, however often the event is delivered, as with the actions of the format: the n-th effect of a handler for an event has a
/// key of its own. An effect elsewhere takes ``RuleActionContext/idempotencyKey()``.
public struct CustomAction: Sendable {
    /// The key in the file: small letters, digits and hyphens.
    public let name: String
    /// A sentence for editors.
    public let summary: String
    let shape: Shape
    /// Reads the value of the key; nil if an error was reported. The condition is nil if it could not be read.
    let read: @Sendable (NodeReader, RuleCondition?) -> CustomEffect?

    /// - Parameters:
    ///   - events: the events that it can follow; all but requests to connect and news of deliveries if nothing else is said. A rule about another event is
    ///     refused. What an action sends after `delivered` is delivered, too: such an action has to tell its own messages apart.
    ///   - isModerating: true for an action against a message or a member: its rule is tried before those that do not moderate, and is not for moderators.
    ///   - detail: the text of the action in `parley test` and `parley explain`, and whether it is sent is not said; nil for none.
    ///   - perform: does it. An error ends the rule with a record in the log.
    public init<Parameters: Decodable & Sendable>(
        _ name: String, _ summary: String, _ parameters: Parameters.Type, events: Set<RuleEvent> = RuleEvent.forActions, isModerating: Bool = false,
        detail: (@Sendable (Parameters, TemplateValues) -> String?)? = nil, perform: @escaping @Sendable (Parameters, RuleActionContext) async throws -> Void
    ) {
        (self.name, self.summary) = (name, summary)
        shape = ParameterShape.of(parameters)
        let shape = shape, events = events.subtracting([.request])
        read = { reader, condition in
            guard let value = ParameterDecoder.read(parameters, reader, shape: shape, templates: .rule(condition)) else { return nil }
            return CustomEffect(
                word: name, events: events, isModerating: isModerating, describe: { values in detail.flatMap { $0(value, values) } },
                body: { try await perform(value, $0) })
        }
    }
}

/// A custom action with its parameters.
struct CustomEffect: ActionValue {
    let word: String
    let events: Set<RuleEvent>
    let isModerating: Bool
    let describe: @Sendable (TemplateValues) -> String?
    let body: @Sendable (RuleActionContext) async throws -> Void

    func detail(_ values: TemplateValues) -> String? { describe(values) }

    func objection(in condition: RuleCondition) -> ActionObjection? {
        if events.contains(condition.event) { return nil }
        let words = RuleEvent.allCases.filter(events.contains).map(\.rawValue)
        return ("the action is not made for it", words.isEmpty ? nil : "it goes with " + words.joined(separator: ", "))
    }

    func perform(_ run: ActionRun) async throws {
        // As with the moderating actions of the format.
        if isModerating, run.isExempt { return }
        try await body(run.context)
    }
}

/// The event that a custom action follows, and the means to act.
public struct RuleActionContext: Sendable {
    /// The bot, with everything that it can do.
    public let client: BotClient
    /// The chat of the event.
    public let chat: BotChat
    /// The person who wrote or acted.
    public let person: PersonID
    /// The author of the message, or the member whom the event is about; nil outside of groups.
    public let member: BotMember?
    /// The event, as rules see it.
    public let input: RuleInput
    /// The id of the rule, or its line.
    public let rule: String
    /// The values for templates.
    public let values: TemplateValues
    let reply: @Sendable (String) async throws -> Void

    /// The text of a template with the values of the event.
    public func filled(_ template: Template) -> String { template.filled(with: values) }

    /// Answers the message with a quote of it; without a message it sends.
    public func reply(_ text: String) async throws { try await reply(text) }

    /// A key that is the same when the action runs again for the same event, for an effect outside of the network: an entry of another system, a request
    /// of another service. Nil for events that are reported once: edits, deletions, reactions and changes of members.
    public func idempotencyKey() -> String? { client.nextEffectKey() }
}
