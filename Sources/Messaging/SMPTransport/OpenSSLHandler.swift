import NIOCore
import SMPWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Encrypts and decrypts what passes through a channel: ciphertext in buffers on the side of the socket, plaintext as bytes on the other,
/// a record at a time, so that a block is not copied on its way.
///
/// Fires ``TLSHandshake`` as a user event once; what is written before that fails. It reads by itself until the handshake is
/// over and leaves reading to the handlers behind it from then on. A ``ConnectionError`` is fired at most once, and the channel
/// is closed after it. When the peer says that nothing follows, the channel is closed: SMP has no use for half a connection.
final class OpenSSLHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = Bytes
    typealias OutboundIn = Bytes
    typealias OutboundOut = ByteBuffer

    private enum Phase { case handshake, open, closed }

    let session: TLSSession
    private var phase = Phase.handshake
    private var saysGoodbye = true
    /// The end of a connection whose goodbye has not left yet.
    private var closing: EventLoopPromise<Void>?
    /// True if the connection is reset when its socket is closed.
    private var isReset = false

    init(_ session: TLSSession) { self.session = session }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { start(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    private func start(_ context: ChannelHandlerContext) {
        advanceHandshake(context)
        if phase == .handshake { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .closed else { return }
        session.wire.append(unwrapInboundIn(data))
        if phase == .handshake { advanceHandshake(context) }
        decrypt(context)
        session.wire.releaseReadInbound()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if phase == .handshake { context.read() }
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if phase != .closed {
            let wasOpen = phase == .open
            phase = .closed
            context.fireErrorCaught(
                ConnectionError(
                    .disconnected, wasOpen ? "the peer went away without closing TLS" : "the peer went away in the TLS handshake"))
        }
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard phase == .open else {
            promise?.fail(ConnectionError(.closed, "the TLS connection is not open"))
            return
        }
        do {
            try session.write(unwrapOutboundIn(data))
        } catch {
            promise?.fail(error)
            return fail(context, error)
        }
        guard let ciphertext = session.wire.takeOutbound() else {
            promise?.succeed(())
            return
        }
        context.write(wrapOutboundOut(ciphertext), promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // A second close, such as that of a listener that stops after its sessions, must not cut off bytes that a slow peer has not read yet.
        if let closing { return closing.futureResult.cascade(to: promise) }
        guard phase == .open, saysGoodbye else {
            phase = .closed
            return context.close(mode: .all, promise: promise)
        }
        phase = .closed
        session.shutdown()
        closeWhenWritten(context, promise)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let ending = event as? ConnectionEnding else { return context.triggerUserOutboundEvent(event, promise: promise) }
        switch ending {
        case .saysNoGoodbye: saysGoodbye = false
        case .resetsWithoutGoodbye: resetWhenClosed(context, true)
        }
        promise?.succeed(())
    }

    /// The kernel resets a connection whose socket is closed if it is not to linger at all.
    private func resetWhenClosed(_ context: ChannelHandlerContext, _ isReset: Bool) {
        guard isReset != self.isReset else { return }
        self.isReset = isReset
        // It fails only for a socket that is closed already.
        _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: isReset ? 1 : 0, l_linger: 0))
    }

    /// Closing a socket drops unsent bytes: waits until the closing alert is sent, but not for ever.
    private func closeWhenWritten(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        guard let ciphertext = session.wire.takeOutbound() else { return context.close(promise: promise) }
        let closing = context.eventLoop.makePromise(of: Void.self)
        closing.futureResult.cascade(to: promise)
        self.closing = closing
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let deadline = context.eventLoop.scheduleTask(in: Self.closingTime) { bound.value.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(ciphertext)).assumeIsolated().whenComplete { result in
            deadline.cancel()
            if case .success = result { self.resetWhenClosed(context, false) }
            context.close(promise: closing)
        }
    }

    /// The longest time that a peer which does not read delays closing.
    static let closingTime = TimeAmount.seconds(3)

    private func advanceHandshake(_ context: ChannelHandlerContext) {
        let progress = session.advanceHandshake()
        flushCiphertext(context)
        switch progress {
        case .needsMore: break
        case .finished(let handshake):
            phase = .open
            context.fireUserInboundEventTriggered(handshake)
        case .failed(let error): fail(context, error)
        }
    }

    private func decrypt(_ context: ChannelHandlerContext) {
        // Closing while delivering makes the rest of what arrived worthless.
        while phase == .open, session.hasInput {
            switch session.read() {
            case .bytes(let plaintext): context.fireChannelRead(wrapInboundOut(plaintext))
            case .needsMore:
                // A key update asks for an answer.
                return flushCiphertext(context)
            case .closed:
                context.fireErrorCaught(ConnectionError(.closed, "the peer closed the connection"))
                return context.channel.close(promise: nil)
            case .failed(let error): return fail(context, error)
            }
        }
    }

    private func flushCiphertext(_ context: ChannelHandlerContext) {
        guard let ciphertext = session.wire.takeOutbound() else { return }
        context.writeAndFlush(wrapOutboundOut(ciphertext), promise: nil)
    }

    private func fail(_ context: ChannelHandlerContext, _ error: ConnectionError) {
        guard phase != .closed else { return }
        phase = .closed
        flushCiphertext(context)
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}
