import NIOCore
import SMPWire

/// Cuts the plaintext of a connection into transport blocks and tells its ``SMPConnection`` about everything.
///
/// Added when the TLS handshake is over. It reads only while the connection wants blocks, which is what slows a peer down
/// that sends faster than its blocks are used.
final class BlockHandler: ChannelInboundHandler {
    typealias InboundIn = Bytes

    private let connection: SMPConnection
    /// The beginning of a block of which more is to come.
    private var partial = Bytes()
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
        let input = unwrapInboundIn(data)
        // A record is as long as a block, and peers put a block into a record.
        if partial.isEmpty, input.count == SMPConnection.blockSize { return connection.received(input) }
        partial += input
        var start = 0
        while partial.count - start >= SMPConnection.blockSize {
            let end = start + SMPConnection.blockSize
            connection.received(Bytes(partial[start..<end]))
            start = end
        }
        // Keeps nothing of a burst that has passed.
        if start > 0 { partial = Bytes(partial[start...]) }
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
                known.code == .closed && !partial.isEmpty
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
