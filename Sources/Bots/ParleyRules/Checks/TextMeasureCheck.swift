internal import Parley

/// A check that compares a number of the text, as it is shown.
protocol TextMeasureCheck: RuleCheck {
    /// The unit of the comparison.
    static var unit: Comparison.Unit { get }
    /// The number of a text; nil for a text without one.
    static func measure(_ text: String) -> Double?
    /// The number in words.
    static func description(_ number: Double?) -> String

    var range: Comparison { get }
    init(range: Comparison)
}

extension TextMeasureCheck {
    static var shape: Shape { Schemas.comparison }
    static var subject: CheckSubject { .text }
    static var unit: Comparison.Unit { .count }

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let range = Comparison(reader, unit: Self.unit) else { return nil }
        self.init(range: range)
    }

    func answer(_ facts: inout InputFacts) -> Truth {
        guard facts.hasText, let number = facts.measure(Self.self) else { return .unknown }
        return Truth(range.holds(number))
    }

    func reason(_ facts: inout InputFacts) -> String {
        facts.hasText ? Self.description(facts.measure(Self.self)) : InputFacts.noText
    }
}
