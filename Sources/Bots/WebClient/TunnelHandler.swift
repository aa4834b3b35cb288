internal import NIOCore
internal import SMPTransport

/// Asks an HTTP proxy for a connection to a server (RFC 9110, section 9.3.6), and then gives its place to the handlers of that connection.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Bytes of the proxy's answer.
    static let longestAnswer = 16_384

    private let target: WebTarget
    private let authorization: String?
    private let timeout: TimeAmount
    private let completion: (Result<any Channel, ConnectionError>) throws -> Void
    private var answer: [UInt8] = []
    private var timer: Scheduled<Void>?
    private var isOver = false

    /// - Parameter completion: Called once, on the event loop. It adds the handlers of the connection.
    init(
        to target: WebTarget, authorization: String?, timeout: TimeAmount, completion: @escaping (Result<any Channel, ConnectionError>) throws -> Void
    ) {
        self.target = target
        self.authorization = authorization
        self.timeout = timeout
        self.completion = completion
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: timeout) {
            let (handler, context) = bound.value
            handler.fail(context, ConnectionError(.timedOut, "the proxy did not answer in time"))
        }
        let host = target.host.contains(":") ? "[\(target.host)]" : target.host
        var request = "CONNECT \(host):\(target.port) HTTP/1.1\r\nHost: \(host):\(target.port)\r\n"
        if let authorization { request += "Proxy-Authorization: \(authorization)\r\n" }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request + "\r\n")), promise: nil)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return context.fireChannelRead(data) }
        answer += unwrapInboundIn(data).readableBytesView
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else {
            if answer.count > Self.longestAnswer { fail(context, ConnectionError(.connectFailed, "the answer of the proxy is too long")) }
            return
        }
        let words = answer.prefix { $0 != 0x0D }.split(separator: 0x20)
        guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8), let status = Int(String(decoding: words[1], as: UTF8.self)) else {
            return fail(context, ConnectionError(.connectFailed, "the proxy does not speak HTTP"))
        }
        // The server has nothing to say before the client begins TLS.
        guard (200..<300).contains(status), end.upperBound == answer.count else {
            return fail(context, ConnectionError(.connectFailed, "the proxy refuses the connection with the status \(status)"))
        }
        isOver = true
        timer?.cancel()
        do { try completion(.success(context.channel)) } catch { return context.close(promise: nil) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !isOver { context.read() }
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isOver else { return context.fireErrorCaught(error) }
        fail(context, ConnectionError(.connectFailed, "the connection to the proxy broke", cause: error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(context, ConnectionError(.connectFailed, "the proxy closed the connection"))
        context.fireChannelInactive()
    }

    private func fail(_ context: ChannelHandlerContext, _ error: ConnectionError) {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        // The failure is known to the caller.
        try? completion(.failure(error))
        context.close(promise: nil)
    }
}
