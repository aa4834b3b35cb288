internal import Parley

/// A trusted contact as the writer: `from: ann`. The profile refuses other names.
struct FromCheck: RuleCheck {
    static let key = "from"
    static let shape = Shape.listOrOne(.text)
    static let summary = "The writer: a trusted contact."
    static let subject = CheckSubject.writer(also: [.invitation])

    private let names: Set<String>

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let names = reader.listOrOne()?.compactMap({ $0.name(of: .person) }) else { return nil }
        self.names = Set(names)
    }

    func answer(_ facts: inout InputFacts) -> Truth {
        let isTrusted = facts.input.isTrusted
        return facts.input.sender.map { Truth(isTrusted && names.contains($0)) } ?? .unknown
    }

    func reason(_ facts: inout InputFacts) -> String { facts.input.sender ?? "the writer is not known" }
}
