import NIOCore

/// Passes on what arrives of HTTP/2 so that no buffer ends within the header of a frame (RFC 9113, section 4.1).
///
/// The decoder behind it keeps bodies in copies that are as large as the largest it has made. A header that comes in two buffers makes it double them, and
/// they never shrink: the bodies that wait took four times their size.
final class FrameAligner: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Bytes of a buffer that are passed on at a time: those of a TLS record.
    static let pieceSize = 16_384
    /// The bytes of a header that has not come to its end.
    private var held = ByteBuffer()
    private var framing: HTTP2Framing

    init(isClient: Bool) { framing = HTTP2Framing(isClient: isClient) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var arrived = unwrapInboundIn(data)
        let incomplete = framing.advance(arrived.readableBytesView)
        guard incomplete < held.readableBytes + arrived.readableBytes else {
            held.writeBuffer(&arrived)
            return
        }
        // What is held is complete now: what is not comes after it.
        if held.readableBytes > 0 {
            var joined = context.channel.allocator.buffer(capacity: Self.pieceSize)
            joined.writeBuffer(&held)
            if var start = arrived.readSlice(length: min(Self.pieceSize - joined.readableBytes, arrived.readableBytes - incomplete)) {
                joined.writeBuffer(&start)
            }
            context.fireChannelRead(wrapInboundOut(joined))
        }
        if arrived.readableBytes > incomplete, let whole = arrived.readSlice(length: arrived.readableBytes - incomplete) {
            context.fireChannelRead(wrapInboundOut(whole))
        }
        // Without the rest of its memory.
        held = incomplete > 0 ? ByteBuffer(bytes: arrived.readableBytesView) : ByteBuffer()
    }
}

/// The place in a stream of frames.
struct HTTP2Framing {
    static let headerSize = 9
    /// The bytes that a client sends before its first frame.
    static let prefaceSize = 24

    /// Bytes of the present frame that are still to come after its header.
    private var bodyLeft: Int
    /// Bytes of the present header that have come.
    private var headerCount = 0
    private var length = 0

    /// - Parameter isClient: whether it is the client that reads.
    init(isClient: Bool) { bodyLeft = isClient ? 0 : Self.prefaceSize }

    /// Takes the next bytes.
    ///
    /// - Returns: the bytes at the end that begin a header and do not complete it, those before included.
    mutating func advance(_ bytes: ByteBufferView) -> Int {
        var rest = bytes[...]
        while let byte = rest.first {
            if bodyLeft > 0 {
                let count = min(bodyLeft, rest.count)
                bodyLeft -= count
                rest = rest.dropFirst(count)
                continue
            }
            if headerCount < 3 { length = length << 8 | Int(byte) }
            headerCount += 1
            rest = rest.dropFirst()
            if headerCount == Self.headerSize { (bodyLeft, headerCount, length) = (length, 0, 0) }
        }
        return headerCount
    }
}
