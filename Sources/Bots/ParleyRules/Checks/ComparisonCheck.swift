/// A check whose value is a comparison with a number.
protocol ComparisonCheck: RuleCheck {
    /// The unit of the comparison.
    static var unit: Comparison.Unit { get }

    var range: Comparison { get }
    init(range: Comparison)
}

extension ComparisonCheck {
    static var shape: Shape { Schemas.comparison }
    static var unit: Comparison.Unit { .count }

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let range = Comparison(reader, unit: Self.unit) else { return nil }
        self.init(range: range)
    }
}
