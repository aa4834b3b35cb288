import AsyncPrimitives
import ChatAPI
import ChatProtocol
import Logging
import SMPAgent
import SMPProtocol
import SMPWire
import Synchronization
import SystemSupport

/// The delivery of what a relay passes on: one task for each channel with work, several side by side.
///
/// A body goes to the members of a channel in buckets. The agent has a bucket before the cursor moves past it, and knows its messages by their number:
/// whenever the process ends, each member gets each body once. Memory holds one body and one bucket of connections for each channel, whatever the number of
/// its subscribers.
final class RelayDeliverer: Sendable {
    /// Members that one call gives a body to.
    static let bucketSize = 1_000
    /// Channels that are delivered for at a time.
    static let concurrentGroups = 4
    /// The delays before a bucket is tried again that the agent or the disk could not take: the first and the longest.
    static let firstDelay = Duration.seconds(1)
    static let longestDelay = Duration.seconds(30)

    private struct State {
        var isStopped = true
        var tasks: [GroupID: Task<Void, Never>] = [:]
        /// Channels whose work came while they were being delivered for.
        var again: Set<GroupID> = []
    }

    private let transactions: TransactionRunner
    private let agent: any MessageSender
    private let logger: Logger
    private let open = AsyncSemaphore(limit: concurrentGroups)
    private let state = Mutex(State())

    init(transactions: TransactionRunner, agent: any MessageSender, logger: Logger) {
        self.transactions = transactions
        self.agent = agent
        self.logger = logger
    }

    /// Begins with what an earlier run left behind.
    func start() async throws {
        state.withLock { $0.isStopped = false }
        deliver(for: Set(try await transactions.store.read { try $0.groupsWithRelayWork() }))
    }

    func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            defer { (state.tasks, state.again) = ([:], []) }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
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
                }
            }
        }
    }

    private func run(_ group: GroupID) async {
        await open.acquire()
        defer { open.release() }
        var delay = Self.firstDelay
        while !Task.isCancelled {
            do {
                while try await step(group) {
                    delay = Self.firstDelay
                    if Task.isCancelled { return }
                }
                let isOver = state.withLock { state in
                    guard state.again.remove(group) == nil else { return false }
                    state.tasks[group] = nil
                    return true
                }
                if isOver { return }
            } catch {
                logger.warning("a channel could not be delivered for", metadata: ["error": "\(ChatCoreError(thrown: error).code)"])
                do { try await transactions.clock.sleep(for: delay) } catch { return }
                delay = min(delay * 2, Self.longestDelay)
            }
        }
    }

    /// Gives one bucket of members the oldest body, or makes the next body.
    ///
    /// - Returns: False if nothing is left to do.
    private func step(_ group: GroupID) async throws -> Bool {
        guard let job = try await transactions.store.read({ try $0.relayJob(group: group) }) else {
            return try await transactions.transaction { try $0.makeRelayJob(group: group) }
        }
        let targets = try await transactions.store.read { db in
            switch job.scope {
            case .all, .comments:
                try db.relayTargets(
                    group: group, after: job.cursor, excluding: job.singleSender, forComments: job.scope.isForComments, limit: Self.bucketSize)
            case .support(let member):
                try db.relayTargets(group: group, support: member, after: job.cursor, excluding: job.singleSender, limit: Self.bucketSize)
            }
        }
        guard let last = targets.last else {
            try await finish(job)
            return true
        }
        try await give(job, to: targets)
        FailPoint.relayBucketGiven.pass()
        let isLast = targets.count < Self.bucketSize
        if isLast { return try await finishing(job) }
        try await transactions.transaction(isPersistent: true) { try $0.db.updateRelayJob(job.id, cursor: last.member) }
        return true
    }

    private func finishing(_ job: RelayJob) async throws -> Bool {
        try await finish(job)
        return true
    }

    /// Ends a job; after the last one of a channel that is served no longer, its connections are deleted.
    private func finish(_ job: RelayJob) async throws {
        if job.endsService {
            while try await transactions.transaction({ try $0.deleteMemberConnections(of: job.group, limit: Self.bucketSize) }) == Self.bucketSize {}
        }
        try await transactions.transaction(isPersistent: true) { try $0.db.deleteRelayJob(job.id) }
        FailPoint.relayJobFinished.pass()
    }

    private func give(_ job: RelayJob, to targets: [RelayTarget]) async throws {
        let requests = targets.map { target in
            AgentSendRequest(
                connection: ConnectionID(target.connection), body: job.body, flags: MessageFlags(notification: false), pqEncryption: false,
                key: job.requestKey)
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
