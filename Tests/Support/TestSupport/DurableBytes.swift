/// What of a file a loss of power leaves.
///
/// As Linux has it: a flush that fails drops what was to be flushed, although it can still be read, and the next one succeeds without it. Only
/// what is written again comes to the disk.
package struct DurableBytes: Sendable {
    /// What is on the disk.
    package private(set) var bytes: [UInt8]
    /// What was written and not flushed.
    private var written: [Range<Int>] = []

    package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    package mutating func wrote(_ range: Range<Int>) { written.append(range) }

    /// A flush was refused.
    package mutating func refused() { written = [] }

    /// A flush has succeeded.
    ///
    /// - Parameters:
    ///   - size: of the file now.
    ///   - content: what it holds now in a range, which ends before its end.
    package mutating func flushed(size: Int, _ content: (Range<Int>) throws -> some Collection<UInt8>) rethrows {
        for range in written where range.lowerBound < size {
            let range = range.clamped(to: 0..<size)
            if bytes.count < range.upperBound { bytes += repeatElement(0, count: range.upperBound - bytes.count) }
            bytes.replaceSubrange(range, with: try content(range))
        }
        written = []
        bytes.removeLast(max(0, bytes.count - size))
    }

    /// The disk has got so much of the file's end, which nobody flushed.
    package mutating func keep(_ end: some Sequence<UInt8>) { bytes += end }
}
