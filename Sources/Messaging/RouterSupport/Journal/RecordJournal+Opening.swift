// Opening a journal: its records are replayed, a torn end is cut off, and the last batch is put on the disk again.

extension RecordJournal {
    /// Opens the journal, or creates one, and replays its records. A torn end is cut off, and the last batch is written to the disk again.
    ///
    /// - Parameter apply: receives the records in their order.
    /// - Throws: ``RouterError``: `storage`, `newerFormat`, or `corrupted` if there is damage that no interruption explains.
    package static func open(
        _ storage: any SegmentStorage, durability: Durability, segmentSize: Int, apply: (Scanner.Item) -> Void
    ) throws(RouterError) -> RecordJournal {
        var segments: [Segment] = []
        var discarded = 0
        var batch: UInt64 = 0
        var end: UInt64?
        var files: [Segment] = []
        for base in try storage.list() { files.append(Segment(base: base, file: try storage.open(base: base))) }
        let known = try storage.extent()
        if let known { try check(files, against: known, in: storage) }
        let last = files.lastIndex { !$0.isEmpty } ?? files.count - 1
        for (index, segment) in files.enumerated() {
            let (base, file) = (segment.base, segment.file)
            let isLast = index == last
            // Its creation was interrupted, or the disk refused its header: nothing was written to it, and the segments ahead of it may have continued. It
            // differs from an emptied segment: the segments ahead of it reach beyond its start, or no records follow it.
            if segment.isEmpty, index >= last || end ?? 0 > base {
                if file.size < SegmentHeader.length { discarded += file.size }
                try storage.remove(base: base)
                continue
            }
            if let end, end != base {
                throw RouterError(.corrupted, "journal segment \(end) is missing or cut short: the next begins at \(base)")
            }
            var scanner = try Scanner(base: base, file: file)
            discarded += try read(&scanner, isLast: isLast, batch: &batch, known: known, in: storage, apply)
            end = scanner.position
            segments.append(segment)
        }
        let start = end ?? files.last?.base ?? 0
        if segments.isEmpty { segments.append(try makeSegment(in: storage, base: start)) }
        let journal = RecordJournal(
            storage, durability, segmentSize: segmentSize, segments: segments, end: start, batch: batch + 1,
            discardedTail: discarded, kept: known)
        try journal.keepExtent()
        return journal
    }

    /// Replays a segment.
    ///
    /// - Returns: bytes cut off its end.
    private static func read(
        _ scanner: inout Scanner, isLast: Bool, batch: inout UInt64, known: JournalExtent?, in storage: any SegmentStorage,
        _ apply: (Scanner.Item) -> Void
    ) throws(RouterError) -> Int {
        var unverified: [Scanner.Item] = []
        let size = scanner.file.size
        while !scanner.isAtEnd {
            guard let item = try scanner.next() else {
                let position = scanner.position
                guard isLast, try scanner.isTorn(after: batch) else {
                    throw RouterError(.corrupted, "the journal is damaged at position \(position) of segment \(scanner.base)")
                }
                if let known, position < known.end { throw shortened(to: position, known, storage.describe(base: scanner.base)) }
                break
            }
            // The number of the next batch must not overflow.
            guard item.frame.batch >= batch, item.frame.batch < .max / 2 else {
                throw RouterError(.corrupted, "the journal is out of order at position \(item.range.start)")
            }
            if item.frame.batch > batch {
                for item in unverified { apply(item) }
                unverified = []
                batch = item.frame.batch
            }
            unverified.append(item)
        }
        var end = scanner.offset
        for item in unverified {
            // Bodies of earlier batches were durable before this one was begun; they are checked when they are delivered.
            if isLast, try scanner.body(of: item) == nil {
                if let known, item.range.start < known.end { throw shortened(to: item.range.start, known, storage.describe(base: scanner.base)) }
                end = Int(item.range.start - scanner.base) + SegmentHeader.length
                break
            }
            apply(item)
        }
        if isLast, let first = unverified.first {
            try rewriteLastBatch(scanner.file, from: Int(first.range.start - scanner.base) + SegmentHeader.length, to: end)
        }
        if end < size { try scanner.file.truncate(to: end) }
        scanner.rewind(to: end)
        return size - end
    }

    /// Writes the last batch to the disk again, because an earlier process may have written it without a confirmed flush. The batches before it were
    /// durable when it was begun.
    ///
    /// Reading it back proves nothing: after a failed flush, the kernel still shows the bytes that it has dropped, and later flushes succeed
    /// without them. Only bytes that are written again reach the disk.
    private static func rewriteLastBatch(_ file: any SegmentFile, from start: Int, to end: Int) throws(RouterError) {
        var offset = start
        while offset < end {
            let bytes = try file.read(at: offset, count: min(rewritingStep, end - offset))
            guard !bytes.isEmpty else { throw RouterError(.storage, "the journal cannot be read at byte \(offset)") }
            try file.rewrite(bytes, at: offset)
            offset += bytes.count
        }
        if end > start { try file.synchronize() }
    }

    /// Bytes written again at a time.
    private static var rewritingStep: Int { 1 << 20 }
}

extension RecordScanner {
    /// Checks whether the bytes here can be the rest of an interrupted write: no record after them is of a batch that was begun when the
    /// damaged batch was durable.
    fileprivate mutating func isTorn(after batch: UInt64) throws(RouterError) -> Bool {
        let behind = try framesBehind()
        return !behind.contains { $0.batch > batch + 1 || $0.batch == batch + 1 && $0.isFirst }
    }
}
