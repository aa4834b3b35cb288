/// A value behind a lock with the interface of `Synchronization.Atomic`. All orderings are sequentially consistent, so a race that comes from a
/// wrong ordering is not found with it.
public struct Atomic<Value: Sendable>: ~Copyable, Sendable {
    private let value: Mutex<Value>

    /// The atomic with a first value.
    public init(_ initialValue: Value) { value = Mutex(initialValue) }

    /// Reads the value.
    public borrowing func load(ordering _: AtomicLoadOrdering) -> Value { value.withLock { $0 } }

    /// Replaces the value.
    public borrowing func store(_ desired: Value, ordering _: AtomicStoreOrdering) { value.withLock { $0 = desired } }

    /// Replaces the value and returns the old one.
    public borrowing func exchange(_ desired: Value, ordering _: AtomicUpdateOrdering) -> Value {
        value.withLock { value in
            defer { value = desired }
            return value
        }
    }
}

extension Atomic where Value: Equatable {
    /// Replaces the value if it is the expected one.
    public borrowing func compareExchange(
        expected: Value, desired: Value, ordering _: AtomicUpdateOrdering
    ) -> (exchanged: Bool, original: Value) {
        value.withLock { value in
            let original = value
            if original == expected { value = desired }
            return (original == expected, original)
        }
    }
}

extension Atomic where Value: FixedWidthInteger {
    /// Adds a number; traps if the sum does not fit.
    @discardableResult
    public borrowing func add(_ operand: Value, ordering _: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
        value.withLock { value in
            let old = value
            value += operand
            return (old, value)
        }
    }

    /// Subtracts a number; traps if the difference does not fit.
    @discardableResult
    public borrowing func subtract(_ operand: Value, ordering _: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
        value.withLock { value in
            let old = value
            value -= operand
            return (old, value)
        }
    }
}

/// The ordering of a load.
public enum AtomicLoadOrdering: Sendable { case relaxed, acquiring, sequentiallyConsistent }
/// The ordering of a store.
public enum AtomicStoreOrdering: Sendable { case relaxed, releasing, sequentiallyConsistent }
/// The ordering of an update.
public enum AtomicUpdateOrdering: Sendable { case relaxed, acquiring, releasing, acquiringAndReleasing, sequentiallyConsistent }

/// A fence. The sanitizer knows none, so that what only fences order is not checked.
public func atomicMemoryFence(ordering _: AtomicUpdateOrdering) {}
