package import SMPWire
import Synchronization

// Reading the bodies of records.

extension RecordJournal {
    /// Reads the body of a record that clearing may have moved meanwhile.
    ///
    /// The old position is read first, because the copy may not be written yet; if the old position is gone, the current one is read.
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

    /// Reads the body of a written record.
    ///
    /// - Throws: ``RouterError`` `corrupted` if the record is damaged, `storage` if it cannot be read.
    package func body(at range: LogRange) throws(RouterError) -> Bytes {
        // A record that is not written yet is not damaged; the caller would give up a damaged one.
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
