internal import CoreMetrics
internal import Synchronization

/// A counter of a registry.
final class CounterSeries: CounterHandler {
    private let count = Mutex<Int64>(0)

    var value: Int64 { count.withLock { $0 } }

    func increment(by amount: Int64) {
        count.withLock { count in
            let (sum, overflow) = count.addingReportingOverflow(amount)
            count = overflow ? .max : sum
        }
    }

    func reset() { count.withLock { $0 = 0 } }
}

/// A gauge of a registry.
final class GaugeSeries: MeterHandler, RecorderHandler {
    private let current = Mutex<Double>(0)

    var value: Double { current.withLock { $0 } }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { current.withLock { $0 = value } }
    func increment(by amount: Double) { current.withLock { $0 += amount } }
    func decrement(by amount: Double) { current.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
}

/// A histogram of a registry: of seconds, or of recorded values.
final class HistogramSeries: TimerHandler, RecorderHandler {
    private let histogram = Mutex(Histogram())

    var value: Histogram { histogram.withLock { $0 } }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { histogram.withLock { $0.record(value) } }
}

/// Counts of values by their size.
package struct Histogram: Sendable, Hashable {
    /// The upper bounds of the buckets, except for the last bucket, which has no bound.
    package static let bounds: [Double] = [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    /// The number of values in each bucket; values in the last are above all bounds.
    package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    package private(set) var count = 0
    package private(set) var sum = 0.0

    package init() {}

    package mutating func record(_ value: Double) {
        // NaN belongs to no bucket.
        guard !value.isNaN else { return }
        counts[Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count] += 1
        count += 1
        sum += value
    }

    /// Returns the upper bound of the bucket with a quantile; nil without values, infinity above the last bound.
    package func quantile(_ share: Double) -> Double? {
        guard count > 0 else { return nil }
        let rank = (Double(count) * share).rounded(.up)
        var below = 0
        for (index, number) in counts.enumerated() {
            below += number
            if Double(below) >= rank { return index < Self.bounds.count ? Self.bounds[index] : .infinity }
        }
        return .infinity
    }
}
