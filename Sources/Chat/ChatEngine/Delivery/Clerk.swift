import ChatAPI
import ChatProtocol
import Logging
import SMPAgent
import SMPWire
import Synchronization

/// Has the agent do the work that transactions have written down: different connections side by side, each piece again until
/// it is done or cannot be.
final class Clerk: Sendable {
    private struct State {
        var isStopped = true
        /// Work that came while the clerk was stopped.
        var waiting: [AgentWork] = []
        var tasks: [Int64: Task<Void, Never>] = [:]
        /// Who waits for the first attempt at a piece of work.
        var attempts: [Int64: [CheckedContinuation<Void, Never>]] = [:]
    }

    /// Does a piece of work; a temporary fault has it done again later.
    private let perform: @Sendable (AgentWork) async throws -> Void
    /// Tells of work that cannot be done.
    private let failed: @Sendable (AgentWork, any Error) async -> Void
    private let store: ChatStore
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let state = Mutex(State())

    init(
        store: ChatStore, clock: any Clock<Duration>, logger: Logger, perform: @escaping @Sendable (AgentWork) async throws -> Void,
        failed: @escaping @Sendable (AgentWork, any Error) async -> Void
    ) {
        self.store = store
        self.clock = clock
        self.logger = logger
        self.perform = perform
        self.failed = failed
    }

    /// Begins with what an earlier run left behind.
    ///
    /// - Returns: what that is.
    @discardableResult
    func start() async throws -> [AgentWork] {
        state.withLock { $0.isStopped = false }
        // As a write, it comes after those by which work is crossed out.
        let left = try await store.write { db in try db.waitingAgentWork() }
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        enqueue(left + waiting)
        return left
    }

    func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Takes work that was committed.
    func enqueue(_ work: [AgentWork]) {
        state.withLock { state in
            for piece in work {
                if state.isStopped {
                    state.waiting.append(piece)
                } else if state.tasks[piece.id] == nil {
                    state.tasks[piece.id] = Task { [self] in await carryOut(piece) }
                }
            }
        }
    }

    /// Returns once the work was tried, whatever became of it; at once if it is not under way.
    func attempt(at work: Int64) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.tasks[work] != nil, !state.isStopped else { return true }
                state.attempts[work, default: []].append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func tried(_ work: Int64) {
        for continuation in state.withLock({ $0.attempts.removeValue(forKey: work) }) ?? [] { continuation.resume() }
    }

    private func carryOut(_ work: AgentWork) async {
        defer { tried(work.id) }
        var delay = Duration.seconds(2)
        while !Task.isCancelled {
            do {
                try await perform(work)
                break
            } catch is CancellationError {
                return
            } catch {
                let cause = ChatCoreError(thrown: error)
                guard cause.isTemporary else {
                    await failed(work, error)
                    break
                }
                logger.debug("work of the agent is put off", metadata: ["kind": "\(work.task.kind)", "error": "\(cause.code)"])
                tried(work.id)
                do { try await clock.sleep(for: delay) } catch { return }
                delay = min(delay * 2, .seconds(180))
            }
        }
        guard !Task.isCancelled else { return }
        // Whoever finds it again does it again: that costs less than a flush of the disk for each piece.
        store.submitLater({ db in try db.deleteAgentWork(work.id) }) { [logger] result in
            guard case .failure = result else { return }
            logger.warning("work that is done could not be crossed out", metadata: ["kind": "\(work.task.kind)"])
        }
        state.withLock { $0.tasks[work.id] = nil }
    }
}
