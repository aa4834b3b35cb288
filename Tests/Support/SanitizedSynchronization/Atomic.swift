/// A value behind a lock with the interface of `Synchronization.Atomic`. All orderings are sequentially consistent, so a race that comes from a
/// wrong ordering is not found with it.
public struct Atomic<Value: Sendable>: ~Copyable, Sendable {
    private let value: Mutex<Value>

    public init(_ initialValue: Value) { value = Mutex(initialValue) }

    public borrowing func load(ordering _: AtomicLoadOrdering) -> Value { value.withLock { $0 } }

    public borrowing func store(_ desired: Value, ordering _: AtomicStoreOrdering) { value.withLock { $0 = desired } }

    public borrowing func exchange(_ desired: Value, ordering _: AtomicUpdateOrdering) -> Value {
        value.withLock { value in
            defer { value = desired }
            return value
        }
    }
}

extension Atomic where Value: Equatable {
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
    @discardableResult
    public borrowing func add(_ operand: Value, ordering _: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
        value.withLock { value in
            let old = value
            value += operand
            return (old, value)
        }
    }

    @discardableResult
    public borrowing func subtract(_ operand: Value, ordering _: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
        value.withLock { value in
            let old = value
            value -= operand
            return (old, value)
        }
    }
}

public enum AtomicLoadOrdering: Sendable { case relaxed, acquiring, sequentiallyConsistent }
public enum AtomicStoreOrdering: Sendable { case relaxed, releasing, sequentiallyConsistent }
public enum AtomicUpdateOrdering: Sendable { case relaxed, acquiring, releasing, acquiringAndReleasing, sequentiallyConsistent }

/// A fence. The sanitizer knows none, so that what only fences order is not checked.
public func atomicMemoryFence(ordering _: AtomicUpdateOrdering) {}
