import AsyncPrimitives
import Logging
import NIOCore
import NIOPosix
import RouterSupport
import Synchronization

/// The blocking work of a router, on a thread of its own: makes the journal durable, clears it, and has old messages deleted.
final class JournalWorker: Sendable {
    /// Bytes copied at a time while the journal is cleared, so that commands do not wait long for their turn.
    private static let clearingStep = 1 << 20

    private let group: MultiThreadedEventLoopGroup
    private let loop: any EventLoop
    private let isScheduled = Atomic(false)
    private let isStopping = Atomic(false)
    private let bound: NIOLoopBoundBox<Bound>
    private let configuration: RouterConfiguration

    private struct Bound {
        var core: RouterCore?
        var clearing: Clearing?
        var tasks: [RepeatedTask] = []
        /// The pauses between attempts after the disk has refused something.
        var pauses = DoublingDelay(from: firstPause, to: longestPause)
        var isFailing = false
    }

    /// A walk over old segments.
    private struct Clearing {
        var scanner: SegmentScanner
        /// The position up to which all segments are cleared, however little that saves; nil: clearing continues while it is worth its work.
        var until: UInt64?
        /// The callers that wait for the end.
        var waiters: [Waiter] = []
    }

    private typealias Waiter = @Sendable (Result<Void, RouterError>) -> Void

    private static let firstPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(5)

    init(_ configuration: RouterConfiguration) {
        self.configuration = configuration
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        loop = group.next()
        bound = .makeBoxSendingValue(Bound(), eventLoop: loop)
    }

