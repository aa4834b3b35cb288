import SMPWire
import Synchronization
import SystemSupport

extension RecordJournal {
    /// Bytes copied at a time.
    private static var copyStep: Int { 1 << 20 }

    /// Copies the written part of the journal into a folder, while writing continues. The copy is on disk when this returns.
    ///
    /// Segments that are cleared meanwhile are copied, too: their files stay open.
    ///
    /// - Throws: ``RouterError`` `storage`.
    package func copy(to folder: String) throws(RouterError) {
        let target = try DiskStorage(folder: folder)
        defer { target.release() }
        // In this order, so that the segments contain all bytes up to the end.
        let end = written
        let segments = state.withLock(\.segments).filter { $0.base < end || $0.base == end && $0.isEmpty }
        for segment in segments {
            let copy = try target.create(base: segment.base)
            let size = min(segment.file.size, Int(clamping: end - segment.base) + SegmentHeader.length)
            var offset = 0
            while offset < size {
                let bytes = try segment.file.read(at: offset, count: min(Self.copyStep, size - offset))
                guard !bytes.isEmpty else { throw RouterError(.storage, "the journal cannot be read at byte \(offset)") }
                try copy.append(bytes)
                offset += bytes.count
            }
            try copy.synchronize()
        }
        guard let first = segments.first else { return }
        try target.keep(JournalExtent(start: first.base, end: max(first.base, end)))
    }
}
