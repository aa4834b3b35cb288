import NIOCore
import SMPWire

/// Waits for the end of the TLS handshake, for a limited time, and then gives its place to the handlers of the connection.
final class HandshakeHandler<Connection>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Bytes

    private let timeout: TimeAmount
    private let acknowledgesAtOnce: Bool
    private let open: (any Channel, TLSHandshake) throws -> Connection
    private let completion: (Result<Connection, ConnectionError>) -> Void
    private var timer: Scheduled<Void>?
    private var isOver = false

    /// - Parameters:
    ///   - acknowledgesAtOnce: see ``acknowledgeAtOnce(_:)``.
    ///   - open: adds the handlers of the connection at the end of the pipeline.
    ///   - completion: called once, on the event loop.
    init(
        timeout: TimeAmount, acknowledgesAtOnce: Bool = false, open: @escaping (any Channel, TLSHandshake) throws -> Connection,
        completion: @escaping (Result<Connection, ConnectionError>) -> Void
    ) {
        self.timeout = timeout
        self.acknowledgesAtOnce = acknowledgesAtOnce
        self.open = open
        self.completion = completion
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { startTimer(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        startTimer(context)
        context.fireChannelActive()
    }

    private func startTimer(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
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
        let connection: Connection
        do {
            connection = try open(context.channel, handshake)
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

    private func finish(_ result: Result<Connection, ConnectionError>) {
        guard !isOver else { return }
        isOver = true
        completion(result)
    }
}

extension SMPConnection {
    /// Makes the connection of a channel whose TLS handshake is over. Must be called on the channel's event loop.
    static func open(acknowledgesAtOnce: Bool) -> @Sendable (any Channel, TLSHandshake) throws -> SMPConnection {
        { channel, handshake in
            let connection = SMPConnection(channel: channel, handshake: handshake)
            try channel.pipeline.syncOperations.addHandler(BlockHandler(connection, acknowledgesAtOnce: acknowledgesAtOnce))
            return connection
        }
    }
}