    /// - Parameter hourly: called at the start and every hour.
    func start(_ core: RouterCore, hourly: @escaping @Sendable () -> Void) {
        let sweep = TimeAmount(configuration.expirySweepInterval)
        loop.execute { [self] in
            bound.value.core = core
            bound.value.tasks = [
                loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [self] _ in
                    if core.history.isSavingDue() { core.saveStatistics() }
                    core.restSome()
                    clearIfNeeded()
                    keepExtent()
                },
                loop.scheduleRepeatedTask(initialDelay: .zero, delay: .hours(1)) { _ in hourly() },
                loop.scheduleRepeatedTask(initialDelay: .zero, delay: sweep) { [self] _ in expire(from: 0) {} },
            ]
            if case .interval(let time) = configuration.durability {
                let time = TimeAmount(time)
                bound.value.tasks.append(loop.scheduleRepeatedTask(initialDelay: time, delay: time) { [self] _ in commit(flush: true) })
            }
            // Sessions may have appended records before this.
            commit()
        }
    }

    /// Schedules a commit of the appended records, together with those appended until then. Callable from any thread.
    func schedule() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.execute { [self] in commit() }
    }

    private func commit(flush: Bool = false) {
        // While the disk refuses writes, a timer tries again, and also writes the records appended meanwhile.
        guard let core = bound.value.core, !bound.value.isFailing else { return isScheduled.store(false, ordering: .releasing) }
        tryToCommit(core, flush: flush)
    }

    private func tryToCommit(_ core: RouterCore, flush: Bool) {
        isScheduled.store(false, ordering: .releasing)
        do {
            try core.commit(flush: flush)
            if bound.value.isFailing {
                bound.value.isFailing = false
                bound.value.pauses.reset()
                core.storageWorksAgain()
            }
            // Records appended after the refused ones are written in a commit of their own.
            if core.journal.pendingCount > 0 { schedule() }
        } catch {
            if !bound.value.isFailing { core.storageFails(error) }
            bound.value.isFailing = true
            loop.scheduleTask(in: TimeAmount(bound.value.pauses.next())) { [self] in
                if let core = bound.value.core { tryToCommit(core, flush: flush) }
            }
        }
    }

    /// Stores the extent of the journal. If that fails, the next attempt stores it; until then, a loss of the newest part of the journal is not noticed.
    private func keepExtent() {
        guard let core = bound.value.core, !bound.value.isFailing else { return }
        do throws(RouterError) { try core.journal.keepExtent() } catch {
            core.logger.debug("the extent of the journal cannot be kept", metadata: ["reason": "\(error)"])
        }
    }

    private func release() {
        for task in bound.value.tasks { task.cancel() }
        let waiters = bound.value.clearing?.waiters ?? []
        bound.value = Bound()
        let stopped = RouterError(.stopped, "the router stopped before the journal was cleared")
        for waiter in waiters { waiter(.failure(stopped)) }
    }

    /// Deletes expired messages and queues. Returns when all queues were checked, or when the router stops.
    func expireAll() async {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in expire(from: 0) { continuation.resume() } }
        }
    }

    private func expire(from slot: Int, _ done: @escaping @Sendable () -> Void) {
        guard let next = bound.value.core?.expire(from: slot) else { return done() }
        loop.execute { [self] in expire(from: next, done) }
    }

    // MARK: Clearing

    private func clearIfNeeded() {
        guard let core = bound.value.core, bound.value.clearing == nil, !bound.value.isFailing, !core.hasDamagedSegment,
            core.needsClearing(above: configuration.clearingThreshold)
        else { return }
        beginClearing(core, until: nil, waiters: [])
    }

    /// Compacts everything that is in the journal now. Returns when that is done.
    ///
    /// - Throws: ``RouterError`` with the reason of a failure. Work that the disk has refused continues by itself when the disk works again.
    func clearAll() async throws(RouterError) {
        let result = await withCheckedContinuation { continuation in
            loop.execute { [self] in
                let waiter: Waiter = { continuation.resume(returning: $0) }
                guard let core = bound.value.core else { return waiter(.failure(RouterError(.stopped, "the router has stopped"))) }
                guard !bound.value.isFailing else { return waiter(.failure(Self.refusal(core))) }
                do throws(RouterError) {
                    // Later records are in a new segment.
                    let end = try core.journal.beginSegment()
                    if bound.value.clearing != nil {
                        bound.value.clearing?.until = end
                        bound.value.clearing?.waiters.append(waiter)
                    } else {
                        beginClearing(core, until: end, waiters: [waiter])
                    }
                } catch {
                    core.logger.error("the journal cannot be cleared", metadata: ["reason": "\(error)"])
                    waiter(.failure(error))
                }
            }
        }
        return try result.get()
    }

    private static func refusal(_ core: RouterCore) -> RouterError {
        core.journal.failure ?? RouterError(.storage, "the disk has not accepted all records of the journal")
    }

    private func beginClearing(_ core: RouterCore, until end: UInt64?, waiters: [Waiter]) {
        do throws(RouterError) {
            guard let scanner = try core.journal.oldestSegment(), end.map({ scanner.base < $0 }) ?? true else {
                return waiters.forEach { $0(.success(())) }
            }
            bound.value.clearing = Clearing(scanner: scanner, until: end, waiters: waiters)
            clear()
        } catch {
            core.logger.error("the journal cannot be cleared", metadata: ["reason": "\(error)"])
            waiters.forEach { $0(.failure(error)) }
        }
    }

    /// Copies the needed records of the oldest segment to the end of the journal, and then removes the segment.
    private func clear() {
        guard let core = bound.value.core, var clearing = bound.value.clearing else { return }
        // Continues where it stopped when the disk works again. Nobody knows when that is: the waiting callers get an error.
        guard !bound.value.isFailing else {
            bound.value.clearing?.waiters = []
            clearing.waiters.forEach { $0(.failure(Self.refusal(core))) }
            loop.scheduleTask(in: TimeAmount(bound.value.pauses.upcoming)) { [self] in clear() }
            return
        }
        do throws(RouterError) {
            var copied = 0
            var seen = 0
            while !clearing.scanner.isAtEnd, copied < Self.clearingStep, seen < 5_000 {
                guard let item = try clearing.scanner.next() else {
                    throw RouterError(.corrupted, "the journal is damaged at position \(clearing.scanner.position)")
                }
                seen += 1
                guard core.isNeeded(item) else { continue }
                core.keep(item, body: item.bodyLength > 0 ? try clearing.scanner.body(of: item) : [])
                copied += item.range.count
            }
            bound.value.clearing = clearing
            // The segment may be removed only when its needed records are on disk elsewhere, whatever the policy.
            if clearing.scanner.isAtEnd {
                let end = core.journal.end
                tryToCommit(core, flush: true)
                guard !bound.value.isFailing, core.journal.written >= end else {
                    loop.execute { [self] in clear() }
                    return
                }
                try core.journal.removeOldestSegment()
                finishSegment(core, clearing)
            } else {
                tryToCommit(core, flush: false)
                loop.execute { [self] in clear() }
            }
        } catch {
            core.cannotClear(error)
            bound.value.clearing = nil
            clearing.waiters.forEach { $0(.failure(error)) }
        }
    }

    private func finishSegment(_ core: RouterCore, _ clearing: Clearing) {
        bound.value.clearing = nil
        if let end = clearing.until {
            beginClearing(core, until: end, waiters: clearing.waiters)
        } else {
            clearIfNeeded()
        }
    }

    /// Flushes the remaining records and ends the thread. A second call returns at once: the thread is gone by then or about to be.
    func stop() async {
        guard !isStopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = try? await loop.submit { [self] in
            if let core = bound.value.core {
                do {
                    try core.commit(flush: true)
                    // The records appended after refused ones.
                    if core.journal.pendingCount > 0 { try core.commit(flush: true) }
                } catch {
                    core.logger.critical("unanswered commands are lost: the disk refuses their records", metadata: ["reason": "\(error)"])
                }
            }
            bound.value.core?.saveStatistics()
            keepExtent()
            // Sessions that still hold the journal for a moment must not keep the next router from the folder.
            bound.value.core?.journal.release()
            release()
        }.get()
        try? await group.shutdownGracefully()
    }
}
