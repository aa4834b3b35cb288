package import NIOCore
package import SMPWire

/// The end of a connection: outbound events for its TLS.
enum ConnectionEnding {
    /// From now on the connection is reset, unless it says the goodbye of TLS before it is closed: also that of a process that dies.
    case resetsWithoutGoodbye
    /// The connection says no goodbye when it is closed.
    case saysNoGoodbye
}

/// Joins the TLS of a connection with handlers that pass buffers, such as those of HTTP/2. What is written until a flush leaves in one piece, so
/// that a frame and its header share a record.
package final class ByteStreamHandler: ChannelDuplexHandler {
    package typealias InboundIn = Bytes
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = Bytes

    /// Bytes that are gathered before they are encrypted without a flush.
    private static let gatheringLimit = 1 << 16

    private var gathered = Bytes()
    private var promise: EventLoopPromise<Void>?
    private let isUnfinished: @Sendable () -> Bool

    /// - Parameter isUnfinished: whether messages are incomplete. A connection that is closed then ends without a goodbye.
    package init(isUnfinished: @escaping @Sendable () -> Bool = { false }) { self.isUnfinished = isUnfinished }

    /// Adds the handler to a channel whose TLS handshake is over, and has the channel read by itself, more at a time than blocks need. Must be called on
    /// its event loop, before other handlers are added.
    ///
    /// - Parameter isUnfinished: whether messages are incomplete. A connection that is closed or lost then is reset. Official clients take a body whose
    ///   connection ends between two records of TLS, with a goodbye or without one, for a complete one of the wrong size, and do not ask for it again.
    package static func add(to channel: any Channel, isUnfinished: (@Sendable () -> Bool)? = nil) throws {
        try channel.pipeline.syncOperations.addHandler(ByteStreamHandler(isUnfinished: isUnfinished ?? { false }))
        if isUnfinished != nil { channel.triggerUserOutboundEvent(ConnectionEnding.resetsWithoutGoodbye, promise: nil) }
        try channel.syncOptions?.setOption(.recvAllocator, value: StreamReadAllocator())
        try channel.syncOptions?.setOption(.autoRead, value: true)
    }

    package func handlerAdded(context: ChannelHandlerContext) { acknowledgeAtOnce(context.channel) }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: unwrapInboundIn(data))))
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        acknowledgeAtOnce(context.channel)
        context.fireChannelReadComplete()
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let buffer = unwrapOutboundIn(data)
        // More than a header of a frame is a piece of a body, and others follow.
        if gathered.capacity < Self.gatheringLimit, gathered.count + buffer.readableBytes > 4_096 { gathered.reserveCapacity(2 * Self.gatheringLimit) }
        buffer.withUnsafeReadableBytes { gathered.append(contentsOf: $0) }
        if let promise {
            let all = self.promise ?? context.eventLoop.makePromise()
            self.promise = all
            all.futureResult.cascade(to: promise)
        }
        if gathered.count >= Self.gatheringLimit { writeGathered(context) }
    }

    package func flush(context: ChannelHandlerContext) {
        writeGathered(context)
        context.flush()
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if isUnfinished() { context.triggerUserOutboundEvent(ConnectionEnding.saysNoGoodbye, promise: nil) } else { writeGathered(context) }
        context.close(mode: mode, promise: promise)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        promise?.fail(ConnectionError(.closed, "the connection is closed"))
        promise = nil
    }

    private func writeGathered(_ context: ChannelHandlerContext) {
        guard !gathered.isEmpty else { return }
        let bytes = gathered
        gathered = Bytes()
        defer { promise = nil }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }
}
