import COpenSSL
import NIOCore

/// The two ends of the wire as OpenSSL sees it: ciphertext that has arrived and ciphertext that is to leave.
///
/// Unlike OpenSSL's own memory BIO it takes received buffers without copying them and keeps no memory while it is empty.
final class WireBuffers {
    /// Ciphertext from the peer that OpenSSL has not read.
    var inbound = ByteBuffer()
    /// Ciphertext for the peer that has not been written to the socket.
    var outbound = ByteBuffer()
    private let allocator: ByteBufferAllocator

    init(allocator: ByteBufferAllocator) { self.allocator = allocator }

    func append(_ buffer: ByteBuffer) {
        if inbound.readableBytes == 0 {
            inbound = buffer
        } else {
            inbound.writeImmutableBuffer(buffer)
        }
    }

    func releaseReadInbound() {
        if inbound.readableBytes == 0 { inbound = ByteBuffer() }
    }

    func takeOutbound() -> ByteBuffer? {
        guard outbound.readableBytes > 0 else { return nil }
        defer { outbound = ByteBuffer() }
        return outbound
    }

    /// Makes room for several records.
    func reserve(_ count: Int) {
        if outbound.capacity == 0 { outbound = allocator.buffer(capacity: count) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) {
        if outbound.capacity == 0 { outbound = allocator.buffer(capacity: bytes.count) }
        outbound.writeBytes(bytes)
    }

    /// A BIO over these buffers, or nil when there is no memory. It does not keep them alive.
    func makeBIO() -> OpaquePointer? {
        guard let bio = BIO_new(ByteBufferBIOMethod.shared.pointer) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    static func of(_ bio: OpaquePointer?) -> WireBuffers? {
        BIO_get_data(bio).map { Unmanaged<WireBuffers>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// The table of functions that makes ``WireBuffers`` a BIO; one for the process, never changed or freed.
private final class ByteBufferBIOMethod: @unchecked Sendable {
    static let shared = ByteBufferBIOMethod()
    let pointer: OpaquePointer?

    private init() {
        pointer = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "ByteBuffer")
        BIO_meth_set_read(pointer, readFromWire)
        BIO_meth_set_write(pointer, writeToWire)
        BIO_meth_set_ctrl(pointer, controlWire)
    }
}

private func readFromWire(
    _ bio: OpaquePointer?, _ destination: UnsafeMutablePointer<CChar>?, _ length: Int32
) -> Int32 {
    BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
    guard let wire = WireBuffers.of(bio), let destination, length > 0 else { return -1 }
    let count = min(Int(length), wire.inbound.readableBytes)
    guard count > 0 else {
        BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return -1
    }
    let target = UnsafeMutableRawBufferPointer(start: destination, count: count)
    wire.inbound.readWithUnsafeReadableBytes { source in
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source.prefix(count)))
        return count
    }
    return Int32(count)
}

private func writeToWire(_ bio: OpaquePointer?, _ source: UnsafePointer<CChar>?, _ length: Int32) -> Int32 {
    guard let wire = WireBuffers.of(bio), let source, length >= 0 else { return -1 }
    wire.write(UnsafeRawBufferPointer(start: source, count: Int(length)))
    return length
}

private func controlWire(
    _ bio: OpaquePointer?, _ command: Int32, _: Int, _: UnsafeMutableRawPointer?
) -> Int {
    switch command {
    case BIO_CTRL_FLUSH: 1
    case BIO_CTRL_PENDING: WireBuffers.of(bio)?.inbound.readableBytes ?? 0
    default: 0
    }
}
