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
            return workers.sorted { $0.key < $1.key }.map(\.value)
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

    private let runtime: AgentRuntime
    private let inner = Mutex(Inner())

    init(_ runtime: AgentRuntime) { self.runtime = runtime }

    /// Runs `body`, unless closed.
    ///
    /// - Returns: false if closed: `body` will not run.
    @discardableResult
    func run(_ body: @escaping @Sendable () async -> Void) -> Bool {
        inner.withLock { inner in
            guard !inner.isClosed else { return false }
            let number = inner.next
            inner.next += 1
            inner.tasks[number] = runtime.task { [self] in
                await body()
                finished(number)
            }
            return true
        }
    }

    /// Tasks that run, for tests.
    var count: Int { inner.withLock { $0.tasks.count } }

    private func finished(_ number: Int) { inner.withLock { $0.tasks[number] = nil } }

    /// Cancels all tasks, refuses more, and waits for them.
    func close() async {
        let tasks = inner.withLock { inner in
            inner.isClosed = true
            return inner.tasks.sorted { $0.key < $1.key }.map(\.value)
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

    private let runtime: AgentRuntime
    private let inner = Mutex(Inner())

    init(_ runtime: AgentRuntime) { self.runtime = runtime }

    /// Waits.
    ///
    /// - Parameter started: gets what ends the wait early.
    func wait(
        _ delay: Duration, for server: SMPServerAddress, started: (Task<Void, Never>) -> Void = { _ in }
    ) async {
        let sleeper = runtime.task { [runtime] in try? await runtime.clock.sleep(for: delay, tolerance: nil) }
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
        let sleepers = inner.withLock { $0.pauses.sorted { $0.key < $1.key }.filter { $1.server == server }.map(\.value.sleeper) }
        for sleeper in sleepers { sleeper.cancel() }
    }

    /// Ends all waits.
    func wakeAll() {
        let sleepers = inner.withLock { $0.pauses.sorted { $0.key < $1.key }.map(\.value.sleeper) }
        for sleeper in sleepers { sleeper.cancel() }
    }
}
