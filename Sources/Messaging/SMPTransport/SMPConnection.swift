import AsyncPrimitives
package import NIOCore
package import SMPWire
import Synchronization

/// Is told what happens on a connection, on the connection's event loop and in order.
///
/// The methods must not block. They are for the inner loops of clients and routers; elsewhere ``SMPConnection/blocks`` is
/// easier to use.
package protocol SMPConnectionDelegate: AnyObject, Sendable {
    /// A block of exactly ``SMPConnection/blockSize`` bytes has arrived.
    func connection(_ connection: SMPConnection, received block: Bytes)
    /// All blocks that one wake-up found have been delivered: the moment to answer them together.
    func connectionReceivedAllForNow(_ connection: SMPConnection)
    /// Written blocks have left, or have piled up again; see ``SMPConnection/isWritable``.
    func connection(_ connection: SMPConnection, isWritable: Bool)
    /// Nothing follows. Called once, with code `closed` after a clean end.
    func connection(_ connection: SMPConnection, ended reason: ConnectionError)
}

/// A TLS connection over which transport blocks are exchanged, on either side.
///
/// Nothing is read from the peer until a delegate is set or ``blocks`` is iterated. One of both can be used, once.
package final class SMPConnection: Sendable {
    /// Bytes of a transport block (simplex-messaging.md, "Transport connection").
    package static let blockSize = 16_384

    /// The results of the TLS handshake: session identifier, application protocol, the peer's certificates.
    package let handshake: TLSHandshake
    /// Where the peer is, for logs at `debug` level.
    package let remoteAddress: String?
    /// The peer's machine; nil where there is no network between.
    package let remote: IPAddress?

    let channel: any Channel
    private let state = Mutex(State())

    private struct State {
        var outgoing: [Bytes] = []
        var isFlushScheduled = false
        var isWritable = true
        /// The next time that ``isWritable`` is true or the connection ends; nil while nobody waits for it.
        var writable: Promise<Void>?
        var isClaimed = false
        var end: ConnectionError?
    }

    // Used on the event loop only.
    private let bound: NIOLoopBoundBox<Bound>

    private struct Bound {
        var delegate: (any SMPConnectionDelegate)?
        var handler: BlockHandler?
        var context: ChannelHandlerContext?
        /// The blocks that arrived together with the end of the handshake, before there was a receiver.
        var early: [Bytes] = []
    }

    /// Must be made on the channel's event loop.
    init(channel: any Channel, handshake: TLSHandshake) {
        self.channel = channel
        self.handshake = handshake
        remoteAddress = channel.remoteAddress?.description
        remote = channel.remoteAddress.flatMap(IPAddress.init)
        bound = NIOLoopBoundBox(Bound(), eventLoop: channel.eventLoop)
    }

    /// The session identifier of the SMP handshake, 32 bytes, equal on both sides.
    package var sessionID: Bytes { handshake.sessionID }
    /// The peer's certificates in DER, leaf first.
    package var peerChain: [Bytes] { handshake.peerChain }
    /// The event loop on which the delegate is called.
    package var eventLoop: any EventLoop { channel.eventLoop }
    /// False while more than ``writeLimit`` bytes, or ``acceptedWriteLimit``, wait for the peer to read.
    package var isWritable: Bool { state.withLock { $0.isWritable && $0.end == nil } }
    /// Bytes, encrypted by TLS, that the kernel has not taken yet. On ``eventLoop``.
    package var unsentByteCount: Int {
        do { return try channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0 } catch { return 0 }
    }
    /// Why the connection has ended, or nil while it is open.
    package var end: ConnectionError? { state.withLock { $0.end } }

    /// Bytes that may wait for the peer before ``isWritable`` turns false, on a connection that was made from here.
    package static let writeLimit = 16 * blockSize
    /// The same on a connection that a listener has accepted.
    package static let acceptedWriteLimit = 2 * blockSize

    // MARK: Receiving

    /// Starts delivering to `delegate`, which is kept until the connection has ended.
    ///
    /// - Throws: ``ConnectionError`` `unsupported` when somebody receives already.
    package func start(_ delegate: any SMPConnectionDelegate) throws(ConnectionError) {
        let isFirst = state.withLock { state in
            defer { state.isClaimed = true }
            return !state.isClaimed
        }
        guard isFirst else { throw ConnectionError(.unsupported, "the connection's blocks are already being received") }
        onEventLoop { [self] in
            let early = bound.value.early
            bound.value.early = []
            bound.value.delegate = delegate
            for block in early { delegate.connection(self, received: block) }
            if !early.isEmpty { delegate.connectionReceivedAllForNow(self) }
            if let end {
                bound.value.delegate = nil
                delegate.connection(self, ended: end)
            } else {
                setReading(true)
            }
        }
    }

    /// Replaces the present delegate by another. Must be called on ``eventLoop``, by the present delegate.
    ///
    /// - Throws: why the connection has ended.
    package func handOver(to delegate: any SMPConnectionDelegate) throws(ConnectionError) {
        if let end { throw end }
        bound.value.delegate = delegate
    }

    /// Stops reading from the peer, or continues. A few blocks that have arrived already may still be delivered.
    package func setReading(_ isReading: Bool) {
        onEventLoop { [self] in
            guard let context = bound.value.context else { return }
            bound.value.handler?.setReading(isReading, context)
        }
    }

    // MARK: Sending

    /// Hands over blocks to be sent in this order, without waiting. Blocks of one turn of the event loop leave together.
    ///
    /// Nothing bounds what piles up when ``isWritable`` is ignored; ``send(_:)`` waits instead.
    /// - Throws: ``ConnectionError`` `invalidBlock` for a block that is not of ``blockSize`` bytes, or why the connection ended.
    package func write(_ blocks: [Bytes]) throws(ConnectionError) {
        guard blocks.allSatisfy({ $0.count == Self.blockSize }) else {
            throw ConnectionError(.invalidBlock, "a transport block has \(Self.blockSize) bytes")
        }
        let (end, schedule) = state.withLock { state -> (ConnectionError?, Bool) in
            if let end = state.end { return (end, false) }
            state.outgoing.append(contentsOf: blocks)
            defer { state.isFlushScheduled = true }
            return (nil, !state.isFlushScheduled)
        }
        if let end { throw end }
        guard schedule else { return }
        // Never at once, even on the event loop: what its present turn adds leaves in the same write.
        channel.eventLoop.execute { [self] in flush() }
    }

    /// Sends one block, after waiting while the peer does not read.
    ///
    /// - Throws: ``ConnectionError``: `invalidBlock`, or why the connection ended.
    package func send(_ block: Bytes) async throws(ConnectionError) {
        await waitUntilWritable()
        try write([block])
    }

    /// Waits until ``isWritable`` is true or the connection has ended.
    package func waitUntilWritable() async {
        let writable = state.withLock { state -> Promise<Void>? in
            guard !state.isWritable, state.end == nil else { return nil }
            let writable = state.writable ?? Promise()
            state.writable = writable
            return writable
        }
        await writable?.value()
    }

    /// Gives to the socket what has been handed over and waits for the end of the turn. Must be called on ``eventLoop``.
    package func flush() {
        let blocks = state.withLock { state in
            state.isFlushScheduled = false
            defer { state.outgoing = [] }
            return state.outgoing
        }
        guard let context = bound.value.context else { return }
        for block in blocks { context.write(NIOAny(block), promise: nil) }
        context.flush()
    }

    /// Writes blocks to the socket now, after earlier writes. When this returns, ``isWritable`` takes them into account. Must be called on
    /// ``eventLoop``.
    ///
    /// - Parameter left: called on the event loop when the blocks have been given to the kernel, or will never be.
    /// - Throws: as ``write(_:)``; `left` is not called then.
    package func writeAtOnce(_ blocks: [Bytes], left: (@Sendable () -> Void)? = nil) throws(ConnectionError) {
        guard blocks.allSatisfy({ $0.count == Self.blockSize }) else {
            throw ConnectionError(.invalidBlock, "a transport block has \(Self.blockSize) bytes")
        }
        if let end { throw end }
        guard let context = bound.value.context else { throw ConnectionError(.closed, "the connection is closed") }
        let before = state.withLock { state in
            defer { state.outgoing = [] }
            return state.outgoing
        }
        for block in before { context.write(NIOAny(block), promise: nil) }
        for (index, block) in blocks.enumerated() {
            guard index == blocks.count - 1, let left else {
                context.write(NIOAny(block), promise: nil)
                continue
            }
            let promise = context.eventLoop.makePromise(of: Void.self)
            promise.futureResult.whenComplete { _ in left() }
            context.write(NIOAny(block), promise: promise)
        }
        context.flush()
    }

    // MARK: Closing

    /// Sends the pending blocks and the closing alert, and closes. Returns when the socket is closed; may be called again.
    package func close() async {
        beginClosing()
        try? await channel.closeFuture.get()
    }

    /// Closes without waiting.
    package func beginClosing() {
        onEventLoop { [self] in
            flush()
            channel.close(promise: nil)
        }
    }

    // MARK: From the handler, on the event loop

    func handlerAdded(_ handler: BlockHandler, _ context: ChannelHandlerContext) {
        bound.value.handler = handler
        bound.value.context = context
    }

    func handlerRemoved() {
        ended(ConnectionError(.closed, "the connection is closed"))
        bound.value.handler = nil
        bound.value.context = nil
    }

    func received(_ block: Bytes) {
        if let delegate = bound.value.delegate {
            delegate.connection(self, received: block)
        } else if end == nil {
            bound.value.early.append(block)
        }
    }

    func receivedAllForNow() { bound.value.delegate?.connectionReceivedAllForNow(self) }

    func writabilityChanged(_ isWritable: Bool) {
        let writable = state.withLock { state in
            state.isWritable = isWritable
            return isWritable ? state.writable.take() : nil
        }
        writable?.resolve(())
        bound.value.delegate?.connection(self, isWritable: isWritable)
    }

    func ended(_ reason: ConnectionError) {
        let (isFirst, writable) = state.withLock { state -> (Bool, Promise<Void>?) in
            guard state.end == nil else { return (false, nil) }
            state.end = reason
            state.outgoing = []
            return (true, state.writable.take())
        }
        guard isFirst else { return }
        writable?.resolve(())
        let delegate = bound.value.delegate
        bound.value.delegate = nil
        delegate?.connection(self, ended: reason)
    }

    private func onEventLoop(_ body: @escaping @Sendable () -> Void) {
        if channel.eventLoop.inEventLoop { body() } else { channel.eventLoop.execute(body) }
    }
}
