import NIOCore
import SMPWire

/// Waits for the end of the TLS handshake, for a limited time, and then gives its place to the connection's blocks.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Bytes

    private let timeout: TimeAmount
    private let acknowledgesAtOnce: Bool
    private let completion: (Result<SMPConnection, ConnectionError>) -> Void
    private var timer: Scheduled<Void>?
    private var isOver = false

    /// - Parameters:
    ///   - acknowledgesAtOnce: see ``acknowledgeAtOnce(_:)``.
    ///   - completion: called once, on the event loop.
    init(timeout: TimeAmount, acknowledgesAtOnce: Bool = false, completion: @escaping (Result<SMPConnection, ConnectionError>) -> Void) {
        self.timeout = timeout
        self.acknowledgesAtOnce = acknowledgesAtOnce
        self.completion = completion
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: timeout) {
            let (handler, context) = bound.value
            handler.fail(context, ConnectionError(.timedOut, "the TLS handshake took too long"))
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        finish(.failure(ConnectionError(.closed, "the connection was closed in the TLS handshake")))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let handshake = event as? TLSHandshake, !isOver else {
            return context.fireUserInboundEventTriggered(event)
        }
        let connection = SMPConnection(channel: context.channel, handshake: handshake)
        do {
            try context.pipeline.syncOperations.addHandler(
                BlockHandler(connection, acknowledgesAtOnce: acknowledgesAtOnce), position: .after(self))
        } catch {
            return fail(context, ConnectionError(.closed, "the connection was closed in the TLS handshake", cause: error))
        }
        timer?.cancel()
        if acknowledgesAtOnce { acknowledgeAtOnce(context.channel) }
        finish(.success(connection))
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isOver else { return context.fireErrorCaught(error) }
        fail(context, error as? ConnectionError ?? ConnectionError(.disconnected, "the connection broke", cause: error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(context, ConnectionError(.disconnected, "the peer went away in the TLS handshake"))
        context.fireChannelInactive()
    }

    private func fail(_ context: ChannelHandlerContext, _ error: ConnectionError) {
        guard !isOver else { return }
        timer?.cancel()
        finish(.failure(error))
        context.close(promise: nil)
    }

    private func finish(_ result: Result<SMPConnection, ConnectionError>) {
        guard !isOver else { return }
        isOver = true
        completion(result)
    }
}
