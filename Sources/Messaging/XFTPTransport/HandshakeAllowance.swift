import NIOCore
import Synchronization

/// Closes a connection on which more bytes arrive than a handshake needs, until the handshake is over: what a stranger sends before it has said who it
/// is must not fill memory.
final class HandshakeAllowance: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// True once the handshake of the protocol is over. Any thread may set it.
    final class Gate: Sendable {
        private let value = Atomic(false)

        var isOpen: Bool { value.load(ordering: .relaxed) }
        func open() { value.store(true, ordering: .relaxed) }
    }

    private let gate: Gate
    private var left: Int
    private var isClosed = false

    /// - Parameter bytes: that may arrive before the gate is open.
    init(bytes: Int, gate: Gate) {
        left = bytes
        self.gate = gate
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosed else { return }
        guard !gate.isOpen else { return context.fireChannelRead(data) }
        left -= unwrapInboundIn(data).readableBytes
        guard left >= 0 else {
            isClosed = true
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}
