import Testing

/// What one implementation begins and a router of one of them carries: each of the four ways is a test.
protocol ThroughRouter: Sendable, CustomTestStringConvertible, CaseIterable where AllCases == [Self] {
    init(_ beginner: Implementation, through router: Implementation)
    var router: Implementation { get }
    /// Who begins, for the table.
    var who: String { get }
}

extension ThroughRouter {
    static var allCases: [Self] {
        Implementation.allCases.flatMap { router in Implementation.allCases.map { Self($0, through: router) } }
    }

    var testDescription: String { "\(who), \(router) router" }
}

/// A way that a message goes: who sends it, and through whose router.
struct Passage: ThroughRouter {
    let sender: Implementation
    let router: Implementation

    init(_ sender: Implementation, through router: Implementation) { (self.sender, self.router) = (sender, router) }

    /// Who writes to whom, for the table.
    var who: String { sender == .official ? "official → Parley" : "Parley → official" }

    /// The connected pair, sender first.
    func sides() async throws -> (sender: Side, receiver: Side) {
        let pair = try await Stage.shared.pair(through: router)
        return (pair.side(sender), pair.side(sender.other))
    }
}
