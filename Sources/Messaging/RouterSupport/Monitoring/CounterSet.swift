/// The counters of a kind of router.
package protocol CounterSet: Sendable, Hashable {
    typealias Field = CounterField<Self>

    /// Creates counters of zero.
    init()
    static var fields: [Field] { get }
}

/// A counter with its name in metrics, in statistics and on disk. Names are stable, and from a fixed set.
package struct CounterField<Counters>: Sendable {
    package let name: String
    package let help: String
    package let path: any WritableKeyPath<Counters, UInt64> & Sendable

    package init(name: String, help: String, path: any WritableKeyPath<Counters, UInt64> & Sendable) {
        self.name = name
        self.help = help
        self.path = path
    }
}

extension CounterSet {
    package static func - (left: Self, right: Self) -> Self { combine(left, right) { $0 < $1 ? 0 : $0 - $1 } }
    /// Takes the larger value of each counter.
    package static func maximum(_ left: Self, _ right: Self) -> Self { combine(left, right) { max($0, $1) } }
    package static func + (left: Self, right: Self) -> Self { combine(left, right, &+) }

    private static func combine(_ left: Self, _ right: Self, _ operation: (UInt64, UInt64) -> UInt64) -> Self {
        var result = Self()
        for field in fields { result[keyPath: field.path] = operation(left[keyPath: field.path], right[keyPath: field.path]) }
        return result
    }

    /// Each name with its value.
    package var named: [(name: String, value: UInt64)] { Self.fields.map { ($0.name, self[keyPath: $0.path]) } }
}
