/// A check that compares a number of the text as apps show it.
protocol TextMeasureCheck: ComparisonCheck {
    /// The number of a text; nil for a text without one.
    static func measure(_ text: String) -> Double?
    /// The number in words.
    static func description(_ number: Double?) -> String
}

extension TextMeasureCheck {
    static var subject: CheckSubject { .text }

    func answer(_ facts: inout InputFacts) -> Truth {
        guard facts.hasText, let number = facts.measure(Self.self) else { return .unknown }
        return Truth(range.holds(number))
    }

    func reason(_ facts: inout InputFacts) -> String {
        facts.hasText ? Self.description(facts.measure(Self.self)) : InputFacts.noText
    }
}
