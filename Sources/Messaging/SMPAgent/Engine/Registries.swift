import SMPProtocol
import Synchronization

/// The workers of the queues that have messages to send.
final class DeliveryRegistry: Sendable {
    private let workers = Mutex<[RowID: DeliveryWorker]>([:])

    subscript(_ queue: RowID) -> DeliveryWorker? { workers.withLock { $0[queue] } }

    func worker(_ queue: RowID, make: () -> DeliveryWorker) -> DeliveryWorker {
        workers.withLock { workers in
            if let worker = workers[queue] { return worker }
            let worker = make()
            workers[queue] = worker
            return worker
        }
    }

    func remove(_ queue: RowID) -> DeliveryWorker? { workers.withLock { $0.removeValue(forKey: queue) } }

    func removeAll() -> [DeliveryWorker] {
        workers.withLock { workers in
            defer { workers = [:] }
            return Array(workers.values)
        }
    }
}

/// Tasks that run in the background, so that closing can wait for them.
final class TaskRegistry: Sendable {
    private struct Inner {
        var tasks: [Int: Task<Void, Never>] = [:]
        var next = 0
        var isClosed = false
    }

    private let inner = Mutex(Inner())

    /// Runs `body`, unless closed.
    func run(_ body: @escaping @Sendable () async -> Void) {
        inner.withLock { inner in
            guard !inner.isClosed else { return }
            let number = inner.next
            inner.next += 1
            inner.tasks[number] = Task { [self] in
                await body()
                finished(number)
            }
        }
    }

    private func finished(_ number: Int) { inner.withLock { $0.tasks[number] = nil } }

    /// Cancels all tasks, refuses more, and waits for them.
    func close() async {
        let tasks = inner.withLock { inner in
            inner.isClosed = true
            return Array(inner.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

/// Waits before another attempt, which end early when a router can be reached again.
final class PauseRegistry: Sendable {
    private struct Inner {
        var pauses: [Int: (server: SMPServerAddress, sleeper: Task<Void, Never>)] = [:]
        var next = 0
    }

    private let inner = Mutex(Inner())

    /// Waits.
    ///
    /// - Parameter started: gets what ends the wait early.
    func wait(
        _ delay: Duration, for server: SMPServerAddress, _ clock: any Clock<Duration>, started: (Task<Void, Never>) -> Void = { _ in }
    ) async {
        let sleeper = Task<Void, Never> { try? await clock.sleep(for: delay, tolerance: nil) }
        let number = inner.withLock { inner in
            inner.next += 1
            inner.pauses[inner.next] = (server, sleeper)
            return inner.next
        }
        started(sleeper)
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
        inner.withLock { $0.pauses[number] = nil }
    }

    /// Ends all waits for a router.
    func wake(_ server: SMPServerAddress) {
        let sleepers = inner.withLock { $0.pauses.values.filter { $0.server == server }.map(\.sleeper) }
        for sleeper in sleepers { sleeper.cancel() }
    }

    /// Ends all waits.
    func wakeAll() {
        let sleepers = inner.withLock { $0.pauses.values.map(\.sleeper) }
        for sleeper in sleepers { sleeper.cancel() }
    }
}
