internal import CSodium
public import SMPWire

/// Key material: zeroed when the last owner lets go, compared in constant time, never printed.
///
/// It is a reference so that copies of a value that holds a key share one place in memory.
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

    /// Takes bytes over and zeroes the array that held them, if nobody else holds it.
    public convenience init(wiping bytes: consuming Bytes) {
        var taken = consume bytes
        self.init(count: taken.count) { $0.copyBytes(from: taken) }
        SecretBytes.wipe(&taken)
    }

    /// Copies the content of a buffer.
    public convenience init(copying buffer: UnsafeRawBufferPointer) {
        self.init(count: buffer.count) { $0.copyMemory(from: buffer) }
    }

    /// Takes over what `encode` writes, and zeroes the array that it was written to.
    ///
    /// - Parameter capacity: bytes that are reserved: more than that leave copies behind when the array grows.
    public convenience init(reservingCapacity capacity: Int, encoding encode: (inout WireWriter) -> Void) {
        var writer = WireWriter(reservingCapacity: capacity)
        encode(&writer)
        var bytes = writer.finish()
        self.init(bytes)
        SecretBytes.wipe(&bytes)
    }

    /// Reads a value of the bytes' encoding from an array that is zeroed after.
    public func decode<Value>(_ read: (inout WireParser) throws(WireError) -> Value) throws(WireError) -> Value {
        var bytes = bytes
        defer { SecretBytes.wipe(&bytes) }
        return try Self.decode(bytes, read)
    }

    /// The parser is gone when this returns, so that nobody shares the array.
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

    /// Lends the bytes for the time of the call. They must not be kept.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(start: storage, count: count))
    }

    /// Lends the bytes to a C function.
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

    /// Both one after the other.
    public static func + (left: SecretBytes, right: SecretBytes) -> SecretBytes {
        SecretBytes(count: left.count + right.count) { (both: UnsafeMutablePointer<UInt8>) in
            both.update(from: left.storage, count: left.count)
            (both + left.count).update(from: right.storage, count: right.count)
        }
    }

    /// Zeroes an array. A copy that another variable shares stays as it is.
    public static func wipe(_ bytes: inout Bytes) {
        bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { sodium_memzero(start, $0.count) } }
    }

    /// Compares bytes that a peer sent in time that depends on the sizes only.
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
    /// `count` bytes that a C function writes, all of them.
    init(count: Int, writing: (UnsafeMutablePointer<UInt8>) -> Void) {
        self.init(unsafeUninitializedCapacity: Swift.max(count, 1)) { buffer, written in
            if let start = buffer.baseAddress { writing(start) }
            written = count
        }
    }
}
