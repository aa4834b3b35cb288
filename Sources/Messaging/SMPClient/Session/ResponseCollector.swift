import SMPProtocol
import Synchronization

typealias SMPResult = Result<SMPBrokerMessage, SMPClientError>

/// Collects the responses to commands that were sent together, and wakes their sender when all are there.
final class ResponseCollector: Sendable {
    private struct State {
        var results: [SMPResult?]
        var missing: Int
        var waiter: CheckedContinuation<[SMPResult], Never>?
    }

    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(State(results: Array(repeating: nil, count: count), missing: count))
    }

    /// Must be called once for each index.
    func set(_ result: SMPResult, at index: Int) {
        let finished = state.withLock { state -> (CheckedContinuation<[SMPResult], Never>, [SMPResult])? in
            guard state.results[index] == nil else { return nil }
            state.results[index] = result
            state.missing -= 1
            guard state.missing == 0, let waiter = state.waiter else { return nil }
            state.waiter = nil
            return (waiter, state.results.compactMap { $0 })
        }
        guard let (waiter, results) = finished else { return }
        waiter.resume(returning: results)
    }

    /// Waits for all responses; for one caller.
    func wait() async -> [SMPResult] {
        await withCheckedContinuation { continuation in
            let results = state.withLock { state -> [SMPResult]? in
                guard state.missing == 0 else {
                    state.waiter = continuation
                    return nil
                }
                return state.results.compactMap { $0 }
            }
            if let results { continuation.resume(returning: results) }
        }
    }
}

/// Who waits for a response: a place among those of a sender.
struct ResponseHandle: Sendable {
    let collector: ResponseCollector
    let index: Int

    func complete(_ result: SMPResult) { collector.set(result, at: index) }
}
