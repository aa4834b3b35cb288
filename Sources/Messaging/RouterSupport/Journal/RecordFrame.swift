import SMPWire

/// The layout of records in a segment, all numbers little-endian:
///
///     magic 4 | tag 1 | first in its batch 1 | zero 2 | length of attributes 4 | length of body 4 | batch 8 | checksum of body 8 |
///     checksum of all before and of the attributes 8 | attributes | body
///
/// Attributes and body have separate checksums, so that a start need not read the bodies.
struct RecordFrame: Hashable, Sendable {
    static let headerLength = 40
    static let magic: UInt32 = 0x314A_5250
    private static let firstFlag: UInt32 = 0x100
    /// The maximum lengths, which bound the bytes that a damaged length can request.
    static let maximumAttributes = 1 << 16
    static let maximumBody = 1 << 20

    /// The code of the record's kind; not 0.
    var code: UInt8
    var attributesLength: Int
    var bodyLength: Int
    /// The number of the batch, a group of records that were made durable together.
    var batch: UInt64
    /// True if a new batch begins here: everything before it was durable when it was written.
    var isFirst: Bool
    var bodyChecksum: UInt64

    var count: Int { Self.headerLength + attributesLength + bodyLength }

    /// Appends a whole record.
    ///
    /// - Returns: its length.
    @discardableResult
    static func append(
        _ record: some JournalEntry, body: Bytes, batch: UInt64, isFirst: Bool, to bytes: inout Bytes
    ) -> Int {
        var attributes = WireWriter(reservingCapacity: 96)
        record.encode(to: &attributes)
        let start = bytes.count
        append(magic, to: &bytes)
        append(UInt32(record.code) | (isFirst ? firstFlag : 0), to: &bytes)
        append(UInt32(attributes.bytes.count), to: &bytes)
        append(UInt32(body.count), to: &bytes)
        append(batch, to: &bytes)
        append(Checksum.of(body), to: &bytes)
        append(headerChecksum(bytes[start...].withUnsafeBytes { Checksum.of($0) }, attributes.bytes), to: &bytes)
        bytes.append(contentsOf: attributes.bytes)
        bytes.append(contentsOf: body)
        return bytes.count - start
    }

    /// Reads a header and its attributes from the start of `bytes`.
    ///
    /// - Returns: nil if they are not those of a whole, undamaged record.
    init?(_ bytes: Bytes.SubSequence) {
        guard bytes.count >= Self.headerLength else { return nil }
        let number32 = { (offset: Int) in
            bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
        }
        let number64 = { (offset: Int) in
            bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
        }
        guard number32(0) == Self.magic,
            let code = UInt8(exactly: number32(4) & ~Self.firstFlag), code > 0
        else { return nil }
        self.code = code
        isFirst = number32(4) & Self.firstFlag != 0
        attributesLength = Int(number32(8))
        bodyLength = Int(number32(12))
        batch = number64(16)
        bodyChecksum = number64(24)
        guard attributesLength <= Self.maximumAttributes, bodyLength <= Self.maximumBody,
            bytes.count >= Self.headerLength + attributesLength
        else { return nil }
        let header = bytes.prefix(32).withUnsafeBytes { Checksum.of($0) }
        let attributes = Bytes(
            bytes[bytes.startIndex + Self.headerLength..<bytes.startIndex + Self.headerLength + attributesLength])
        guard number64(32) == Self.headerChecksum(header, attributes) else { return nil }
    }

    private static func headerChecksum(_ header: UInt64, _ attributes: Bytes) -> UInt64 {
        // Rotated so that swapped parts do not cancel out.
        (header << 1 | header >> 63) ^ Checksum.of(attributes)
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout Bytes) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
