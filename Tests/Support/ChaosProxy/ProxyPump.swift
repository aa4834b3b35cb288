import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Both ends of a connection through the proxy, on one event loop.
final class ProxyLink {
    let treatment: Treatment
    var client: (any Channel)?
    private(set) var router: (any Channel)?
    /// What the client has sent before the router was connected.
    private var early: [ByteBuffer] = []
    private var isClientGone = false
    var isSilent = false
    private var counts: [Treatment.Direction: Int] = [:]
    private var free: [Treatment.Direction: NIODeadline] = [:]

    private let swallows: () -> Bool
    private let struck: () -> Void

    /// - Parameters:
    ///   - swallows: asked whether what has come is lost.
    ///   - struck: called at the byte where something happens.
    init(_ treatment: Treatment, swallows: @escaping () -> Bool, struck: @escaping () -> Void) {
        self.treatment = treatment
        self.swallows = swallows
        self.struck = struck
    }

    /// The router is there.
    func connected(_ router: any Channel) {
        self.router = router
        if isClientGone { return router.close(promise: nil) }
        for bytes in early { router.writeAndFlush(bytes, promise: nil) }
        early = []
    }

    private func send(_ bytes: ByteBuffer, _ direction: Treatment.Direction) {
        if let target = target(direction) {
            target.writeAndFlush(bytes, promise: nil)
        } else {
            early.append(bytes)
        }
    }

    private func target(_ direction: Treatment.Direction) -> (any Channel)? { direction == .toRouter ? router : client }

    /// Passes bytes on, up to where the treatment says otherwise.
    func pass(_ bytes: ByteBuffer, _ direction: Treatment.Direction, _ loop: any EventLoop) {
        guard !isSilent, !swallows() else { return }
        let before = counts[direction, default: 0]
        let after = before + bytes.readableBytes
        counts[direction] = after
        guard let end = treatment.end, end.direction == direction, (before..<after).contains(end.after) else {
            return write(bytes, direction, loop)
        }
        struck()
        var bytes = bytes
        let offset = bytes.readerIndex + end.after - before
        switch end.ending {
        case .damage:
            if let byte = bytes.getInteger(at: offset, as: UInt8.self) { bytes.setInteger(byte ^ 0x40, at: offset) }
            write(bytes, direction, loop)
        case .repetition:
            write(bytes, direction, loop)
            if let again = bytes.getSlice(at: offset, length: bytes.writerIndex - offset) { write(again, direction, loop) }
        case .silence, .close, .reset:
            if let passed = bytes.readSlice(length: end.after - before) { write(passed, direction, loop) }
            isSilent = true
            guard end.ending != .silence else { return }
            // Behind what was passed on before.
            at(free[direction], loop) { link in
                for channel in [link.client, link.router].compactMap(\.self) {
                    if end.ending == .reset { reset(channel) } else { channel.close(promise: nil) }
                }
            }
        }
    }

    /// One side has closed the connection.
    func ended(_ direction: Treatment.Direction, _ loop: any EventLoop) {
        if direction == .toRouter { isClientGone = true }
        guard !isSilent else { return }
        at(free[direction], loop) { link in link.target(direction)?.close(promise: nil) }
    }

    private func write(_ bytes: ByteBuffer, _ direction: Treatment.Direction, _ loop: any EventLoop) {
        guard let length = treatment.pieceLength, bytes.readableBytes > 0 else {
            return send(bytes, direction)
        }
        var bytes = bytes
        while let piece = bytes.readSlice(length: min(length, bytes.readableBytes)), piece.readableBytes > 0 {
            let time = max(free[direction] ?? .now(), .now()) + .milliseconds(Int64(treatment.pause))
            free[direction] = time
            at(time, loop) { link in link.send(piece, direction) }
        }
    }

    private func at(_ time: NIODeadline?, _ loop: any EventLoop, _ body: @escaping @Sendable (ProxyLink) -> Void) {
        guard let time else { return body(self) }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(deadline: time) { body(bound.value) }
    }
}

/// Takes what comes from one side.
final class ProxyPump: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let direction: Treatment.Direction
    private let link: ProxyLink
    private let loop: any EventLoop

    init(_ direction: Treatment.Direction, _ link: ProxyLink, loop: any EventLoop) {
        self.direction = direction
        self.link = link
        self.loop = loop
    }

    func channelRead(context _: ChannelHandlerContext, data: NIOAny) { link.pass(unwrapInboundIn(data), direction, loop) }
    func channelInactive(context _: ChannelHandlerContext) { link.ended(direction, loop) }
    func errorCaught(context: ChannelHandlerContext, error _: any Error) { context.close(promise: nil) }
}
