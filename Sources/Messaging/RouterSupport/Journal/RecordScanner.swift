package import SMPWire

/// A walk over the records of a segment that reads headers and attributes and skips bodies.
package struct RecordScanner<Record: JournalEntry> {
    package struct Item: Sendable {
        /// Bytes of the body.
        package var bodyLength: Int { frame.bodyLength }
        var frame: RecordFrame
        package var record: Record
        /// The bytes of the record.
        package var attributes: Bytes
        package var range: LogRange
    }

    /// The highest position at which a segment may begin: positions after it can still be counted.
    private static var largestBase: UInt64 { 1 << 62 }
    private static var windowLength: Int { 8192 }
    /// The window where records follow closely: many are read at a time.
    private static var longWindowLength: Int { 256 << 10 }

    package let base: UInt64
    let file: any SegmentFile
    private let size: Int
    /// Bytes from the start of the file to the next record.
    private(set) var offset: Int
    private var window: Bytes = []
    private var windowOffset = 0
    private var readAhead = Self.windowLength

    /// - Throws: ``RouterError`` if the segment's header is damaged.
    init(base: UInt64, file: any SegmentFile) throws(RouterError) {
        guard base <= Self.largestBase else { throw RouterError(.corrupted, "journal segment \(base) begins beyond the largest possible position") }
        self.base = base
        self.file = file
        size = file.size
        offset = SegmentHeader.length
        try SegmentHeader.check(try file.read(at: 0, count: SegmentHeader.length), base: base)
    }

    package var isAtEnd: Bool { offset >= size }
    /// The logical position of the next record.
    package var position: UInt64 { base + UInt64(offset - SegmentHeader.length) }

    /// Reads the next record; nil if there is no complete record here.
    package mutating func next() throws(RouterError) -> Item? {
        guard let frame = try frame(at: offset), offset + frame.count <= size else { return nil }
        let attributesOffset = offset + RecordFrame.headerLength
        let attributes = Bytes(try bytes(at: attributesOffset, count: frame.attributesLength))
        guard let record = try? Record(code: frame.code, attributes) else { return nil }
        let start = position
        offset += frame.count
        // Bodies are skipped: reading them would be useless.
        readAhead = frame.bodyLength > Self.windowLength / 4 ? Self.windowLength : Self.longWindowLength
        return Item(frame: frame, record: record, attributes: attributes, range: LogRange(start: start, end: position))
    }

    /// Goes back to the end of the remaining part of the segment.
    mutating func rewind(to offset: Int) { self.offset = offset }

    /// Reads the body of a record that ``next()`` returned; nil if it is damaged.
    package func body(of item: Item) throws(RouterError) -> Bytes? {
        let start = Int(item.range.start - base) + SegmentHeader.length + RecordFrame.headerLength + item.frame.attributesLength
        let body = try file.read(at: start, count: item.frame.bodyLength)
        return body.count == item.frame.bodyLength && Checksum.of(body) == item.frame.bodyChecksum ? body : nil
    }

    /// Finds complete records anywhere after the present offset.
    mutating func framesBehind() throws(RouterError) -> [RecordFrame] {
        var frames: [RecordFrame] = []
        var candidate = offset + 1
        while candidate + RecordFrame.headerLength <= size {
            let head = try bytes(at: candidate, count: min(Self.windowLength, size - candidate))
            guard let index = Self.indexOfMagic(head) else {
                candidate += max(1, head.count - 3)
                continue
            }
            candidate += index
            if let frame = try frame(at: candidate), candidate + frame.count <= size {
                frames.append(frame)
                candidate += frame.count
            } else {
                candidate += 1
            }
        }
        return frames
    }

    private static func indexOfMagic(_ bytes: Bytes.SubSequence) -> Int? {
        let magic = withUnsafeBytes(of: RecordFrame.magic.littleEndian) { Bytes($0) }
        guard bytes.count >= 4 else { return nil }
        for index in bytes.startIndex...bytes.endIndex - 4
        where bytes[index] == magic[0] && bytes[index..<index + 4].elementsEqual(magic) {
            return index - bytes.startIndex
        }
        return nil
    }

    private mutating func frame(at offset: Int) throws(RouterError) -> RecordFrame? {
        let available = size - offset
        guard available >= RecordFrame.headerLength else { return nil }
        if let frame = RecordFrame(try bytes(at: offset, count: min(Self.windowLength / 2, available))) { return frame }
        // Attributes longer than a window are rare: a queue with many recipient keys.
        let longest = RecordFrame.headerLength + RecordFrame.maximumAttributes
        guard available > Self.windowLength / 2 else { return nil }
        return RecordFrame(try bytes(at: offset, count: min(longest, available)))
    }

    private mutating func bytes(at offset: Int, count: Int) throws(RouterError) -> Bytes.SubSequence {
        if offset < windowOffset || offset + count > windowOffset + window.count {
            window = try file.read(at: offset, count: max(count, readAhead))
            windowOffset = offset
        }
        let start = offset - windowOffset
        return window[start..<min(window.count, start + count)]
    }
}
