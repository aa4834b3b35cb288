import Synchronization

/// Lets those who want to work on the same thing do so one after another, in the order in which they came.
final class Turns: Sendable {
    private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    /// Runs `body` once all earlier ones for this thing are done.
    func take<T, E: Error>(_ thing: String, _ body: () async throws(E) -> T) async throws(E) -> T {
        await enter(thing)
        defer { leave(thing) }
        return try await body()
    }

    /// What somebody is working on now.
    var held: [String] { waiting.withLock { $0.keys.sorted() } }

    private func enter(_ thing: String) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                if waiting[thing] == nil {
                    waiting[thing] = []
                    return true
                }
                waiting[thing]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave(_ thing: String) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard var queue = waiting[thing], !queue.isEmpty else {
                waiting[thing] = nil
                return nil
            }
            let next = queue.removeFirst()
            waiting[thing] = queue
            return next
        }
        next?.resume()
    }
}
