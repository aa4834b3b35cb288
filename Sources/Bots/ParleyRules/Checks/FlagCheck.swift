/// A check whose value is `true` or `false`.
protocol FlagCheck: RuleCheck {
    var wanted: Bool { get }
    init(wanted: Bool)
}

extension FlagCheck {
    static var shape: Shape { .bool }

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let wanted = reader.bool() else { return nil }
        self.init(wanted: wanted)
    }
}
