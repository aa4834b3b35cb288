import Synchronization
import TestSupport

/// What came and was not taken yet: events, or lines of a program. It is taken by whoever looks for it, in any order.
///
/// It keeps what nobody looks for as long as it lives, which is the length of a test.
package final class Mailbox<Element: Sendable>: Sendable {
    private struct Waiter {
        /// Takes a look; whether the element is the one that is waited for.
        let offer: (Element) -> Bool
        /// Whether the element is gone for others then.
        let takes: Bool
        let fail: (PeerError) -> Void
    }

    private struct State {
        var elements: [Element] = []
        var waiters: [(id: Int, waiter: Waiter)] = []
        var lastWaiter = 0
        var end: PeerError?
        var sink: AsyncStream<Element>.Continuation?
    }

    private let state = Mutex(State())
    private let label: @Sendable (Element) -> String

    /// - Parameter label: what to call an element in the report of a wait that failed.
    package init(label: @escaping @Sendable (Element) -> String) { self.label = label }

    /// Puts an element in.
    package func put(_ element: Element) {
        state.withLock { state in
            if let sink = state.sink {
                sink.yield(element)
                return
            }
            state.waiters.removeAll { !$0.waiter.takes && $0.waiter.offer(element) }
            if let index = state.waiters.firstIndex(where: { $0.waiter.takes && $0.waiter.offer(element) }) {
                state.waiters.remove(at: index)
            } else {
                state.elements.append(element)
            }
        }
    }

    /// Says that nothing more will come. Who waits is told why; what is there can still be taken.
    package func finish(_ error: PeerError) {
        state.withLock { state in
            guard state.end == nil else { return }
            state.end = error
            state.waiters.forEach { $0.waiter.fail(error) }
            state.waiters = []
            state.sink?.finish()
        }
    }

    /// Takes the first element that `match` makes something of, among those that are there or, else, those that come.
    ///
    /// - Parameters:
    ///   - what: what is waited for, for the report.
    ///   - limit: how long to wait.
    package func first<Result: Sendable>(
        _ what: String, within limit: Duration, _ match: @escaping @Sendable (Element) -> Result?
    ) async throws(PeerError) -> Result {
        try await find(what, within: limit, takes: true, match)
    }

    /// The same as ``first(_:within:_:)``, but leaves the element to others.
    package func peek<Result: Sendable>(
        _ what: String, within limit: Duration, _ match: @escaping @Sendable (Element) -> Result?
    ) async throws(PeerError) -> Result {
        try await find(what, within: limit, takes: false, match)
    }

    private func find<Result: Sendable>(
        _ what: String, within limit: Duration, takes: Bool, _ match: @escaping @Sendable (Element) -> Result?
    ) async throws(PeerError) -> Result {
        typealias Outcome = Swift.Result<Result, PeerError>
        let watchdog = Mutex<Watchdog?>(nil)
        let outcome: Outcome = await withCheckedContinuation { continuation in
            let waiting = state.withLock { state -> Int? in
                for (index, element) in state.elements.enumerated() {
                    guard let result = match(element) else { continue }
                    if takes { state.elements.remove(at: index) }
                    continuation.resume(returning: .success(result))
                    return nil
                }
                if let end = state.end {
                    continuation.resume(returning: .failure(end))
                    return nil
                }
                state.lastWaiter += 1
                let waiter = Waiter(
                    offer: { element in
                        guard let result = match(element) else { return false }
                        continuation.resume(returning: .success(result))
                        return true
                    },
                    takes: takes, fail: { continuation.resume(returning: .failure($0)) })
                state.waiters.append((state.lastWaiter, waiter))
                return state.lastWaiter
            }
            guard let waiting else { return }
            watchdog.withLock { $0 = Watchdog(limit) { self.expire(waiting, what, limit) } }
        }
        watchdog.withLock { $0?.dismiss() }
        return try outcome.get()
    }

    /// What came last and was not taken, for the report of a failure.
    package func untaken(_ count: Int = 20) -> [String] { state.withLock { $0.elements.suffix(count) }.map(label) }

    /// Forgets what came so far.
    package func clear() { state.withLock { $0.elements = [] } }

    /// Everything from now on as a stream, beginning with what was not taken; nothing is kept for ``first(_:within:_:)`` any more.
    package func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        state.withLock { state in
            state.elements.forEach { continuation.yield($0) }
            state.elements = []
            if state.end == nil { state.sink = continuation } else { continuation.finish() }
        }
        return stream
    }

    private func expire(_ id: Int, _ what: String, _ limit: Duration) {
        let others = untaken().joined(separator: ", ")
        state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return }
            let report = "\(what) did not come within \(limit); what came instead: \(others.isEmpty ? "nothing" : others)"
            state.waiters.remove(at: index).waiter.fail(PeerError(.timeout, report))
        }
    }
}
