import EncryptedSQLite
import Synchronization

/// Tables in memory that outlive a process.
final class MemoryDisk: Sendable {
    private let tables = Mutex(MemoryTables())

    func read<Value: Sendable>(_ body: (MemoryTables) throws -> Value) rethrows -> Value { try tables.withLock { try body($0) } }
    fileprivate func write<Value: Sendable>(_ body: (inout MemoryTables) throws -> Value) rethrows -> Value {
        try tables.withLock { try body(&$0) }
    }
}

/// A process's way to its tables, with the promises of `DatabaseFile`: writes run in the order in which they come, those that wait at the
/// same time together, and each is whole or not there; reads show what is committed. What waits when the process ends is lost.
final class MemoryDatabase: Sendable {
    /// Does the work given to it later.
    typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct Job: Sendable {
        /// Makes its changes, or none; what it returns tells its outcome, once all of the batch are made.
        let run: @Sendable (inout MemoryTables) -> @Sendable () -> Void
        let refuse: @Sendable (any Error) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isDraining = false
        var isClosed = false
    }

    let disk: MemoryDisk
    private let scheduler: Scheduler
    private let state = Mutex(State())

    init(_ disk: MemoryDisk, scheduler: @escaping Scheduler) {
        self.disk = disk
        self.scheduler = scheduler
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (MemoryTables) throws -> Value) async throws -> Value {
        guard !state.withLock({ $0.isClosed }) else { throw StorageError(.closed, "the database is closed") }
        return try await withCheckedThrowingContinuation { [disk] continuation in
            scheduler { continuation.resume(with: Result { try disk.read(body) }) }
        }
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (inout MemoryTables) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            submit(body) { continuation.resume(with: $0) }
        }
    }

    /// - Parameter joinsNext: whether it waits for the next write, to be made together with it.
    func submit<Value: Sendable>(
        joinsNext: Bool = false, _ body: @escaping @Sendable (inout MemoryTables) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let job = Job(
            run: { tables in
                let result = Result { try tables.transaction(body) }
                return { completion(result) }
            },
            refuse: { completion(.failure($0)) })
        let (starts, isRefused) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed else { return (false, true) }
            state.waiting.append(job)
            guard !joinsNext, !state.isDraining else { return (false, false) }
            state.isDraining = true
            return (true, false)
        }
        if isRefused { return job.refuse(StorageError(.closed, "the database is closed")) }
        if starts { scheduler { [self] in drain() } }
    }

    /// Has what waits written at once.
    func hurry() {
        if state.withLock({ !$0.waiting.isEmpty }) { scheduler { [self] in drain() } }
    }

    /// Refuses later writes and reads; those that wait are still made.
    func close() {
        state.withLock { $0.isClosed = true }
        hurry()
    }

    private func drain() {
        while true {
            let batch = state.withLock { state -> [Job] in
                if state.waiting.isEmpty { state.isDraining = false }
                defer { state.waiting = [] }
                return state.waiting
            }
            guard !batch.isEmpty else { return }
            let outcomes = disk.write { tables in batch.map { $0.run(&tables) } }
            for tell in outcomes { tell() }
        }
    }
}
