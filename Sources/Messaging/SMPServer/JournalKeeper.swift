import NIOCore
import NIOPosix
import Synchronization

/// Does on a thread of its own what blocks: makes the journal durable, clears it, and has old messages deleted.
final class JournalKeeper: Sendable {
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
        var onFailure: (@Sendable (RouterError) -> Void)?
        var clearing: SegmentScanner?
        var tasks: [RepeatedTask] = []
    }

    init(_ configuration: RouterConfiguration) {
        self.configuration = configuration
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        loop = group.next()
        bound = .makeBoxSendingValue(Bound(), eventLoop: loop)
    }

    /// - Parameter onFailure: called once when the journal can no longer be written.
    func start(_ core: RouterCore, onFailure: @escaping @Sendable (RouterError) -> Void) {
        let sweep = TimeAmount(configuration.expirySweepInterval)
        loop.execute { [self] in
            bound.value.core = core
            bound.value.onFailure = onFailure
            bound.value.tasks = [
                loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [self] _ in clearIfNeeded() },
                loop.scheduleRepeatedTask(initialDelay: .zero, delay: sweep) { [self] _ in expire(from: 0) },
            ]
        }
    }

    /// Has what was appended made durable soon, together with what is appended until then. From any thread.
    func schedule() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.execute { [self] in commit() }
    }

    private func commit() {
        isScheduled.store(false, ordering: .releasing)
        guard let core = bound.value.core else { return }
        do {
            try core.commit()
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: RouterError) {
        let onFailure = bound.value.onFailure
        release()
        onFailure?(error)
    }

    private func release() {
        for task in bound.value.tasks { task.cancel() }
        bound.value = Bound()
    }

    private func expire(from slot: Int) {
        guard let next = bound.value.core?.expire(from: slot) else { return }
        loop.execute { [self] in expire(from: next) }
    }

    // MARK: Clearing

    private func clearIfNeeded() {
        guard let core = bound.value.core, bound.value.clearing == nil,
            core.needsClearing(above: configuration.clearingThreshold)
        else { return }
        do {
            bound.value.clearing = try core.journal.oldestSegment()
            if bound.value.clearing != nil { clear() }
        } catch {
            fail(error)
        }
    }

    /// Copies what is needed of the oldest segment to the end of the journal, and then removes the segment.
    private func clear() {
        guard let core = bound.value.core, var scanner = bound.value.clearing else { return }
        do throws(RouterError) {
            var copied = 0
            var seen = 0
            while !scanner.isAtEnd, copied < Self.clearingStep, seen < 5_000 {
                guard let item = try scanner.next() else {
                    throw RouterError(.corrupted, "the journal is damaged at position \(scanner.position)")
                }
                seen += 1
                guard core.isNeeded(item) else { continue }
                core.keep(item, body: item.frame.bodyLength > 0 ? try scanner.body(of: item) : [])
                copied += item.range.count
            }
            try core.commit()
            if scanner.isAtEnd {
                bound.value.clearing = nil
                try core.journal.removeOldestSegment()
                clearIfNeeded()
            } else {
                bound.value.clearing = scanner
                loop.execute { [self] in clear() }
            }
        } catch {
            fail(error)
        }
    }

    /// Makes durable what is left and ends the thread. A second call returns at once: the thread is gone by then or about to be.
    func stop() async {
        guard !isStopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = try? await loop.submit { [self] in
            commit()
            release()
        }.get()
        try? await group.shutdownGracefully()
    }
}
