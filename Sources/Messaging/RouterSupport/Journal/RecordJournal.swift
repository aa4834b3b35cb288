package import SMPWire
import Synchronization
import SystemSupport

/// The append-only log of a router: appended records are collected and made durable together.
///
/// Positions are logical: bytes of records since the journal was created, regardless of the segment.
package final class RecordJournal<Record: JournalEntry>: Sendable {
    package typealias Scanner = RecordScanner<Record>

    struct Segment {
        let base: UInt64
        let file: any SegmentFile
        var isEmpty: Bool { file.size <= SegmentHeader.length }
    }

    struct State {
        var segments: [Segment]
        var pending: Bytes = []
        /// Written bytes, whose memory is used again.
        var spare: Bytes = []
        var pendingMustBeSynchronized = false
        /// The position of the next record.
        var end: UInt64
        /// The end of the last record that must survive a loss of power.
        var promised: UInt64 = 0
        var batch: UInt64
        var isFirst = true
        /// Segments that could neither be created completely nor removed: nothing was written to them. They are removed before the
        /// segments ahead of them, which prove that nothing is missing.
        var abandoned: Set<UInt64> = []
    }

    /// Bytes of memory kept for the next records.
    private static var spareLimit: Int { 1 << 20 }
    /// The limit of bytes kept in memory because they are written and not synchronized; at the limit they are synchronized, whatever the policy.
    private static var unsynchronizedLimit: Int { 2 << 20 }

    /// A batch that has left the memory of the state, but is not known to be on the disk. It is written again after a failure of the disk:
    /// after a failed synchronization, it is unknown which parts of the batch the kernel has dropped.
    private struct Writing {
        /// Bytes that are written to the last segment and not synchronized.
        var unsynchronized: [Bytes] = []
        var unsynchronizedCount = 0
        /// Records that could not be written; they are written before all others.
        var unwritten: Taken?
        /// True if a record of the batch must survive a loss of power before its command is answered.
        var mustBeSynchronized = false
        var isSynchronizing = false
        /// True if the disk has refused something since the last synchronization.
        var hasFailed = false
    }

    private let storage: any SegmentStorage
    private let durability: Durability
    private let segmentSize: Int
    let state: Mutex<State>
    /// The state of writing, locked while writing, so that records are written in the order in which they are taken.
    private let writing = Mutex(Writing())
    private let trouble = Mutex<RouterError?>(nil)
    private let writtenEnd: Atomic<UInt64>
    private let synchronizedEnd: Atomic<UInt64>
    private let durableEnd: Atomic<UInt64>
    /// The extent that was stored last; locked while it is stored.
    private let kept: Mutex<JournalExtent?>

    /// The number of bytes cut off the end of the journal when it was opened. They belong to commands that were never answered.
    package let discardedTail: Int

    /// Releases the journal for another router. Must be called after the last commit.
    package func release() { storage.release() }

    init(
        _ storage: any SegmentStorage, _ durability: Durability, segmentSize: Int, segments: [Segment], end: UInt64,
        batch: UInt64, discardedTail: Int, kept: JournalExtent? = nil
    ) {
        self.storage = storage
        self.durability = durability
        self.segmentSize = segmentSize
        self.discardedTail = discardedTail
        state = Mutex(State(segments: segments, end: end, batch: batch))
        writtenEnd = Atomic(end)
        synchronizedEnd = Atomic(end)
        durableEnd = Atomic(end)
        self.kept = Mutex(kept)
    }

    static func makeSegment(in storage: any SegmentStorage, base: UInt64) throws(RouterError) -> Segment {
        let file = try storage.create(base: base)
        try file.append(SegmentHeader.bytes(base: base))
        try file.synchronize()
        return Segment(base: base, file: file)
    }

    /// Begins a new segment for the records written from here on.
    ///
    /// - Parameter base: the position after all written bytes.
    private func addSegment(_ base: UInt64) throws(RouterError) -> Segment {
        let segment = try Self.makeSegment(in: storage, base: base)
        state.withLock { state in
            state.abandoned.remove(base)
            state.segments.append(segment)
        }
        return segment
    }

    // MARK: Appending

    /// Adds a record. After a ``commit(flush:)`` it is durable when its end is not above ``synchronized``.
    package func append(_ record: Record, body: Bytes = []) -> LogRange {
        state.withLock { state in
            let count = RecordFrame.append(
                record, body: body, batch: state.batch, isFirst: state.isFirst, to: &state.pending)
            state.isFirst = false
            state.pendingMustBeSynchronized = state.pendingMustBeSynchronized || record.mustBeSynchronized
            let start = state.end
            state.end += UInt64(count)
            if record.mustBeSynchronized { state.promised = state.end }
            return LogRange(start: start, end: state.end)
        }
    }

    /// Bytes that wait for a ``commit(flush:)``.
    package var pendingCount: Int { state.withLock { $0.pending.count } }

    /// The position of the next record.
    package var end: UInt64 { state.withLock { $0.end } }
    /// The end of the last record that must survive a loss of power; 0 if none was appended.
    package var promised: UInt64 { state.withLock { $0.promised } }
    /// The position below which everything has reached the kernel.
    package var written: UInt64 { writtenEnd.load(ordering: .acquiring) }
    /// The position below which everything is as durable as the journal promises.
    package var synchronized: UInt64 { synchronizedEnd.load(ordering: .acquiring) }

    /// The position below which everything survives a loss of power, whatever the journal promises.
    package var durable: UInt64 { durableEnd.load(ordering: .acquiring) }

    /// Stores an extent apart from the segments, unless it is the stored one.
    func keep(_ extent: JournalExtent) throws(RouterError) {
        let result = kept.withLock { kept in
            Result { () throws(RouterError) in
                guard kept != extent else { return }
                try storage.keep(extent)
                kept = extent
            }
        }
        try result.get()
    }

    /// The reason why the disk refused the last commit. It becomes nil before any later record counts as durable.
    package var failure: RouterError? { trouble.withLock { $0 } }

    /// Writes the appended records, if no flush and no new segment is needed: cheap enough for an event loop.
    ///
    /// - Returns: false if a ``commit(flush:)`` is needed.
    package func writeIfThatIsEnough() -> Bool {
        writing.withLock { writing in
            // Nothing may follow a batch that is still being synchronized: see ``RecordFrame/isFirst``.
            guard !writing.isSynchronizing, !writing.hasFailed, writing.unsynchronizedCount < Self.unsynchronizedLimit else {
                return false
            }
            let taken = state.withLock { state -> Taken? in
                guard durability != .always || !state.pendingMustBeSynchronized, let segment = state.segments.last,
                    segment.file.size < segmentSize
                else { return nil }
                return take(&state, segment, endsBatch: false)
            }
            guard let taken else { return false }
            return (try? put(taken, &writing)) != nil
        }
    }

    /// Makes the appended records durable. Blocks; not for two threads at once.
    ///
    /// A failed batch is kept, nothing after it is written, and the next call writes it again.
    ///
    /// - Parameter flush: whether to synchronize whatever the policy says.
    /// - Throws: ``RouterError`` `storage`.
    package func commit(flush: Bool = false) throws(RouterError) {
        do throws(RouterError) {
            try tryToCommit(flush: flush)
        } catch {
            trouble.withLock { $0 = error }
            throw error
        }
    }

    private func tryToCommit(flush: Bool) throws(RouterError) {
        let result = writing.withLock { writing in
            Result { () throws(RouterError) -> (Segment, UInt64)? in
                do throws(RouterError) {
                    return try writeForCommit(&writing, flush: flush)
                } catch {
                    writing.hasFailed = true
                    throw error
                }
            }
        }
        guard let (segment, end) = try result.get() else { return }
        do throws(RouterError) {
            FailPoint.journalSynchronize.pass()
            try segment.file.synchronize()
            FailPoint.journalSynchronized.pass()
        } catch {
            writing.withLock { writing in
                writing.isSynchronizing = false
                writing.hasFailed = true
            }
            throw error
        }
        writing.withLock { writing in
            forgetSynchronized(&writing)
            writing.isSynchronizing = false
            recover(&writing)
        }
        synchronizedEnd.store(end, ordering: .releasing)
        durableEnd.store(end, ordering: .releasing)
    }

    /// Writes the appended records, to a new segment if the last is full.
    ///
    /// - Returns: the segment to synchronize, and the position up to which that makes the journal durable; nil if that is not needed.
    private func writeForCommit(_ writing: inout Writing, flush: Bool) throws(RouterError) -> (Segment, UInt64)? {
        if writing.hasFailed { try writeAgain(&writing) }
        var isDue = flush || writing.hasFailed || writing.unsynchronizedCount >= Self.unsynchronizedLimit
        let taken = state.withLock { state -> Taken? in
            guard let segment = state.segments.last else { return nil }
            isDue = isDue || durability == .always && (state.pendingMustBeSynchronized || writing.mustBeSynchronized)
            // The refused bytes were the end of their batch: nothing may follow them before they are on disk.
            return writing.hasFailed ? nil : take(&state, segment, endsBatch: isDue)
        }
        if var taken {
            if !taken.bytes.isEmpty, taken.segment.file.size >= segmentSize {
                do throws(RouterError) {
                    try taken.segment.file.synchronize()
                    forgetSynchronized(&writing)
                    taken.segment = try addSegment(taken.end - UInt64(taken.bytes.count))
                } catch {
                    writing.unwritten = taken
                    throw error
                }
            }
            try put(taken, &writing)
        }
        guard isDue, writing.unsynchronizedCount > 0, let segment = state.withLock({ $0.segments.last }) else {
            if writing.unsynchronizedCount == 0 { recover(&writing) }
            return nil
        }
        writing.isSynchronizing = true
        return (segment, written)
    }

    /// Writes the bytes that are not known to be on the disk again.
    private func writeAgain(_ writing: inout Writing) throws(RouterError) {
        guard var segment = state.withLock({ $0.segments.last }) else { return }
        var offset = Int(written - UInt64(writing.unsynchronizedCount) - segment.base) + SegmentHeader.length
        for bytes in writing.unsynchronized {
            try segment.file.rewrite(bytes, at: offset)
            offset += bytes.count
        }
        guard let unwritten = writing.unwritten else { return }
        if segment.file.size >= segmentSize {
            try segment.file.synchronize()
            forgetSynchronized(&writing)
            segment = try addSegment(unwritten.end - UInt64(unwritten.bytes.count))
        }
        writing.unwritten = nil
        try put(
            Taken(bytes: unwritten.bytes, end: unwritten.end, mustBeSynchronized: unwritten.mustBeSynchronized, segment: segment),
            &writing)
    }

    /// Ends the failure: no refused bytes are left.
    private func recover(_ writing: inout Writing) {
        guard writing.hasFailed else { return }
        writing.hasFailed = false
        trouble.withLock { $0 = nil }
    }

    private func forgetSynchronized(_ writing: inout Writing) {
        // The memory of one of the buffers is used again.
        if var spare = writing.unsynchronized.popLast(), spare.capacity <= Self.spareLimit {
            writing.unsynchronized = []
            spare.removeAll(keepingCapacity: true)
            state.withLock { [spare] in $0.spare = spare }
        }
        writing.unsynchronized = []
        writing.unsynchronizedCount = 0
        writing.mustBeSynchronized = false
    }

    /// The records that are written next.
    private struct Taken {
        var bytes: Bytes
        var end: UInt64
        var mustBeSynchronized: Bool
        var segment: Segment
    }

    /// - Parameter endsBatch: whether later records are written only when these are on disk.
    private func take(_ state: inout State, _ segment: Segment, endsBatch: Bool) -> Taken {
        let taken = Taken(
            bytes: state.pending, end: state.end, mustBeSynchronized: state.pendingMustBeSynchronized, segment: segment)
        state.pending = state.spare
        state.spare = []
        state.pendingMustBeSynchronized = false
        if endsBatch {
            state.batch += 1
            state.isFirst = true
        }
        return taken
    }

    private func put(_ taken: Taken, _ writing: inout Writing) throws(RouterError) {
        guard !taken.bytes.isEmpty else { return }
        do throws(RouterError) {
            FailPoint.journalWrite.pass()
            try taken.segment.file.append(taken.bytes)
            FailPoint.journalWritten.pass()
        } catch {
            writing.unwritten = taken
            writing.hasFailed = true
            throw error
        }
        writing.unsynchronized.append(taken.bytes)
        writing.unsynchronizedCount += taken.bytes.count
        writing.mustBeSynchronized = writing.mustBeSynchronized || taken.mustBeSynchronized
        if writing.hasFailed, durability != .always { trouble.withLock { $0 = nil } }
        writtenEnd.store(taken.end, ordering: .releasing)
        if durability != .always { synchronizedEnd.store(taken.end, ordering: .releasing) }
    }

    // MARK: Clearing

    /// Bytes in all segments.
    package var size: Int {
        state.withLock { state in state.segments.reduce(state.pending.count) { $0 + $1.file.size } }
    }

    /// Begins a new segment for the records appended from now on. Not while another thread commits.
    ///
    /// - Returns: the position at which it begins.
    /// - Throws: ``RouterError`` `storage`.
    package func beginSegment() throws(RouterError) -> UInt64 {
        try commit(flush: true)
        let result = writing.withLock { writing in
            Result { () throws(RouterError) -> UInt64 in
                guard !writing.hasFailed, writing.unsynchronizedCount == 0 else {
                    throw RouterError(.storage, "the disk has not accepted all records of the journal")
                }
                guard let last = state.withLock({ $0.segments.last }), !last.isEmpty else { return written }
                do throws(RouterError) {
                    return try addSegment(written).base
                } catch {
                    // The previous segment continues, beyond the position at which the new one would have begun.
                    do throws(RouterError) { try storage.remove(base: written) } catch { state.withLock { _ = $0.abandoned.insert(written) } }
                    throw error
                }
            }
        }
        return try result.get()
    }

    /// Begins a walk over the oldest segment; nil if that is the one being written.
    package func oldestSegment() throws(RouterError) -> Scanner? {
        guard let segment = state.withLock({ $0.segments.count > 1 ? $0.segments[0] : nil }) else { return nil }
        return try Scanner(base: segment.base, file: segment.file)
    }

    /// Removes the oldest segment, which must contain no needed records. If its file cannot be removed, it stays the oldest: removing a
    /// later one before it would leave a gap that looks like a loss.
    package func removeOldestSegment() throws(RouterError) {
        guard let (base, next) = state.withLock({ $0.segments.count > 1 ? ($0.segments[0].base, $0.segments[1].base) : nil }) else { return }
        // Before the removal: otherwise the segment would be reported as missing.
        try keep(JournalExtent(start: next, end: max(next, durable)))
        while let base = state.withLock({ $0.abandoned.first }) {
            try storage.remove(base: base)
            state.withLock { _ = $0.abandoned.remove(base) }
        }
        try storage.remove(base: base)
        state.withLock { state in state.segments.removeAll { $0.base == base } }
    }
}
