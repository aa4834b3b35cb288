import SMPWire
import Synchronization

@testable import SMPServer

/// A disk of a router. A loss of power takes what was not synchronized, in part or whole; in bad times writes are refused, and a
/// synchronization that is refused has dropped what it was for.
final class SimulatedDisk: SegmentStorage {
    private struct Segment {
        /// As the process sees it.
        var present = Bytes()
        /// As the disk has it.
        var durable = Bytes()
        /// What was written since the last synchronization.
        var dirty: [Range<Int>] = []
    }

    private let segments = Mutex<[UInt64: Segment]>([:])
    /// Whether an operation fails, asked before each.
    let fails: @Sendable () -> Bool

    init(fails: @escaping @Sendable () -> Bool) { self.fails = fails }

    func list() -> [UInt64] { segments.withLock { $0.keys.sorted() } }

    func create(base: UInt64) throws(RouterError) -> any SegmentFile {
        try check()
        segments.withLock { $0[base] = Segment() }
        return File(base, self)
    }

    func open(base: UInt64) throws(RouterError) -> any SegmentFile { File(base, self) }

    func remove(base: UInt64) throws(RouterError) {
        try check()
        segments.withLock { _ = $0.removeValue(forKey: base) }
    }

    /// The power fails: of the bytes at a segment's end that were not synchronized, so many are kept.
    func loseWhatIsNotDurable(keeping kept: (Int) -> Int) {
        segments.withLock { segments in
            for (base, segment) in segments.sorted(by: { $0.key < $1.key }) {
                var left = segment.durable
                let volatile = segment.present.count - left.count
                if volatile > 0 { left += segment.present[left.count..<left.count + kept(volatile)] }
                segments[base] = Segment(present: left, durable: left)
            }
        }
    }

    private func check() throws(RouterError) { if fails() { throw RouterError(.storage, "the disk is in bad times") } }

    private func change<Result>(_ base: UInt64, _ body: (inout Segment) -> Result) -> Result {
        segments.withLock { body(&$0[base, default: Segment()]) }
    }

    private final class File: SegmentFile {
        let base: UInt64
        let disk: SimulatedDisk

        init(_ base: UInt64, _ disk: SimulatedDisk) {
            self.base = base
            self.disk = disk
        }

        var size: Int { disk.change(base) { $0.present.count } }

        func append(_ bytes: Bytes) throws(RouterError) {
            try disk.check()
            disk.change(base) { segment in
                segment.dirty.append(segment.present.count..<segment.present.count + bytes.count)
                segment.present += bytes
            }
        }

        func rewrite(_ bytes: Bytes, at offset: Int) throws(RouterError) {
            try disk.check()
            disk.change(base) { segment in
                segment.dirty.append(offset..<offset + bytes.count)
                segment.present.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            }
        }

        func read(at offset: Int, count: Int) -> Bytes {
            disk.change(base) { segment in
                guard offset < segment.present.count else { return [] }
                return Bytes(segment.present[offset..<min(segment.present.count, offset + count)])
            }
        }

        func synchronize() throws(RouterError) {
            let isFailing = disk.fails()
            disk.change(base) { segment in
                defer { segment.dirty = [] }
                guard !isFailing else { return }
                for range in segment.dirty {
                    if segment.durable.count < range.upperBound {
                        segment.durable += Bytes(repeating: 0, count: range.upperBound - segment.durable.count)
                    }
                    segment.durable.replaceSubrange(range, with: segment.present[range])
                }
            }
            if isFailing { throw RouterError(.storage, "the disk is in bad times") }
        }

        func truncate(to size: Int) throws(RouterError) {
            try disk.check()
            disk.change(base) { segment in
                segment.present.removeLast(max(0, segment.present.count - size))
                segment.durable.removeLast(max(0, segment.durable.count - size))
                segment.dirty = segment.dirty.map { min($0.lowerBound, size)..<min($0.upperBound, size) }
            }
        }
    }
}
