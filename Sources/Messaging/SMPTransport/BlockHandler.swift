import NIOCore
import SMPWire

/// Cuts the plaintext of a connection into transport blocks and tells its ``SMPConnection`` about everything.
///
/// Added when the TLS handshake is over. It reads only while the connection wants blocks, which is what slows a peer down
/// that sends faster than its blocks are used.
final class BlockHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: SMPConnection
    private var partial = ByteBuffer()
    private var isReading = false
    private var isReadPending = false

    private let acknowledgesAtOnce: Bool

    /// - Parameter acknowledgesAtOnce: see ``acknowledgeAtOnce(_:)``.
    init(_ connection: SMPConnection, acknowledgesAtOnce: Bool = false) {
        self.connection = connection
        self.acknowledgesAtOnce = acknowledgesAtOnce
    }

    func handlerAdded(context: ChannelHandlerContext) { connection.handlerAdded(self, context) }

    func handlerRemoved(context: ChannelHandlerContext) { connection.handlerRemoved() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var input = unwrapInboundIn(data)
        if partial.readableBytes == 0, input.readableBytes % SMPConnection.blockSize == 0 {
            return deliver(from: &input)
        }
        partial.writeBuffer(&input)
        deliver(from: &partial)
        // Keeps nothing of a burst that has passed.
        if partial.readableBytes == 0 { partial = ByteBuffer() }
    }

    private func deliver(from buffer: inout ByteBuffer) {
        while buffer.readableBytes >= SMPConnection.blockSize,
            let block = buffer.readBytes(length: SMPConnection.blockSize)
        {
            connection.received(block)
        }
        buffer.discardReadBytes()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReadPending = false
        if acknowledgesAtOnce { acknowledgeAtOnce(context.channel) }
        connection.receivedAllForNow()
        readIfWanted(context)
    }

    func setReading(_ wanted: Bool, _ context: ChannelHandlerContext) {
        isReading = wanted
        readIfWanted(context)
    }

    private func readIfWanted(_ context: ChannelHandlerContext) {
        guard isReading, !isReadPending else { return }
        isReadPending = true
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection.writabilityChanged(context.channel.isWritable)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let failure: ConnectionError
        if let known = error as? ConnectionError {
            failure =
                known.code == .closed && partial.readableBytes > 0
                ? ConnectionError(.disconnected, "the peer closed the connection in the middle of a block") : known
        } else {
            failure = ConnectionError(.disconnected, "the connection broke", cause: error)
        }
        connection.ended(failure)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.ended(ConnectionError(.closed, "the connection is closed"))
        context.fireChannelInactive()
    }
}
