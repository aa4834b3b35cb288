import ChatAPI
import ChatRules
import EncryptedSQLite
import Logging
import SMPAgent
import Synchronization
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

@Suite("The queue of the agent's jobs")
struct JobQueueTests {
    /// A handler whose attempts end as the test says.
    private final class Handler: AgentJobHandling {
        private struct State {
            var attempts: [CheckedContinuation<Void, any Error>] = []
            var reports = 0
        }

        private let state = Mutex(State())
        var attempts: Int { state.withLock(\.attempts.count) }
        var reports: Int { state.withLock(\.reports) }

        func perform(_ job: AgentJob) async throws {
            // Calls of the agent that have begun take no notice of cancellation.
            try await withCheckedThrowingContinuation { continuation in state.withLock { $0.attempts.append(continuation) } }
        }

        func report(_ job: AgentJob, failedWith error: any Error) async { state.withLock { $0.reports += 1 } }

        func end(_ attempt: Int, with result: Result<Void, any Error> = .success(())) { state.withLock { $0.attempts[attempt] }.resume(with: result) }
    }

    private struct Scene {
        let memory: MemoryStore
        let handler = Handler()
        let queue: JobQueue

        /// A queue with one job that is being performed.
        init() async throws {
            memory = try await MemoryStore()
            let clock = EngineClock(delays: ContinuousClock()) { MemoryStore.now }
            queue = JobQueue(store: memory.store, clock: clock, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
            queue.attach(handler)
            try await memory.store.write { db in
                _ = try db.jobs.insert(.profile(.setServers), connection: nil, agentUserID: 1, user: MemoryStore.user, at: MemoryStore.now)
            }
            try await queue.start()
            try await attempts(1)
        }

        func attempts(_ count: Int) async throws { try await eventually("attempt \(count)") { handler.attempts == count } }

        var waiting: Int { get async throws { try await memory.store.write { try $0.jobs.waiting() }.count } }

        func close() async throws {
            queue.stop()
            try await memory.close()
        }
    }

    @Test("does nothing twice that ends after the queue was stopped and started again")
    func isDoneOnce() async throws {
        let scene = try await Scene()
        scene.queue.stop()
        try await scene.queue.start()
        async let first: Void = scene.queue.attempt(at: 1)
        scene.handler.end(0)
        await first
        try await eventually("the job is done") { try await scene.waiting == 0 }
        #expect(scene.handler.attempts == 1)
        try await scene.close()
    }

    @Test("performs a job again that was interrupted, after the interrupted attempt and not beside it", arguments: [1, 3])
    func isRepeatedAfterwards(_ restarts: Int) async throws {
        let scene = try await Scene()
        for _ in 0..<restarts {
            scene.queue.stop()
            try await scene.queue.start()
        }
        #expect(scene.handler.attempts == 1)
        scene.handler.end(0, with: .failure(AgentError(.inactive)))
        try await scene.attempts(2)
        scene.handler.end(1)
        try await eventually("the job is done") { try await scene.waiting == 0 }
        #expect(scene.handler.attempts == 2)
        #expect(scene.handler.reports == 0)
        try await scene.close()
    }

    @Test("reports no job as failed whose attempt ends with an error while the queue is stopped")
    func isNotReported() async throws {
        let scene = try await Scene()
        scene.queue.stop()
        scene.handler.end(0, with: .failure(ChatCoreError(.closed, "The core is closed.")))
        try await scene.queue.start()
        try await scene.attempts(2)
        #expect(scene.handler.reports == 0)
        scene.handler.end(1)
        try await eventually("the job is done") { try await scene.waiting == 0 }
        try await scene.close()
    }

    @Test("lets nobody wait for an attempt of a queue that stops")
    func waiters() async throws {
        let scene = try await Scene()
        let waiter = Task { await scene.queue.attempt(at: 1) }
        // Whether it waits already or comes too late: it returns.
        scene.queue.stop()
        await waiter.value
        #expect(try await scene.waiting == 1)
        scene.handler.end(0)
        try await scene.close()
    }
}
