/// Queues by the last day on which they were used.
struct UsageHistogram: Sendable {
    private var counts: [UInt16: Int] = [:]

    mutating func move(from: UInt16?, to: UInt16?) {
        guard from != to else { return }
        if let from {
            let left = (counts[from] ?? 0) - 1
            counts[from] = left > 0 ? left : nil
        }
        if let to { counts[to, default: 0] += 1 }
    }

    /// Counts the queues that were used on one of the last days.
    func active(in count: Int, until day: UInt16) -> Int {
        counts.reduce(0) { $1.key > 0 && Int($1.key) > Int(day) - count ? $0 + $1.value : $0 }
    }
}
