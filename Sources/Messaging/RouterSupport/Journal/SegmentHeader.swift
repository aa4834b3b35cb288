import SMPWire

/// The first bytes of a segment: `PARLEYJ` and a zero, format version 4, zero 4, base 8, checksum of these 8.
enum SegmentHeader {
    static let length = 32
    /// 2: queues have services, a last day of use and a reason for being blocked.
    static let formatVersion: UInt32 = 2
    private static let magic = Bytes("PARLEYJ".utf8) + [0]

    static func bytes(base: UInt64, version formatVersion: UInt32 = formatVersion) -> Bytes {
        var bytes = magic
        withUnsafeBytes(of: formatVersion.littleEndian) { bytes.append(contentsOf: $0) }
        bytes += [0, 0, 0, 0]
        withUnsafeBytes(of: base.littleEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: Checksum.of(bytes).littleEndian) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// - Throws: ``RouterError`` `newerFormat` or `corrupted`.
    static func check(_ bytes: Bytes, base: UInt64) throws(RouterError) {
        for version in 1...formatVersion where bytes == Self.bytes(base: base, version: version) { return }
        if bytes.count == length, bytes.starts(with: magic) {
            let version = bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self)) }
            let checksum = bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 24, as: UInt64.self)) }
            if version > formatVersion, checksum == Checksum.of(Bytes(bytes.prefix(24))) {
                throw RouterError(.newerFormat, "the journal was written by a later version (format \(version))")
            }
        }
        throw RouterError(.corrupted, "the header of journal segment \(base) is damaged")
    }
}
