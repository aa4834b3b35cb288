/// The decision whether another person is heard in time beside an attack: a function of measured times.
struct PeaceOracle: Sendable {
    /// The limits of a soak, which runs alone on its machine.
    static let ofSoaks = PeaceOracle(floor: .seconds(2), factor: 20)

    /// The time within which nobody is heard late, also on a machine that is slow for other reasons.
    var floor: Duration
    /// The number of times that it may take longer beside the attack than without it.
    var factor: Double

    /// - Parameters:
    ///   - quiet: The times until the person was heard before the attack.
    ///   - beside: The times beside it.
    /// - Returns: A text for each violation: the 99th percentile is above the limit, or the person was never heard.
    func violations(quiet: [Duration], beside: [Duration]) -> [String] {
        guard let late = Self.late(beside) else { return ["nobody was heard beside the attack"] }
        let limit = max(floor, (Self.late(quiet) ?? .zero) * factor)
        return late > limit ? ["another person is heard after \(late) (99th percentile), \(limit) allowed"] : []
    }

    static func percentiles(_ times: [Duration]) -> String {
        let sorted = times.sorted()
        guard let longest = sorted.last, let late = late(times) else { return "-" }
        func text(_ time: Duration) -> String { "\(Int(time / .milliseconds(1))) ms" }
        return "p50 \(text(sorted[sorted.count / 2])), p99 \(text(late)), longest \(text(longest))"
    }

    /// The 99th percentile; of fewer than a hundred times, the longest.
    private static func late(_ times: [Duration]) -> Duration? {
        times.isEmpty ? nil : times.sorted()[min(times.count - 1, times.count * 99 / 100)]
    }
}
