import Testing

/// A way that a message goes: who sends it, and through whose router.
struct Passage: Sendable, CustomTestStringConvertible, CaseIterable {
    let sender: Implementation
    let router: Implementation

    static let allCases = Implementation.allCases.flatMap { router in
        Implementation.allCases.map { Passage(sender: $0, router: router) }
    }

    /// Who writes to whom, for the table.
    var who: String { sender == .official ? "official → Parley" : "Parley → official" }

    var testDescription: String { "\(who), \(router) router" }

    /// The connected pair, sender first.
    func sides() async throws -> (sender: Side, receiver: Side) {
        let pair = try await Stage.shared.pair(through: router)
        return (pair.side(sender), pair.side(sender.other))
    }
}
