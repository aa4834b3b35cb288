import Foundation
import Synchronization
import Testing

/// What was seen, for the table of docs/interop.md.
final class Outcomes: Sendable {
    static let shared = Outcomes()

    private struct Row: Hashable {
        let feature: String
        let who: String
    }

    private struct State {
        var order: [Row] = []
        var cells: [Row: [Implementation: String]] = [:]
    }

    private let state = Mutex(State())

    private static let failure = "**fails**"

    /// Notes how something went through a router. A failure is never overwritten.
    ///
    /// - Parameter outcome: nil if it failed.
    func note(_ feature: String, _ who: String, through router: Implementation, _ outcome: String?) {
        let row = Row(feature: feature, who: who)
        state.withLock { state in
            if state.cells[row] == nil { state.order.append(row) }
            if state.cells[row]?[router] != Self.failure { state.cells[row, default: [:]][router] = outcome ?? Self.failure }
        }
    }

    /// The table in Markdown.
    var table: String {
        state.withLock { state in
            let lines = state.order.sorted { ($0.feature, $0.who) < ($1.feature, $1.who) }.map { row in
                let cells = Implementation.allCases.map { state.cells[row]?[$0] ?? "–" }
                return "| \(row.feature) | \(row.who) | \(cells.joined(separator: " | ")) |"
            }
            return (["| What | Who | Official router | Parley's router |", "|---|---|---|---|"] + lines).joined(separator: "\n")
        }
    }

    var isEmpty: Bool { state.withLock { $0.order.isEmpty } }
}

/// Runs one entry of the table, and notes how it went.
///
/// - Parameter outcome: what the table says if it went well.
func seen(
    _ feature: String, _ who: String, through router: Implementation, as outcome: String = "works", _ body: () async throws -> Void
) async throws {
    do {
        try await body()
        Outcomes.shared.note(feature, who, through: router, outcome)
    } catch {
        Outcomes.shared.note(feature, who, through: router, nil)
        throw error
    }
}

/// Prints the table when all tests are over, and ends what they shared.
struct OutcomeTrait: SuiteTrait, TestScoping {
    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await function()
        await Stage.shared.close()
        if !Outcomes.shared.isEmpty { print("\n\(Outcomes.shared.table)\n") }
    }
}

extension Trait where Self == OutcomeTrait {
    /// Prints what was seen when all tests are over.
    static var outcomes: Self { OutcomeTrait() }
}
