import Synchronization

/// The events, in order.
final class Recorder<Element: Sendable>: Sendable {
    private let state = Mutex<[Element]>([])

    var elements: [Element] { state.withLock(\.self) }

    func add(_ element: Element) { state.withLock { $0.append(element) } }
}

struct Failure: Error, Equatable {}

/// Counts who is inside a critical section, and the most at once.
final class Occupancy: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var most: Int { state.withLock { $0.most } }

    func enter() {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
    }

    func leave() { state.withLock { $0.now -= 1 } }
}
