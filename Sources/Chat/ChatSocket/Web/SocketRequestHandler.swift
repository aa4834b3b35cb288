import Logging
import NIOCore
import NIOHTTP1

/// The answer to a request on the socket of the API that becomes no WebSocket. The connection ends after it.
final class SocketRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let gate: SocketGate
    private let health: @Sendable () async -> SocketHealth
    private let refused: @Sendable (HTTPResponseStatus) -> Void
    private var head: HTTPRequestHead?
    private var isAnswered = false

    /// - Parameter refused: called with the status of each refusal.
    init(_ gate: SocketGate, health: @escaping @Sendable () async -> SocketHealth, refused: @escaping @Sendable (HTTPResponseStatus) -> Void) {
        self.gate = gate
        self.health = health
        self.refused = refused
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): if !isAnswered { self.head = head }
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            isAnswered = true
            answer(head, context)
        }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        switch gate.decision(on: head) {
        case .health(let isDetailed):
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            Task { [health, loop = context.eventLoop] in
                let health = await health()
                loop.execute {
                    let (handler, context) = bound.value
                    handler.write(
                        health.isHealthy ? .ok : .serviceUnavailable, "application/json", health.body(isDetailed: isDetailed), to: head, context)
                }
            }
        case .refusal(let status, let reason):
            refused(status)
            write(status, "text/plain; charset=utf-8", reason, to: head, context)
        // A WebSocket of a version of the protocol that there is not.
        case .upgrade: write(.badRequest, "text/plain; charset=utf-8", "this is no request for a WebSocket of version 13\n", to: head, context)
        }
    }

    private func write(_ status: HTTPResponseStatus, _ type: String, _ body: String, to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        var headers: HTTPHeaders = [
            "Connection": "close", "Content-Type": type, "Content-Length": String(body.utf8.count), "Cache-Control": "no-store",
        ]
        switch status {
        case .upgradeRequired: headers.add(name: "Upgrade", value: "websocket")
        case .unauthorized: headers.add(name: "WWW-Authenticate", value: "Bearer")
        case .methodNotAllowed: headers.add(name: "Allow", value: "GET, HEAD")
        default: break
        }
        context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
        if request.method != .HEAD { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil) }
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in loopBound.value.close(promise: nil) }
    }
}
