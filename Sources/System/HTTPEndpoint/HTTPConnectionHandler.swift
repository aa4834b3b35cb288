import NIOCore
import NIOHTTP1

/// A connection of the server: it reads a request, waits for the answer, and reads the next.
///
/// Pipelined requests are answered in their order. While a request is being answered, nothing is read from the client, so an endless sequence of
/// requests fills no more than one read, of ``HTTPServer/readSize`` bytes.
final class HTTPConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let limits: HTTPServer.Limits
    private let handler: HTTPServer.Handler
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var isTooLarge = false
    private var timer: Scheduled<Void>?
    /// The latest answer.
    private(set) var answering: Task<Void, Never>?
    /// The number of begun answers.
    private var answers = 0
    /// True if the connection ends after the latest answer: later bytes of the client are ignored.
    private var isEnding = false

    private let note: (HTTPClients.Phase) -> Void

    /// - Parameter note: called with each new state of the connection.
    init(_ limits: HTTPServer.Limits, _ handler: @escaping HTTPServer.Handler, note: @escaping (HTTPClients.Phase) -> Void = { _ in }) {
        self.limits = limits
        self.handler = handler
        self.note = note
    }

    func handlerAdded(context: ChannelHandlerContext) { watch(context) }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        answering?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func watch(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: limits.patience) { bound.value.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
            isTooLarge = false
            if head.headers.first(name: "expect")?.lowercased() == "100-continue" {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponseHead(version: head.version, status: .continue))), promise: nil)
            }
        case .body(let bytes):
            guard !isTooLarge else { return }
            guard body.count + bytes.readableBytes <= limits.body else {
                isTooLarge = true
                body = []
                return
            }
            body.append(contentsOf: bytes.readableBytesView)
        case .end:
            guard let head else { return }
            self.head = nil
            // Computing the answer has no time limit; writing it has one.
            timer?.cancel()
            answer(head, context)
        }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let request = HTTPRequest(method: head.method, target: head.uri, headers: head.headers, body: body)
        body = []
        answers += 1
        note(.answering)
        isEnding = isTooLarge || !head.isKeepAlive
        let isTooLarge = isTooLarge, handler = handler, patience = limits.patience, channel = context.channel, number = answers
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        answering = Task {
            let response = isTooLarge ? HTTPResponse.text(.payloadTooLarge, "the body is too large\n") : await handler(request)
            let writer = HTTPResponseWriter(channel: channel, patience: patience)
            let isWhole = await writer.write(response, to: head)
            channel.eventLoop.execute {
                let (connection, context) = bound.value
                guard isWhole, head.isKeepAlive, !isTooLarge else { return context.close(promise: nil) }
                // After the last part, the next request may already have been read from earlier bytes: its answer has no time limit, either.
                guard connection.answers == number else { return }
                connection.note(.idle)
                connection.watch(context)
            }
        }
    }
}

/// A writer of an answer in parts. A part is written when the client has read the previous one.
struct HTTPResponseWriter: Sendable {
    let channel: any Channel
    /// The time limit for the client to read a part.
    let patience: TimeAmount

    /// - Returns: false if the answer ended in the middle.
    func write(_ response: HTTPResponse, to request: HTTPRequestHead) async -> Bool {
        var headers = response.headers
        headers.replaceOrAdd(name: "content-type", value: response.contentType)
        if !request.isKeepAlive { headers.replaceOrAdd(name: "connection", value: "close") }
        if case .bytes(let bytes) = response.body { headers.replaceOrAdd(name: "content-length", value: String(bytes.count)) }
        do {
            try await write(.head(HTTPResponseHead(version: request.version, status: response.status, headers: headers)))
            if request.method != .HEAD {
                switch response.body {
                case .bytes(let bytes): try await write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
                case .stream(let chunks):
                    for try await chunk in chunks { try await write(.body(.byteBuffer(ByteBuffer(bytes: chunk)))) }
                }
            }
            try await write(.end(nil))
            return true
        } catch {
            return false
        }
    }

    private func write(_ part: HTTPServerResponsePart) async throws {
        let timer = channel.eventLoop.scheduleTask(in: patience) { [channel] in channel.close(promise: nil) }
        defer { timer.cancel() }
        try await channel.writeAndFlush(part)
    }
}
