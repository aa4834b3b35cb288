internal import AsyncPrimitives
internal import Synchronization

/// Runs the jobs of one key in the order they came, and those of different keys side by side.
///
/// Each key has a queue of at most ``capacity`` waiting jobs. A job that does not fit is refused, and its submitter is notified when the queue has run
/// empty, so that it can submit the refused jobs again. At most ``width`` jobs run at once, beside those that have given their ``JobSlot`` away. Keys
/// belong to owners, which take turns.
final class KeyedJobQueue<Key: Hashable & Sendable>: Sendable {
    typealias Job = @Sendable () async -> Void

    /// The highest number of jobs that wait for one key.
    let capacity: Int
    /// The highest number of jobs that run at once.
    let width: Int
    /// The highest number of jobs of one owner that run at once.
    let ownerWidth: Int
    /// The highest number of jobs that wait without a slot.
    static var releasedLimit: Int { 4_096 }

    private struct Queue {
        var waiting: [Job] = []
        var overflowed = false
    }

    private struct State {
        /// The queues of keys that have a job running or waiting.
        var queues: [Key: Queue] = [:]
        /// Keys whose next job waits for the number of running jobs to fall.
        var ready = ReadyKeys<Key>()
        var running = 0
        /// The running jobs of each owner that has any.
        var runningOf: [Int64: Int] = [:]
        /// Jobs that have given their slot away, with the number of their waits.
        var released: [Int: Int] = [:]
        /// The tasks of the jobs that run, for the case that they must be cancelled.
        var tasks: [Int: Task<Void, Never>] = [:]
        var lastTask = 0
        /// The jobs that were taken.
        var taken = 0
        var isClosed = false
        /// The next moment at which no job runs or waits; nil while nobody waits for it.
        var idle: Promise<Void>?

        var isIdle: Bool { running == 0 && released.isEmpty && ready.isEmpty }

        mutating func occupy(_ owner: Int64) {
            running += 1
            runningOf[owner, default: 0] += 1
        }

        mutating func vacate(_ owner: Int64) {
            running -= 1
            let left = runningOf[owner, default: 0] - 1
            runningOf[owner] = left > 0 ? left : nil
        }
    }

    private let state = Mutex(State())
    private let owner: @Sendable (Key) -> Int64
    private let onOverflow: @Sendable (Key) -> Void

    /// - Parameters:
    ///   - ownerWidth: jobs of one owner that run at once; nil for as many as ``width``.
    ///   - owner: the owner of a key.
    ///   - onOverflow: called when a queue that refused jobs has become empty.
    init(
        width: Int = 64, ownerWidth: Int? = nil, capacity: Int = 256, owner: @escaping @Sendable (Key) -> Int64 = { _ in 0 },
        onOverflow: @escaping @Sendable (Key) -> Void = { _ in }
    ) {
        self.width = width
        self.ownerWidth = max(1, min(ownerWidth ?? width, width))
        self.capacity = capacity
        self.owner = owner
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
                state.taken += 1
                state.queues[key] = Queue(waiting: [job])
                state.ready.enqueue(key, of: owner(key))
                return (true, takeReady(&state))
            }
            guard state.queues[key, default: Queue()].waiting.count < capacity else {
                state.queues[key]?.overflowed = true
                return (false, [])
            }
            state.taken += 1
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
            state.ready.removeAll()
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

    /// Jobs that have begun, and those that wait for each key.
    func counts() -> (running: Int, waiting: [(key: Key, count: Int)]) {
        state.withLock { state in (state.running + state.released.count, state.queues.map { ($0, $1.waiting.count) }) }
    }

    /// The number of jobs that were taken so far; nil while one runs or waits. Between two equal numbers no job ran.
    var countAtRest: Int? { state.withLock { $0.isIdle ? $0.taken : nil } }

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

    private func takeReady(_ state: inout State) -> [Key] {
        var keys: [Key] = []
        while state.running < width, let key = state.ready.popFirst(where: { state.runningOf[$0, default: 0] < ownerWidth }) {
            state.occupy(owner(key))
            keys.append(key)
        }
        return keys
    }

    private func start(_ key: Key) {
        state.withLock { state in
            state.lastTask += 1
            // The task cannot remove itself before it is here: it needs the lock for that.
            state.tasks[state.lastTask] = Task { [self, id = state.lastTask] in await run(key, in: id) }
        }
    }

    // MARK: Slots

    private func slot(of task: Int, _ owner: Int64) -> JobSlot {
        JobSlot(release: { [self] in release(task, owner) }, take: { [self] in retake(task, owner) })
    }

    private func release(_ task: Int, _ owner: Int64) -> Bool {
        let starts = state.withLock { state -> [Key]? in
            guard state.tasks[task] != nil else { return nil }
            if let waits = state.released[task] {
                state.released[task] = waits + 1
                return []
            }
            guard state.released.count < Self.releasedLimit else { return nil }
            state.released[task] = 1
            state.vacate(owner)
            return takeReady(&state)
        }
        starts?.forEach(start)
        return starts != nil
    }

    private func retake(_ task: Int, _ owner: Int64) {
        state.withLock { state in
            // A job that is over has no slot any more.
            guard let waits = state.released[task] else { return }
            state.released[task] = waits > 1 ? waits - 1 : nil
            if waits == 1 { state.occupy(owner) }
        }
    }

    /// Runs one job of the key, then starts the jobs whose turn it is.
    private func run(_ key: Key, in task: Int) async {
        let job = state.withLock { state -> Job? in
            guard state.queues[key]?.waiting.isEmpty == false else { return nil }
            return state.queues[key]?.waiting.removeFirst()
        }
        let owner = owner(key)
        if let job { await JobSlot.$current.withValue(slot(of: task, owner)) { await job() } }
        let (starts, overflowed, idle) = state.withLock { state -> ([Key], Bool, Promise<Void>?) in
            if state.released.removeValue(forKey: task) == nil { state.vacate(owner) }
            state.tasks[task] = nil
            var overflowed = false
            if let queue = state.queues[key] {
                if queue.waiting.isEmpty {
                    overflowed = queue.overflowed && !state.isClosed
                    state.queues[key] = nil
                } else {
                    state.ready.enqueue(key, of: owner)
                }
            }
            let starts = takeReady(&state)
            return (starts, overflowed, state.isIdle && !overflowed ? state.idle.take() : nil)
        }
        starts.forEach(start)
        if overflowed {
            onOverflow(key)
            resumeIfIdle()
        }
        idle?.resolve(())
    }

    /// The overflow handler may have added nothing; the waiting submitter must then be notified here.
    private func resumeIfIdle() {
        state.withLock { $0.isIdle ? $0.idle.take() : nil }?.resolve(())
    }
}
