import SMPWire
import Synchronization

/// The known extent of a journal: where its oldest segment begins, and up to where its records are on disk.
///
/// It is stored apart from the segments. Without it, a journal that has lost its first or its last segments, or the end of the last one, would look
/// like a shorter one.
package struct JournalExtent: Sendable, Hashable {
    /// The name of the file in a router's folder.
    package static let fileName = "journal.extent"
    static let maximumSize = 256
    private static let beginning = "parley journal 1"

    /// The oldest needed segment begins here or before.
    package var start: UInt64
    /// Everything below is on disk.
    package var end: UInt64

    package init(start: UInt64, end: UInt64) {
        self.start = start
        self.end = end
    }

    /// - Returns: nil unless the bytes are a complete and undamaged extent.
    init?(_ bytes: Bytes) {
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == Self.beginning, parts[4].isEmpty, let start = UInt64(parts[1]), let end = UInt64(parts[2]), start <= end,
            Bytes(bytes) == JournalExtent(start: start, end: end).bytes
        else { return nil }
        self.init(start: start, end: end)
    }

    /// The content of the file: a line each for the format, the start, the end and the checksum of these.
    var bytes: Bytes {
        let text = Self.beginning + "\n\(start)\n\(end)\n"
        return Bytes((text + String(Checksum.of(Bytes(text.utf8)), radix: 16) + "\n").utf8)
    }
}

extension RecordJournal {
    /// Refuses a journal with a missing part, before anything in it is changed.
    ///
    /// - Parameters:
    ///   - files: the present segments.
    ///   - known: the stored extent.
    static func check(_ files: [Segment], against known: JournalExtent, in storage: any SegmentStorage) throws(RouterError) {
        guard known.end > known.start else { return }
        let whole = files.filter { !$0.isEmpty }
        guard let first = whole.first, let last = whole.last, first.base <= known.start else {
            let missing = storage.describe(base: known.start)
            throw RouterError(.corrupted, "\(missing) is missing or empty, and the journal had records in it. \(wayOut)")
        }
        let end = last.base + UInt64(max(0, last.file.size - SegmentHeader.length))
        guard end >= known.end else { throw shortened(to: end, known, storage.describe(base: last.base)) }
    }

    /// - Parameter position: the end of the complete records.
    static func shortened(to position: UInt64, _ known: JournalExtent, _ name: String) -> RouterError {
        RouterError(
            .corrupted,
            "the journal ends at position \(position), but reached \(known.end): \(name) is cut short or damaged, or the file after it is missing. \(wayOut)")
    }

    private static var wayOut: String {
        "Restore the folder from a backup. To continue with the remaining files, and lose the rest, remove \(JournalExtent.fileName) beside it"
    }

    /// Stores the present extent, if more is on disk than the stored extent says.
    ///
    /// - Throws: ``RouterError`` `storage`; the previous extent stays in force then.
    package func keepExtent() throws(RouterError) {
        guard let start = state.withLock({ $0.segments.first?.base }) else { return }
        try keep(JournalExtent(start: start, end: max(start, durable)))
    }
}
