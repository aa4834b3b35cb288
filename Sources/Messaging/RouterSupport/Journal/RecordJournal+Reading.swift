package import SMPWire
import Synchronization

// Reading the bodies of records.

extension RecordJournal {
    /// The body of a record that clearing may have moved meanwhile.
    ///
    /// It is read from where it was, as what it was moved to need not be written yet, and if that is gone from where it is now.
    ///
    /// - Throws: ``RouterError`` `corrupted` if the record is damaged, `storage` if it cannot be read.
    package func body(at position: LogRange, movedTo current: () -> LogRange?) throws(RouterError) -> Bytes {
        do {
            return try body(at: position)
        } catch {
            guard let now = current(), now != position else { throw error }
            return try body(at: now)
        }
    }

    /// The body of a record that was written.
    ///
    /// - Throws: ``RouterError`` `corrupted` if the record is damaged, `storage` if it cannot be read.
    package func body(at range: LogRange) throws(RouterError) -> Bytes {
        // What is still on its way is not damaged: it would be given up.
        guard range.end <= written else { throw RouterError(.storage, "the record at position \(range.start) is not written yet") }
        guard let segment = state.withLock({ state in state.segments.last { $0.base <= range.start } }) else {
            throw RouterError(.storage, "position \(range.start) is before the journal's beginning")
        }
        let offset = Int(range.start - segment.base) + SegmentHeader.length
        let bytes = try segment.file.read(at: offset, count: range.count)
        guard bytes.count == range.count, let frame = RecordFrame(bytes[...]), frame.count == bytes.count else {
            throw RouterError(.corrupted, "the record at position \(range.start) is damaged")
        }
        let body = Bytes(bytes.suffix(frame.bodyLength))
        guard Checksum.of(body) == frame.bodyChecksum else {
            throw RouterError(.corrupted, "the message at position \(range.start) is damaged")
        }
        return body
    }
}
