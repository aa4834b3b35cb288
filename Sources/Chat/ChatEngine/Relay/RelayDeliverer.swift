import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Logging
import SMPAgent
import SMPProtocol
import Synchronization
import SystemSupport

/// The delivery of what a relay passes on: one task for each channel with work. Several work side by side, and take turns bucket by bucket.
///
/// A body goes to the members of a channel in buckets. The agent has a bucket before the cursor moves past it, and knows its messages by their number:
/// whenever the process ends, each member gets each body once. Memory holds one body and one bucket of connections for each channel, whatever the number of
/// its subscribers.
final class RelayDeliverer: Sendable {
    /// Members that one call gives a body to.
    static let bucketSize = 250
    /// Seconds for which a leaving relay still forwards messages: its owners are notified at once, and may have posted before.
    static let lastPosts: Int64 = 5
    /// Steps that are taken at a time, each for another channel.
    static let concurrentGroups = 4
    /// The delays before a bucket is tried again that the agent or the disk could not take: the first and the longest.
    static let firstDelay = Duration.seconds(1)
    static let longestDelay = Duration.seconds(30)
    /// The shortest wait for a quota: clocks of delays and of the time of day may differ.
    static let shortestWait = Duration.milliseconds(100)

    private struct State {
        var isStopped = true
        var tasks: [GroupID: Task<Void, Never>] = [:]
        /// Channels whose work came while they were being delivered for.
        var again: Set<GroupID> = []
        /// Wakes channels that wait for a quota: the end of the service is not held up.
        var waiting: [GroupID: AsyncSignal] = [:]
    }

    private let transactions: TransactionRunner
    private let agent: any MessageSender
    private let policy: RelayPolicy
    private let backlog: RelayBacklog
    private let logger: Logger
    private let open = AsyncSemaphore(limit: concurrentGroups)
    private let state = Mutex(State())

    init(transactions: TransactionRunner, agent: any MessageSender, policy: RelayPolicy = RelayPolicy(), backlog: RelayBacklog, logger: Logger) {
        self.transactions = transactions
        self.agent = agent
        self.policy = policy
        self.backlog = backlog
        self.logger = logger
    }

    /// Begins with what an earlier run left behind.
    func start() async throws {
        state.withLock { $0.isStopped = false }
        backlog.start()
        deliver(for: Set(try await transactions.store.read { try $0.relayWork.groups() }))
    }

