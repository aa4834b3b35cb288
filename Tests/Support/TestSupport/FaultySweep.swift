import Foundation

/// Which of the operations of an exchange fails, one run after another, until a run has had as many as there are.
package enum FaultySweep {
    /// Numbers from 1 on: all with `PARLEY_FAULTS=all`, every N-th with `every:N`, one with `only:N`, a few otherwise.
    private static func numbers(few step: Int) -> [Int] {
        let asked = ProcessInfo.processInfo.environment["PARLEY_FAULTS"] ?? "every:\(step)"
        if asked.hasPrefix("only:"), let number = Int(asked.dropFirst(5)) { return [number] }
        let stride = asked == "all" ? 1 : max(1, asked.hasPrefix("every:") ? Int(asked.dropFirst(6)) ?? step : step)
        let first = stride == 1 ? 1 : Int.random(in: 1...stride)
        return Array(Swift.stride(from: first, to: first + 10_000, by: stride))
    }

    /// Runs at once.
    private static var width: Int { ProcessInfo.processInfo.environment["PARLEY_SIDE_BY_SIDE"].flatMap { Int($0) } ?? 4 }

    /// Runs `body` for the numbers, several at once, until it says of one that nothing had to fail any more.
    ///
    /// - Returns: how many runs there were in which something failed.
    package static func run(few step: Int, _ body: @escaping @Sendable (Int) async throws -> Bool) async throws -> Int {
        var numbers = numbers(few: step).makeIterator()
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            var failed = 0, isOver = false
            for _ in 0..<width {
                if let number = numbers.next() { group.addTask { try await body(number) } }
            }
            while let hasFailed = try await group.next() {
                failed += hasFailed ? 1 : 0
                isOver = isOver || !hasFailed
                if !isOver, let number = numbers.next() { group.addTask { try await body(number) } }
            }
            return failed
        }
    }
}
