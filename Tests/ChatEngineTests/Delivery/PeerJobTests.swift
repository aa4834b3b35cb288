import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import Logging
import SMPAgent
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Jobs of the agent that peers cause: they are bounded, they end, and none makes process after process crash.
@Suite("Jobs that peers cause")
struct PeerJobTests {
    /// A handler whose attempts wait until the test ends them.
    private final class Handler: AgentJobHandling {
        private struct State {
            var running: [(job: AgentJob, attempt: CheckedContinuation<Void, any Error>)] = []
            var attempts: [Int64: Int] = [:]
            var reports: [AgentJob] = []
        }

        private let state = Mutex(State())
        var running: [AgentJob] { state.withLock { $0.running.map(\.job) } }
        var attempts: [Int64: Int] { state.withLock(\.attempts) }
        var reports: [AgentJob] { state.withLock(\.reports) }

        func perform(_ job: AgentJob) async throws {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { state in
                    state.running.append((job, continuation))
                    state.attempts[job.id, default: 0] += 1
                }
            }
        }

        func report(_ job: AgentJob, failedWith error: any Error) async { state.withLock { $0.reports.append(job) } }

        /// Ends all attempts that run.
        func end(with result: Result<Void, any Error> = .success(())) {
            let ended = state.withLock { state in
                defer { state.running = [] }
                return state.running
            }
            for (_, attempt) in ended { attempt.resume(with: result) }
        }
    }

    private static let join = AgentJob.Task.group(.join(member: 1, link: "nonsense"))

    /// The time of day, as the test sets it.
    private final class Time: Sendable {
        private let value = Mutex(MemoryStore.now)

        var now: UTCTimestamp {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    private final class Scene: Sendable {
        let memory: MemoryStore
        let handler = Handler()
        let queue: JobQueue
        let clock = ManualClock()
        let time = Time()
        let lines = LogLines()

        init(table: InFlightTable? = nil, _ prepare: @escaping @Sendable (Database) throws -> Void = { _ in }) async throws {
            memory = try await MemoryStore()
            try await memory.store.write { try prepare($0) }
            let guarding = CrashLoopGuard(table: table), logger = lines.logger
            try await guarding.load(from: memory.store, at: TransactionTime(now: MemoryStore.now, steady: MemoryStore.now), logger: logger)
            queue = JobQueue(
                store: memory.store, clock: EngineClock(delays: clock) { [time] in time.now }, crashGuard: guarding, logger: logger)
            queue.attach(handler)
        }

        func add(_ task: AgentJob.Task, count: Int = 1) async throws -> [AgentJob] {
            let jobs = try await memory.store.write { db in
                try (0..<count).map { _ in try db.jobs.insert(task, connection: nil, agentUserID: 1, user: MemoryStore.user, at: MemoryStore.now) }
            }
            queue.enqueue(jobs)
            return jobs
        }

        var waiting: Int { get async throws { try await memory.store.write { try $0.jobs.waiting() }.count } }

        func close() async throws {
            queue.stop()
            handler.end(with: .failure(CancellationError()))
            try await memory.close()
        }
    }

    @Test("run side by side up to a number for each kind, and those of a profile of its own go on beside them")
    func bound() async throws {
        let scene = try await Scene()
        try await scene.queue.start()
        _ = try await scene.add(Self.join, count: JobLimits.concurrentJobs + 20)
        try await eventually("as many as may run") { scene.handler.running.count == JobLimits.concurrentJobs }
        _ = try await scene.add(.connection(.reject(invitation: [1])))
        _ = try await scene.add(.contact(.publishAddress))
        _ = try await scene.add(.profile(.setServers))
        try await eventually("those of other kinds run") { scene.handler.running.count == JobLimits.concurrentJobs + 3 }
        #expect(scene.handler.running.count { $0.task == Self.join } == JobLimits.concurrentJobs)
        scene.handler.end()
        try await eventually("the others have their turn") { scene.handler.running.count == 20 }
        scene.handler.end()
        try await eventually("all are done") { try await scene.waiting == 0 }
        try await scene.close()
    }

    @Test("that are tried again leave new ones their turn")
    func retries() async throws {
        let scene = try await Scene()
        try await scene.queue.start()
        _ = try await scene.add(Self.join, count: JobLimits.concurrentJobs)
        try await eventually("all run") { scene.handler.running.count == JobLimits.concurrentJobs }
        scene.handler.end(with: .failure(AgentError(.inactive)))
        try await eventually("all wait") { scene.clock.sleeperCount == JobLimits.concurrentJobs }
        scene.clock.advance(by: JobQueue.firstDelay)
        try await eventually("some are tried again") { scene.handler.running.count == JobLimits.concurrentRetries }
        let new = try await scene.add(Self.join, count: JobLimits.concurrentJobs)
        try await eventually("new ones run beside them") { scene.handler.running.count == JobLimits.concurrentRetries + JobLimits.concurrentJobs }
        #expect(Set(scene.handler.running.map(\.id)).isSuperset(of: new.map(\.id)))
        try await scene.close()
    }

    @Test("are given up after seven days and some attempts, and reported", arguments: [(Self.join, true), (.contact(.publishAddress), false)])
    func end(_ task: AgentJob.Task, _ isGivenUp: Bool) async throws {
        let scene = try await Scene()
        try await scene.queue.start()
        let job = try #require(try await scene.add(task).first)
        // The days have passed before the process began: the first attempts count nothing yet.
        scene.time.now = MemoryStore.now.adding(seconds: JobLimits.lifetime)
        for attempt in 1...JobLimits.attemptsBeforeGivingUp {
            try await eventually("attempt \(attempt)") { scene.handler.attempts[job.id] == attempt }
            scene.handler.end(with: .failure(AgentError(.inactive)))
            guard attempt < JobLimits.attemptsBeforeGivingUp || !isGivenUp else { break }
            try await eventually("it waits") { scene.clock.sleeperCount == 1 }
            scene.clock.advance(by: JobQueue.longestDelay)
        }
        if isGivenUp {
            try await eventually("it is given up") { try await scene.waiting == 0 }
            #expect(scene.handler.reports.map(\.id) == [job.id] && scene.lines.codes == ["job.givenUp"])
        } else {
            try await eventually("it is tried again") { scene.handler.running.count == 1 }
            #expect(scene.handler.reports.isEmpty)
        }
        try await scene.close()
    }

    @Test("that wait for their turn are tried at that time, and it counts as no attempt")
    func postponed() async throws {
        let scene = try await Scene()
        try await scene.queue.start()
        _ = try await scene.add(Self.join)
        try await eventually("it is asked") { scene.handler.running.count == 1 }
        scene.time.now = MemoryStore.now.adding(seconds: 2 * JobLimits.lifetime)
        for _ in 1...2 * JobLimits.attemptsBeforeGivingUp {
            scene.handler.end(with: .failure(JobPostponement(delay: .seconds(60))))
            try await eventually("it waits") { scene.clock.sleeperCount == 1 }
            scene.clock.advance(by: .seconds(60))
            try await eventually("it is asked again") { scene.handler.running.count == 1 }
        }
        scene.handler.end()
        try await eventually("it is done") { try await scene.waiting == 0 }
        #expect(scene.handler.reports.isEmpty)
        try await scene.close()
    }

    // MARK: Crashes

    private static func key(_ job: Int64, _ task: AgentJob.Task) throws -> InFlightKey {
        try #require(AgentJob(id: job, agentUserID: 1, connection: [], task: task, createdAt: MemoryStore.now).key)
    }

    @Test("are noted while they are tried, for the process after one that dies")
    func noted() async throws {
        let folder = try TemporaryFolder(), path = folder.path + "/inflight"
        let scene = try await Scene(table: try InFlightTable(path: path, slots: CrashLoopGuard.slots))
        try await scene.queue.start()
        let job = try #require(try await scene.add(Self.join).first)
        _ = try await scene.add(.contact(.publishAddress))
        try await eventually("both run") { scene.handler.running.count == 2 }
        #expect(try InFlightTable(path: path, slots: CrashLoopGuard.slots).leftBehind == [try Self.key(job.id, Self.join)])
        scene.handler.end()
        try await eventually("both are done") { try await scene.waiting == 0 }
        #expect(try InFlightTable(path: path, slots: CrashLoopGuard.slots).leftBehind == [])
        try await scene.close()
    }

    @Test("that three processes crashed on are set aside, told of, and tried again on demand")
    func quarantine() async throws {
        let task = Self.join, key = try Self.key(1, task)
        let scene = try await Scene { db in
            _ = try db.jobs.insert(task, connection: [7], agentUserID: 1, user: MemoryStore.user, at: MemoryStore.now)
            _ = try db.jobs.insert(.connection(.reject(invitation: [1])), connection: nil, agentUserID: 1, user: MemoryStore.user, at: MemoryStore.now)
            try db.quarantine.set(CrashSuspects.Count(key: key, weight: CrashSuspects.quarantineWeight), at: MemoryStore.now)
        }
        try await scene.queue.start()
        try await eventually("the other one runs, and this one is reported") {
            scene.handler.running.map(\.id) == [2] && scene.handler.reports.map(\.id) == [1]
        }
        #expect(scene.lines.codes == ["job.quarantined"])
        let events = try await scene.memory.store.read { try $0.quarantine.events() }
        #expect(events.map(\.kind) == ["job.joinMember"])
        let id = try #require(events.first).id
        let content = try #require(try await scene.memory.store.read { try $0.quarantine.content(id) })
        let job = try #require(
            QuarantinedJob.job(kind: content.kind, connection: content.connection, payload: content.event, at: MemoryStore.now))
        #expect(job.task == task && job.connection == [7] && job.agentUserID == 1)
        let (_, effects) = try await scene.memory.run { try $0.quarantine.retry(job, number: id) }
        #expect(effects.jobs.map(\.task) == [task])
        #expect(try await scene.memory.store.read { try $0.quarantine.events() }.isEmpty)
        #expect(try await scene.memory.store.read { try $0.quarantine.crashSuspects() }.isEmpty)
        try await scene.close()
    }

    @Test("that one process crashed on are tried one at a time, and cleared when that ends")
    func suspects() async throws {
        let keys = try (1...3).map { try Self.key(Int64($0), Self.join) }
        let scene = try await Scene { db in
            for key in keys {
                _ = try db.jobs.insert(Self.join, connection: nil, agentUserID: 1, user: MemoryStore.user, at: MemoryStore.now)
                try db.quarantine.set(CrashSuspects.Count(key: key, weight: 3), at: MemoryStore.now)
            }
        }
        try await scene.queue.start()
        for left in [2, 1, 0] {
            try await eventually("one runs") { scene.handler.running.count == 1 }
            scene.handler.end()
            try await eventually("it is cleared") { try await scene.memory.store.read { try $0.quarantine.crashSuspects() }.count == left }
        }
        try await scene.close()
    }

    @Test("that this version does not understand are told of, counted, and kept")
    func unreadable() async throws {
        let scene = try await Scene { db in
            for (kind, payload) in [
                ("joinMember", "{}"), ("of.a.later.version", #"{"user":1,"task":{}}"#), ("reject", "not JSON"), ("publishAddress", #"{"user":1,"task":{}}"#),
            ] {
                try db.run(
                    "INSERT INTO agent_work (user_id, kind, payload_json, created_at) VALUES (?, ?, ?, ?)",
                    [MemoryStore.user, kind, payload, MemoryStore.now.stored])
            }
        }
        try await scene.queue.start()
        try await eventually("the one that is understood runs") { scene.handler.running.map(\.task) == [.contact(.publishAddress)] }
        #expect(scene.lines.codes == ["job.unreadable"] && scene.lines.metadata("jobs") == ["3"])
        #expect(try await scene.memory.store.read { try $0.jobs.unreadable() } == ["joinMember", "of.a.later.version", "reject"])
        try await scene.close()
    }
}

/// What is logged, in memory.
private final class LogLines: Sendable {
    private let lines = Mutex<[Logger.Metadata]>([])

    var logger: Logger { Logger(label: "test") { [self] _ in Handler(lines: self) } }
    /// The codes of the lines that have one, in order.
    var codes: [String] { metadata("code") }

    func metadata(_ key: String) -> [String] { lines.withLock { $0.compactMap { $0[key].map { "\($0)" } } } }

    struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.lines.withLock { $0.append(event.metadata ?? [:]) } }
    }
}
