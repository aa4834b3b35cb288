import Synchronization
import Testing

/// What each make did in each role of the matrix, for the table of docs/interop.md.
final class MatrixOutcomes: Sendable {
    static let shared = MatrixOutcomes()

    private struct Cell: Hashable {
        let role: String
        let make, router: Make
    }

    private let cells = Mutex<[Cell: (passed: Int, failed: Int)]>([:])

    private func note(_ roles: [(String, Make)], through router: Make, failed: Bool) {
        cells.withLock { cells in
            for (role, make) in roles {
                let cell = Cell(role: role, make: make, router: router)
                var (passed, failures) = cells[cell] ?? (0, 0)
                if failed { failures += 1 } else { passed += 1 }
                cells[cell] = (passed, failures)
            }
        }
    }

    /// Runs a conversation of these roles, and notes how it went for each of them.
    func seen(_ roles: [(String, Make)], through router: Make, _ body: () async throws -> Void) async throws {
        do {
            try await body()
            note(roles, through: router, failed: false)
        } catch {
            note(roles, through: router, failed: true)
            throw error
        }
    }

    /// The table in Markdown: for each role and make, the conversations that went well of those held through each router.
    var table: String {
        cells.withLock { cells in
            let rows = Set(cells.keys.map(\.role)).sorted().flatMap { role in
                Make.allCases.map { make in
                    let columns = Make.allCases.map { router in
                        guard let cell = cells[Cell(role: role, make: make, router: router)] else { return "–" }
                        return cell.failed == 0 ? "\(cell.passed)" : "\(cell.passed) of \(cell.passed + cell.failed)"
                    }
                    return "| \(role) | \(make) | \(columns.joined(separator: " | ")) |"
                }
            }
            return (["| Role | Make | \(Make.allCases.map { "Router \($0)" }.joined(separator: " | ")) |", "|---|---|---|---|---|"] + rows).joined(
                separator: "\n")
        }
    }
}

/// Prints the matrix when all its tests are over.
struct MatrixOutcomeTrait: SuiteTrait, TestScoping {
    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        defer { print("\n\(MatrixOutcomes.shared.table)\n") }
        try await function()
    }
}

extension Trait where Self == MatrixOutcomeTrait {
    static var matrix: Self { MatrixOutcomeTrait() }
}