    func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            defer { (state.tasks, state.again) = ([:], []) }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        backlog.stop()
    }

    /// Delivers what waits in channels.
    func deliver(for groups: Set<GroupID>) {
        state.withLock { state in
            guard !state.isStopped else { return }
            for group in groups {
                if state.tasks[group] == nil {
                    state.tasks[group] = Task { [self] in await run(group) }
                } else {
                    state.again.insert(group)
                    state.waiting[group]?.signal()
                }
            }
        }
    }

    private func run(_ group: GroupID) async {
        var delays = DoublingDelay(from: Self.firstDelay, to: Self.longestDelay)
        while !Task.isCancelled {
            do {
                // Channels take turns: one with many subscribers or messages holds up the others for a bucket and not for all of its work.
                switch try await open.withPermit({ try await self.step(group) }) {
                case .none:
                    if isOver(group) { return }
                case .waits(let time):
                    delays.reset()
                    logger.debug("quotas hold up a channel", metadata: ["group": "\(group)", "until": "\(time)"])
                    let wait = time.sinceEpoch - transactions.clock.time.now.sinceEpoch
                    // Other channels are delivered for in the meantime.
                    await pause(group, for: max(Self.shortestWait, wait))
                case .made: delays.reset()
                }
            } catch {
                logger.warning("a channel could not be delivered for", metadata: ["error": "\(ChatCoreError(thrown: error).code)"])
                do { try await transactions.clock.sleep(for: delays.next()) } catch { return }
            }
        }
    }

    /// Waits for a quota, or for something that came meanwhile and may not be held up by it.
    private func pause(_ group: GroupID, for duration: Duration) async {
        let signal = AsyncSignal()
        let hasCome = state.withLock { state in
            // What came since the channel was looked at.
            if state.again.remove(group) != nil { return true }
            state.waiting[group] = signal
            return false
        }
        if hasCome { return }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [clock = transactions.clock] in try? await clock.sleep(for: duration) }
            tasks.addTask { try? await signal.waitUnlessCancelled() }
            await tasks.next()
            tasks.cancelAll()
        }
        state.withLock { $0.waiting[group] = nil }
    }

    /// Ends the task of a channel in which nothing waits.
    ///
    /// - Returns: False if work has come since it was looked for.
    private func isOver(_ group: GroupID) -> Bool {
        state.withLock { state in
            guard state.again.remove(group) == nil else { return false }
            state.tasks[group] = nil
            return true
        }
    }

    /// Gives one bucket of members the oldest body, or makes the next body.
    private func step(_ group: GroupID) async throws -> RelayProgress {
        let found = try await transactions.store.read { try $0.relayWork.job(group: group) }
        // What ends the service comes after all that waits.
        if found?.endsService ?? true {
            let progress = try await transactions.transaction { [policy] in try $0.relayWork.makeJob(group: group, policy: policy) }
            if progress == .made { backlog.shrank(group) }
            if progress != .none || found == nil { return progress }
        }
        guard let job = found else { return .none }
        if job.endsService, let time = try await endOfLastPosts(job) { return .waits(until: time) }
        let (targets, introductions) = try await transactions.store.read { db in
            let targets: [RelayTarget]
            switch job.scope {
            case .all, .comments:
                targets = try db.relayWork.targets(
                    group: group, after: job.cursor, excluding: job.singleSender, forComments: job.scope.isForComments, limit: Self.bucketSize)
            case .support(let member):
                targets = try db.relayWork.targets(group: group, support: member, after: job.cursor, excluding: job.singleSender, limit: Self.bucketSize)
            }
            return (targets, try RelayIntroductions(before: job, for: targets, db: db))
        }
        guard let last = targets.last else {
            try await finish(job, deliveries: 0, introductions)
            return .made
        }
        try await give(job, to: targets, after: introductions)
        FailPoint.relayBucketGiven.pass()
        if targets.count < Self.bucketSize {
            try await finish(job, deliveries: targets.count, introductions)
        } else {
            try await transactions.transaction(isPersistent: true) { transaction in
                try transaction.db.relayWork.updateJob(job.id, cursor: last.member)
                try introductions.noteIntroductions(transaction.db)
                try transaction.relayWork.noteDeliveries(targets.count, of: job)
            }
        }
        return .made
    }

    /// The time until which a relay that leaves waits for posts; nil if it waits no longer, or does not leave by itself.
    private func endOfLastPosts(_ job: RelayJob) async throws -> UTCTimestamp? {
        let now = transactions.clock.time.now, end = job.createdAt.adding(seconds: Self.lastPosts)
        // A clock that was set back holds nothing up.
        guard job.cursor.rawValue == 0, now < end, job.createdAt <= now else { return nil }
        let hasLeft = try await transactions.store.read { db in
            try db.groups.userID(ofGroup: job.group).flatMap { try db.groups.find(job.group, user: $0) }?.membership.status == .left
        }
        return hasLeft ? end : nil
    }

    /// Ends a job; after the last one of a channel that is served no longer, its connections are deleted.
    private func finish(_ job: RelayJob, deliveries: Int, _ introductions: RelayIntroductions) async throws {
        if job.endsService {
            while try await transactions.transaction({ try $0.relayWork.deleteMemberConnections(of: job.group, limit: Self.bucketSize) }) == Self.bucketSize {}
        }
        try await transactions.transaction(isPersistent: true) { transaction in
            try transaction.db.relayWork.deleteJob(job.id)
            try introductions.noteIntroductions(transaction.db)
            try transaction.relayWork.noteDeliveries(deliveries, of: job)
        }
        FailPoint.relayJobFinished.pass()
    }

    private func give(_ job: RelayJob, to targets: [RelayTarget], after introductions: RelayIntroductions) async throws {
        let requests = targets.flatMap { target in
            (introductions.introductionBodies(for: target.member) + [(job.body, job.requestKey)]).map { body, key in
                AgentSendRequest(
                    connection: ConnectionID(target.connection), body: body, flags: MessageFlags(notification: false), pqEncryption: false, key: key)
            }
        }
        var refused = 0
        for result in await agent.send(requests) {
            guard case .failure(let fault) = result else { continue }
            // With the agent's disk in the way, the whole bucket waits: what the agent has already it knows by its number.
            if fault.isTemporary { throw fault }
            refused += 1
        }
        if refused > 0 { logger.debug("members were left out of a delivery", metadata: ["members": "\(refused)"]) }
    }
}

/// The way from committed transactions to the relay.
final class RelaySignal: Sendable {
    private struct State { weak var deliverer: RelayDeliverer? }

    private let state = Mutex(State())

    /// Sets the receiver of signals, which is held weakly.
    func attach(_ deliverer: RelayDeliverer) { state.withLock { $0.deliverer = deliverer } }

    /// Tells of channels with something to deliver.
    func signal(_ groups: Set<GroupID>) { state.withLock(\.deliverer)?.deliver(for: groups) }
}
