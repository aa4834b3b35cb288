internal import AsyncPrimitives
internal import Synchronization

/// Runs the jobs of one key in the order they came, and those of different keys side by side.
///
/// Each key has a queue of at most ``capacity`` waiting jobs. A job that does not fit is refused, and the owner is told when the queue has run
/// empty, so that it can submit again what was refused. At most ``width`` jobs run at once.
final class KeyedJobQueue<Key: Hashable & Sendable>: Sendable {
    typealias Job = @Sendable () async -> Void

    /// The highest number of jobs that wait for one key.
    let capacity: Int
    /// The highest number of jobs that run at once.
    let width: Int

    private struct Queue {
        var waiting: [Job] = []
        var overflowed = false
    }

    private struct State {
        /// The queues of keys that have a job running or waiting.
        var queues: [Key: Queue] = [:]
        /// Keys whose next job waits for the number of running jobs to fall.
        var ready: [Key] = []
        var running = 0
        /// The tasks of the jobs that run, for the case that they must be cancelled.
        var tasks: [Int: Task<Void, Never>] = [:]
        var lastTask = 0
        var isClosed = false
        /// The next moment at which no job runs or waits; nil while nobody waits for it.
        var idle: Promise<Void>?

        var isIdle: Bool { running == 0 && ready.isEmpty }
    }

    private let state = Mutex(State())
    private let onOverflow: @Sendable (Key) -> Void

    /// - Parameter onOverflow: called when a queue that refused jobs has become empty.
    init(width: Int = 64, capacity: Int = 256, onOverflow: @escaping @Sendable (Key) -> Void = { _ in }) {
        self.width = width
        self.capacity = capacity
        self.onOverflow = onOverflow
    }

    /// Adds a job to the queue of a key.
    ///
    /// - Returns: false if the queue of the key is full or all are closed; the job will not run.
    @discardableResult
    func submit(_ key: Key, _ job: @escaping Job) -> Bool {
        let (accepted, starts) = state.withLock { state -> (Bool, [Key]) in
            guard !state.isClosed else { return (false, []) }
            if state.queues[key] == nil {
                state.queues[key] = Queue(waiting: [job])
                state.ready.append(key)
                return (true, Self.takeReady(&state, width: width))
            }
            guard state.queues[key, default: Queue()].waiting.count < capacity else {
                state.queues[key]?.overflowed = true
                return (false, [])
            }
            state.queues[key]?.waiting.append(job)
            return (true, [])
        }
        starts.forEach(start)
        return accepted
    }

    /// Refuses new jobs, drops those that wait, and returns when those that run have ended; at the limit their tasks are cancelled, and
    /// those that do not even end then are left behind.
    ///
    /// - Returns: true if all jobs that ran have ended by themselves.
    func close(within limit: Duration, afterCancelling grace: Duration = .seconds(1)) async -> Bool {
        state.withLock { state in
            state.isClosed = true
            state.ready = []
            for key in state.queues.keys { state.queues[key]?.waiting = [] }
        }
        let isOverdue = Mutex(false)
        let timer = Task {
            try await Task.sleep(for: limit)
            isOverdue.withLock { $0 = true }
            state.withLock { Array($0.tasks.values) }.forEach { $0.cancel() }
            try await Task.sleep(for: grace)
            abandonWaiters()
        }
        await settle()
        timer.cancel()
        return isOverdue.withLock { !$0 }
    }

    /// Ends the waits for jobs that do not end.
    private func abandonWaiters() {
        state.withLock { $0.idle.take() }?.resolve(())
    }

    /// Jobs that run, and those that wait for each key.
    func counts() -> (running: Int, waiting: [(key: Key, count: Int)]) {
        state.withLock { state in (state.running, state.queues.map { ($0, $1.waiting.count) }) }
    }

    /// Returns when no job runs or waits.
    func settle() async {
        let idle = state.withLock { state -> Promise<Void>? in
            guard !state.isIdle else { return nil }
            let idle = state.idle ?? Promise()
            state.idle = idle
            return idle
        }
        await idle?.value()
    }

    private static func takeReady(_ state: inout State, width: Int) -> [Key] {
        let count = min(width - state.running, state.ready.count)
        guard count > 0 else { return [] }
        let keys = Array(state.ready.prefix(count))
        state.ready.removeFirst(count)
        state.running += count
        return keys
    }

    private func start(_ key: Key) {
        state.withLock { state in
            state.lastTask += 1
            // The task cannot remove itself before it is here: it needs the lock for that.
            state.tasks[state.lastTask] = Task { [self, id = state.lastTask] in await run(key, in: id) }
        }
    }

    /// Runs one job of the key, then starts the job of the key that waits longest.
    private func run(_ key: Key, in task: Int) async {
        let job = state.withLock { state -> Job? in
            guard state.queues[key]?.waiting.isEmpty == false else { return nil }
            return state.queues[key]?.waiting.removeFirst()
        }
        await job?()
        let (starts, overflowed, idle) = state.withLock { state -> ([Key], Bool, Promise<Void>?) in
            state.running -= 1
            state.tasks[task] = nil
            var overflowed = false
            if let queue = state.queues[key] {
                if queue.waiting.isEmpty {
                    overflowed = queue.overflowed && !state.isClosed
                    state.queues[key] = nil
                } else {
                    state.ready.append(key)
                }
            }
            let starts = Self.takeReady(&state, width: width)
            return (starts, overflowed, state.isIdle && !overflowed ? state.idle.take() : nil)
        }
        starts.forEach(start)
        if overflowed {
            onOverflow(key)
            resumeIfIdle()
        }
        idle?.resolve(())
    }

    /// The overflow handler may have added nothing; whoever waits must then be told here.
    private func resumeIfIdle() {
        state.withLock { $0.isIdle ? $0.idle.take() : nil }?.resolve(())
    }
}
