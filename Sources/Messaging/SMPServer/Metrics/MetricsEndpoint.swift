package import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves metrics at `/metrics` to whoever can reach the address.
package final class MetricsEndpoint: Sendable {
    package let port: Int
    private let channel: any Channel

    private init(_ channel: any Channel) {
        self.channel = channel
        port = channel.localAddress?.port ?? 0
    }

    /// - Throws: ``RouterError`` `addressInUse` or `transport`.
    package static func start(
        on address: RouterConfiguration.MetricsAddress, group: any EventLoopGroup, text: @escaping @Sendable () -> String
    ) async throws(RouterError) -> MetricsEndpoint {
        do {
            let channel = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 16)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                        try channel.pipeline.syncOperations.addHandler(MetricsHandler(text))
                    }
                }
                .bind(host: address.host, port: address.port).get()
            return MetricsEndpoint(channel)
        } catch {
            let isInUse = (error as? IOError)?.errnoCode == EADDRINUSE
            throw RouterError(
                isInUse ? .addressInUse : .transport, "metrics cannot be served on \(address.host):\(address.port)", cause: error)
        }
    }

    package func stop() async { try? await channel.close() }
}

private final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// How long an idle client is kept.
    private static let patience = TimeAmount.seconds(60)

    private let text: @Sendable () -> String
    private var request: HTTPRequestHead?
    private var timer: Scheduled<Void>?

    init(_ text: @escaping @Sendable () -> String) { self.text = text }

    func handlerAdded(context: ChannelHandlerContext) { watch(context) }
    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    private func watch(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: Self.patience) { bound.value.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): request = head
        case .body: break
        case .end:
            guard let head = request else { return }
            request = nil
            answer(head, context)
            watch(context)
        }
    }

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let status: HTTPResponseStatus
        var body = ""
        switch (request.method, request.uri.split(separator: "?").first) {
        case (.GET, "/metrics"), (.HEAD, "/metrics"): (status, body) = (.ok, text())
        case (.GET, _), (.HEAD, _): (status, body) = (.notFound, "metrics are at /metrics\n")
        default: status = .methodNotAllowed
        }
        let bytes = context.channel.allocator.buffer(string: body)
        var headers = HTTPHeaders()
        headers.add(name: "content-type", value: status == .ok ? "text/plain; version=0.0.4; charset=utf-8" : "text/plain; charset=utf-8")
        headers.add(name: "content-length", value: String(bytes.readableBytes))
        context.write(wrapOutboundOut(.head(HTTPResponseHead(version: request.version, status: status, headers: headers))), promise: nil)
        if request.method != .HEAD { context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if !request.isKeepAlive { context.close(promise: nil) }
    }
}
