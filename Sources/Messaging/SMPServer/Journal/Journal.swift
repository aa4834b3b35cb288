import RouterSupport

/// The journal of a message router.
typealias Journal = RecordJournal<JournalRecord>

extension Journal {
    /// Opens the journal of a message router, or creates one, and restores the state of its queues.
    ///
    /// - Throws: ``RouterError``, as ``RecordJournal/open(_:durability:segmentSize:apply:)``.
    static func open(
        _ storage: any SegmentStorage, durability: Durability, segmentSize: Int
    ) throws(RouterError) -> (journal: Journal, queues: [JournalReplay.Queue]) {
        var replay = JournalReplay()
        let journal = try open(storage, durability: durability, segmentSize: segmentSize) { replay.apply($0) }
        return (journal, try replay.finish())
    }
}

/// A walk over the records of a message router's segment.
typealias SegmentScanner = RecordScanner<JournalRecord>
