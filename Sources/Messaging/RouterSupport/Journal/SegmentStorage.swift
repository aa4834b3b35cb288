package import SMPWire
import Synchronization

/// The storage of a journal's segments: on disk, or in memory for routers that need not outlive their process and for
/// tests of disk faults.
package protocol SegmentStorage: Sendable {
    /// Lists the positions at which segments begin, ascending.
    func list() throws(RouterError) -> [UInt64]
    func create(base: UInt64) throws(RouterError) -> any SegmentFile
    func open(base: UInt64) throws(RouterError) -> any SegmentFile
    /// Removes a segment; its open files remain readable.
    func remove(base: UInt64) throws(RouterError)
    /// Reads the stored extent of the journal; nil if there is none.
    func extent() throws(RouterError) -> JournalExtent?
    /// Stores the journal's extent apart from the segments, so that the loss of a segment is noticed.
    func keep(_ extent: JournalExtent) throws(RouterError)
    /// Returns the name of a segment for errors.
    func describe(base: UInt64) -> String
    /// Releases the segments for others. Nothing is written afterwards.
    func release()
}

extension SegmentStorage {
    package func extent() throws(RouterError) -> JournalExtent? { nil }
    package func keep(_ extent: JournalExtent) throws(RouterError) {}
    package func describe(base: UInt64) -> String { "the journal segment \(base)" }
    package func release() {}
}

/// One file of a journal. Appending is for one thread at a time, reading for any.
package protocol SegmentFile: AnyObject, Sendable {
    /// Bytes in the file.
    var size: Int { get }
    func append(_ bytes: Bytes) throws(RouterError)
    /// Writes the present bytes at an offset again, so that they are flushed again. Concurrent readers see no difference.
    func rewrite(_ bytes: Bytes, at offset: Int) throws(RouterError)
    /// Reads up to `count` bytes; fewer only at the end of the file.
    func read(at offset: Int, count: Int) throws(RouterError) -> Bytes
    /// Returns when all that was appended survives a loss of power.
    func synchronize() throws(RouterError)
    func truncate(to size: Int) throws(RouterError)
}

/// Segments in memory.
package final class MemoryStorage: SegmentStorage {
    private let files: Mutex<[UInt64: MemoryFile]>

    /// - Parameter contents: the existing segments.
    package init(_ contents: [UInt64: Bytes] = [:]) { files = Mutex(contents.mapValues { MemoryFile($0) }) }

    /// The bytes of the segments.
    var contents: [UInt64: Bytes] { files.withLock { $0.mapValues(\.bytes) } }

    package func list() -> [UInt64] { files.withLock { $0.keys.sorted() } }

    package func create(base: UInt64) -> any SegmentFile {
        let file = MemoryFile()
        files.withLock { $0[base] = file }
        return file
    }

    package func open(base: UInt64) throws(RouterError) -> any SegmentFile {
        guard let file = files.withLock({ $0[base] }) else { throw RouterError(.storage, "there is no segment \(base)") }
        return file
    }

    package func remove(base: UInt64) { files.withLock { _ = $0.removeValue(forKey: base) } }
}

final class MemoryFile: SegmentFile {
    private let content: Mutex<Bytes>

    init(_ bytes: Bytes = []) { content = Mutex(bytes) }

    var bytes: Bytes { content.withLock { $0 } }
    var size: Int { content.withLock { $0.count } }

    func append(_ bytes: Bytes) { content.withLock { $0 += bytes } }

    func rewrite(_ bytes: Bytes, at offset: Int) {
        content.withLock { $0.replaceSubrange(offset..<offset + bytes.count, with: bytes) }
    }

    func read(at offset: Int, count: Int) -> Bytes {
        content.withLock { bytes in
            guard offset < bytes.count else { return [] }
            return Bytes(bytes[offset..<min(bytes.count, offset + count)])
        }
    }

    func synchronize() {}

    func truncate(to size: Int) { content.withLock { $0.removeLast(max(0, $0.count - size)) } }
}
