import AsyncPrimitives
import SMPProtocol
import Synchronization

typealias SMPResult = Result<SMPBrokerMessage, SMPClientError>

/// Collects the responses to commands that were sent together, and wakes their sender when all are there.
final class ResponseCollector: Sendable {
    private struct State {
        var results: [SMPResult?]
        var missing: Int
    }

    private let state: Mutex<State>
    private let all = Promise<[SMPResult]>()

    init(count: Int) {
        state = Mutex(State(results: Array(repeating: nil, count: count), missing: count))
    }

    /// Must be called once for each index.
    func set(_ result: SMPResult, at index: Int) {
        let results = state.withLock { state -> [SMPResult]? in
            guard state.results[index] == nil else { return nil }
            state.results[index] = result
            state.missing -= 1
            return state.missing == 0 ? state.results.compactMap { $0 } : nil
        }
        if let results { all.resolve(results) }
    }

    /// Waits for all responses.
    func wait() async -> [SMPResult] { await all.value() }
}

/// The index of one response among those that a sender waits for.
struct ResponseHandle: Sendable {
    let collector: ResponseCollector
    let index: Int

    func complete(_ result: SMPResult) { collector.set(result, at: index) }
}
