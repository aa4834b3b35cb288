/// The answer to a check.
enum Truth: Sendable, Hashable {
    case yes, no
    /// The event does not tell. A rule never applies because of an answer that is not known.
    case unknown

    init(_ value: Bool) { self = value ? .yes : .no }

    /// Yes for no and no for yes.
    static prefix func ! (truth: Truth) -> Truth {
        switch truth {
        case .yes: .no
        case .no: .yes
        case .unknown: .unknown
        }
    }
}

extension CompiledCheck {
    /// The answer of the whole tree. Evaluation ends as soon as the answer is certain.
    func evaluate(_ facts: inout InputFacts) -> Truth {
        switch self {
        case .leaf(let leaf): return leaf.answer(&facts)
        case .not(let check): return !check.evaluate(&facts)
        case .all(let checks):
            var result = Truth.yes
            for check in checks {
                switch check.evaluate(&facts) {
                case .yes: continue
                case .no: return .no
                case .unknown: result = .unknown
                }
            }
            return result
        case .any(let checks):
            var result = Truth.no
            for check in checks {
                switch check.evaluate(&facts) {
                case .no: continue
                case .yes: return .yes
                case .unknown: result = .unknown
                }
            }
            return result
        }
    }
}

extension CompiledLeaf {
    func answer(_ facts: inout InputFacts) -> Truth {
        switch search {
        case .words(let groups, let withFileName):
            if let truth = check.test.answerBeforeSearch(facts.input) { return truth }
            for (search, group) in groups where facts.hit(search, group, withFileName: withFileName) != nil { return .yes }
            return .no
        case .pattern(let index, _, let withFileName):
            return Truth(facts.matchingPatterns.contains(index) || withFileName && facts.patternsOfFileName.contains(index))
        case nil: return check.test.answer(&facts)
        }
    }
}
