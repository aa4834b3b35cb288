package import NIOCore
import SMPWire

/// Asks a proxy for a connection, and then gives its place to the handlers of that connection. To be added to a channel that is active.
package final class SOCKSHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private var handshake: SOCKSHandshake
    private let timeout: TimeAmount
    private let onFailure: (ConnectionError) -> Void
    private let addHandlers: (any Channel) throws -> Void
    private var timer: Scheduled<Void>?
    private var isOver = false

    /// - Parameters:
    ///   - onFailure: called at most once, on the event loop.
    ///   - addHandlers: adds the handlers of the connection at the end of the pipeline.
    package init(
        _ handshake: SOCKSHandshake, timeout: TimeAmount, onFailure: @escaping (ConnectionError) -> Void,
        addHandlers: @escaping (any Channel) throws -> Void
    ) {
        self.handshake = handshake
        self.timeout = timeout
        self.onFailure = onFailure
        self.addHandlers = addHandlers
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: timeout) {
            let (handler, context) = bound.value
            handler.fail(context, ConnectionError(.timedOut, "the proxy did not answer in time"))
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: handshake.greeting)), promise: nil)
        context.read()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return context.fireChannelRead(data) }
        let buffer = unwrapInboundIn(data)
        switch handshake.receive(Bytes(buffer.readableBytesView)) {
        case .send(let bytes): context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        case .needsMore: break
        case .finished(let rest): finish(context, rest)
        case .failed(let reason): fail(context, ConnectionError(.connectFailed, reason))
        }
    }

    private func finish(_ context: ChannelHandlerContext, _ rest: Bytes) {
        isOver = true
        timer?.cancel()
        do {
            // The channel is active already: the TLS handler starts when it is added.
            try addHandlers(context.channel)
        } catch {
            onFailure(ConnectionError(.tlsFailed, "TLS could not be started", cause: error))
            return context.close(promise: nil)
        }
        if !rest.isEmpty { context.fireChannelRead(NIOAny(ByteBuffer(bytes: rest))) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if !isOver { context.read() }
        context.fireChannelReadComplete()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isOver else { return context.fireErrorCaught(error) }
        fail(context, ConnectionError(.connectFailed, "the connection to the proxy broke", cause: error))
    }

    package func channelInactive(context: ChannelHandlerContext) {
        fail(context, ConnectionError(.connectFailed, "the proxy closed the connection"))
        context.fireChannelInactive()
    }

    private func fail(_ context: ChannelHandlerContext, _ error: ConnectionError) {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        onFailure(error)
        context.close(promise: nil)
    }
}
