import SMPProtocol
import SMPWire

/// 24 bytes of an id, kept without a heap allocation: a router holds hundreds of thousands of them.
struct Identifier: Hashable, Sendable, WireCodable {
    private let a: UInt64
    private let b: UInt64
    private let c: UInt64

    static let count = 24

    /// Creates an id; nil unless there are 24 bytes.
    init?(_ bytes: Bytes) {
        guard bytes.count == Self.count else { return nil }
        self.init(prefix: bytes)
    }

    /// - Precondition: there are at least 24 bytes.
    init(prefix bytes: Bytes) {
        precondition(bytes.count >= Self.count)
        (a, b, c) = bytes.withUnsafeBytes { buffer in
            (
                buffer.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
            )
        }
    }

    init?(_ entity: EntityID) { self.init(entity.bytes) }

    var bytes: Bytes {
        Bytes(unsafeUninitializedCapacity: Self.count) { buffer, initialized in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            raw.storeBytes(of: a, toByteOffset: 0, as: UInt64.self)
            raw.storeBytes(of: b, toByteOffset: 8, as: UInt64.self)
            raw.storeBytes(of: c, toByteOffset: 16, as: UInt64.self)
            initialized = Self.count
        }
    }

    var entity: EntityID { EntityID(bytes) }

    func encode(to writer: inout WireWriter) { writer.write(raw: bytes) }

    init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        guard let identifier = Identifier(try parser.take(Self.count)) else {
            throw WireError(.truncated, "an id of 24 bytes", at: start)
        }
        self = identifier
    }

    /// Ids are random: their own bits spread them well enough. Peers choose few of them, and those are hashes.
    func hash(into hasher: inout Hasher) {
        hasher.combine(a)
        hasher.combine(b)
    }
}
