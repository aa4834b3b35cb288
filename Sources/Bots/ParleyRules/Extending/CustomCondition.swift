/// A check that is written in Swift. Files use it in `when`, `unless`, `all`, `any` and `not` like the checks of the format.
///
/// ```swift
/// struct Digits: Decodable { let above: Int }
///
/// let digits = CustomCondition("digits", "Digits in the text.", Digits.self) { digits, message in
///     message.text.filter(\.isNumber).count > digits.above
/// }
/// ```
///
/// The parameters are the value of the key in the file. A property of another type than the file has, a missing one and an unknown key are reported with
/// their positions. Optional properties may be left out. `Bool`, numbers, `String`, enums of strings, lists and mappings are read, and `Duration` from
/// `10m`, `URL` and ``RuleSecret``.
public struct CustomCondition: Sendable {
    /// The key in the file: small letters, digits and hyphens.
    public let name: String
    /// A sentence for editors.
    public let summary: String
    let events: Set<RuleEvent>
    let shape: Shape
    /// Reads the value of the key; nil if an error was reported.
    let read: @Sendable (NodeReader) -> CustomTest?

    /// A condition that is evaluated unchanged.
    ///
    /// - Parameters:
    ///   - events: the events that it can be asked about; all if nothing else is said. A rule about another event is refused.
    ///   - evaluate: a pure function of the event: it must not wait, keep anything or have effects, because it is called for the same event by every
    ///     evaluation. Nil means that the event does not tell, and then the rule does not apply.
    public init<Parameters: Decodable & Sendable>(
        _ name: String, _ summary: String, _ parameters: Parameters.Type, events: Set<RuleEvent> = Set(RuleEvent.allCases),
        evaluate: @escaping @Sendable (Parameters, RuleInput) -> Bool?
    ) {
        self.init(name, summary, parameters, events: events) { parameters in { evaluate(parameters, $0) } }
    }

    /// A condition that prepares its parameters once, when the file is read.
    ///
    /// - Parameters:
    ///   - events: the events that it can be asked about; all if nothing else is said.
    ///   - prepare: checks the parameters and returns the evaluation. An error that it throws is reported at the position of the value.
    public init<Parameters: Decodable & Sendable>(
        _ name: String, _ summary: String, _ parameters: Parameters.Type, events: Set<RuleEvent> = Set(RuleEvent.allCases),
        prepare: @escaping @Sendable (Parameters) throws -> @Sendable (RuleInput) -> Bool?
    ) {
        (self.name, self.summary, self.events) = (name, summary, events)
        shape = ParameterShape.of(parameters)
        let shape = shape
        read = { reader in
            guard let value = ParameterDecoder.read(parameters, reader, shape: shape, templates: nil) else { return nil }
            do {
                return CustomTest(name: name, evaluate: try prepare(value))
            } catch {
                reader.reportRefused(error)
                return nil
            }
        }
    }
}

extension CustomCondition {
    /// The events that it can be asked about, for the author of a file.
    private var eventHint: String { "it goes with " + RuleEvent.allCases.filter(events.contains).map(\.rawValue).joined(separator: ", ") }

    /// Reads the value of the key. Nil if an error was reported.
    func test(_ reader: NodeReader, event: RuleEvent) -> CustomTest? {
        let test = read(reader)
        guard events.contains(event) else {
            reader.report(.badValue, "\"\(name)\" does not go with \"\(event.rawValue)\"", hint: eventHint)
            return nil
        }
        return test
    }
}

/// A custom condition with its parameters.
struct CustomTest: CheckTest {
    let name: String
    let evaluate: @Sendable (RuleInput) -> Bool?

    func answer(_ facts: inout InputFacts) -> Truth { evaluate(facts.input).map { Truth($0) } ?? .unknown }
}

/// Parameters that a condition, an action or a plugin does not take. The message is shown with the position in the file.
public struct RuleParameterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A message that a person can act on.
    public let message: String
    /// The fix, if it is known.
    public let hint: String?

    /// Creates an error.
    public init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }

    /// A textual form, for messages and logs.
    public var description: String { message }
}

extension NodeReader {
    /// Reports an error that the code of a condition, an action or a plugin has thrown.
    func reportRefused(_ error: any Error) {
        let fault = error as? RuleParameterError
        report(.badValue, "\(path): \(fault?.message ?? "\(error)")", hint: fault?.hint)
    }
}
