internal import CSodium
public import SMPWire

/// Key material: zeroed when the last reference ends, compared in constant time, never printed.
///
/// A reference type, so that copies of a value with a key share one place in memory.
public final class SecretBytes: @unchecked Sendable, Equatable {
    // Written only in `init`, before the object is shared. Never of size 0, so that it always has an address for C.
    private let storage: UnsafeMutablePointer<UInt8>

    /// The number of bytes.
    public let count: Int

    /// Allocates `count` zero bytes and lets `fill` write them.
    public init<Failure: Error>(
        count: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        self.count = count
        storage = .allocate(capacity: max(count, 1))
        storage.initialize(repeating: 0, count: max(count, 1))
        try fill(UnsafeMutableRawBufferPointer(start: storage, count: count))
    }

    /// Allocates `count` zero bytes and lets a C function write them.
    convenience init(count: Int, writing: (UnsafeMutablePointer<UInt8>) -> Void) {
        self.init(count: count) { (_: UnsafeMutableRawBufferPointer) in }
        writing(storage)
    }

    /// Copies bytes. The caller's copy is not zeroed.
    public convenience init(_ bytes: Bytes) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Copies bytes and zeroes their array, unless another variable shares it.
    public convenience init(wiping bytes: consuming Bytes) {
        var taken = consume bytes
        self.init(count: taken.count) { $0.copyBytes(from: taken) }
        SecretBytes.wipe(&taken)
    }

    /// Copies the content of a buffer.
    public convenience init(copying buffer: UnsafeRawBufferPointer) {
        self.init(count: buffer.count) { $0.copyMemory(from: buffer) }
    }

    /// Copies the bytes that `encode` writes, and zeroes the array that they were written to.
    ///
    /// - Parameter capacity: the number of reserved bytes. If more are written, the growing array leaves copies behind.
    public convenience init(reservingCapacity capacity: Int, encoding encode: (inout WireWriter) -> Void) {
        var writer = WireWriter(reservingCapacity: capacity)
        encode(&writer)
        var bytes = writer.finish()
        self.init(bytes)
        SecretBytes.wipe(&bytes)
    }

    /// Decodes a value from the bytes, through an array that is zeroed afterwards.
    public func decode<Value>(_ read: (inout WireParser) throws(WireError) -> Value) throws(WireError) -> Value {
        var bytes = bytes
        defer { SecretBytes.wipe(&bytes) }
        return try Self.decode(bytes, read)
    }

    /// Decodes a value. The parser ends with this call, so that nothing shares the array afterwards.
    private static func decode<Value>(
        _ bytes: Bytes, _ read: (inout WireParser) throws(WireError) -> Value
    ) throws(WireError) -> Value {
        var parser = WireParser(bytes)
        return try read(&parser)
    }

    deinit {
        sodium_memzero(storage, count)
        storage.deallocate()
    }

    /// Calls `body` with the bytes, which must not be used after the call.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(start: storage, count: count))
    }

    /// Calls a C function with the bytes.
    func withPointer<Result: ~Copyable>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        defer { withExtendedLifetime(self) {} }
        return body(UnsafePointer(storage))
    }

    /// A copy of the bytes. Nothing zeroes the copy.
    public var bytes: Bytes { withBytes { Bytes($0) } }

    /// A copy of some of the bytes.
    ///
    /// - Precondition: the range lies within the bytes.
    public subscript(range: Range<Int>) -> SecretBytes {
        withBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Compares in time that depends on the sizes only.
    public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.count == right.count && sodium_memcmp(left.storage, right.storage, left.count) == 0
    }

    /// Concatenates the bytes of both.
    public static func + (left: SecretBytes, right: SecretBytes) -> SecretBytes {
        SecretBytes(count: left.count + right.count) { (both: UnsafeMutablePointer<UInt8>) in
            both.update(from: left.storage, count: left.count)
            (both + left.count).update(from: right.storage, count: right.count)
        }
    }

    /// Zeroes an array. The copy of another variable stays unchanged.
    public static func wipe(_ bytes: inout Bytes) {
        bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { sodium_memzero(start, $0.count) } }
    }

    /// Compares bytes of a peer in time that depends on the sizes only.
    public static func areEqual(_ left: Bytes, _ right: Bytes) -> Bool {
        left.count == right.count && sodium_memcmp(left, right, left.count) == 0
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A textual form, for messages and logs.
    public var description: String { "(\(count) secret bytes)" }
    /// A textual form for debugging.
    public var debugDescription: String { description }
    /// An empty mirror, so that dumps do not show the bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Bytes {
    /// Creates an array of `count` bytes, all of which a C function writes.
    init(count: Int, writing: (UnsafeMutablePointer<UInt8>) -> Void) {
        self.init(unsafeUninitializedCapacity: Swift.max(count, 1)) { buffer, written in
            if let start = buffer.baseAddress { writing(start) }
            written = count
        }
    }
}
