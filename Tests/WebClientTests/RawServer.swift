import NIOCore
import NIOPosix
import SMPWire
import Synchronization

@testable import SMPTransport

/// A server on the loopback interface that answers each request with given bytes.
final class RawServer: Sendable {
    /// The reaction to a request.
    struct Answer: Sendable {
        var text: String
        /// True if the connection is closed after the text; otherwise it stays open.
        var closes = true
        /// True if the rest of the connection is TLS, as through a proxy.
        var startsTLS = false

        init(_ text: String, closes: Bool = true, startsTLS: Bool = false) { (self.text, self.closes, self.startsTLS) = (text, closes, startsTLS) }

        static func ok(_ body: String, headers: String = "") -> Answer {
            Answer("HTTP/1.1 200 OK\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }

        static func redirect(_ status: Int, to location: String) -> Answer {
            Answer("HTTP/1.1 \(status) Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        }
    }

    private let channel: any Channel
    private let seen = Mutex<[String]>([])
    let port: Int
    /// The certificate that clients must trust.
    let authority: Bytes?

    /// The requests with their bodies, oldest first.
    var requests: [String] { seen.withLock { $0 } }

    private init(_ channel: any Channel, _ authority: Bytes?) {
        self.channel = channel
        self.authority = authority
        port = channel.localAddress?.port ?? 0
    }

    /// - Parameters:
    ///   - credential: The certificates of a server with TLS.
    ///   - isTunnel: True if TLS begins only after an answer says so.
    static func start(
        credential: ServerCredential? = nil, isTunnel: Bool = false, answer: @escaping @Sendable (String) -> Answer
    ) async throws -> RawServer {
        let note = NoteBox()
        let context = try credential.map { try TLSContext.server(credential: $0, applicationProtocols: ["http/1.1"], requestsClientCertificate: false) }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: context == nil || isTunnel)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let plain = ByteHandler(note, answer) { channel in
                        guard let context else { return }
                        try Self.startTLS(on: channel, context, note, answer)
                    }
                    if let context, !isTunnel {
                        try Self.startTLS(on: channel, context, note, answer)
                    } else {
                        try channel.pipeline.syncOperations.addHandler(plain)
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = RawServer(channel, credential?.certificates.last?.der)
        note.take { [weak server] request in server?.seen.withLock { $0.append(request) } }
        return server
    }

    private static func startTLS(on channel: any Channel, _ context: TLSContext, _ note: NoteBox, _ answer: @escaping @Sendable (String) -> Answer) throws {
        let session = try TLSSession(context, verifying: .client, allocator: channel.allocator)
        let handshake = HandshakeHandler(timeout: .seconds(60)) { channel, _ in
            try ByteStreamHandler.add(to: channel)
            try channel.pipeline.syncOperations.addHandler(ByteHandler(note, answer) { _ in })
        } completion: { (_: Result<Void, ConnectionError>) in
        }
        try channel.pipeline.syncOperations.addHandler(handshake)
        try channel.pipeline.syncOperations.addHandler(OpenSSLHandler(session), position: .before(handshake))
    }

    func stop() async { try? await channel.close() }

    /// Collects what is seen before the server is known.
    final class NoteBox: Sendable {
        private let sink = Mutex<(@Sendable (String) -> Void)?>(nil)
        func take(_ sink: @escaping @Sendable (String) -> Void) { self.sink.withLock { $0 = sink } }
        func note(_ text: String) { sink.withLock { $0 }?(text) }
    }

    private final class ByteHandler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let note: NoteBox
        private let answer: @Sendable (String) -> Answer
        private let startTLS: (any Channel) throws -> Void
        private var received = ""

        init(_ note: NoteBox, _ answer: @escaping @Sendable (String) -> Answer, _ startTLS: @escaping (any Channel) throws -> Void) {
            self.note = note
            self.answer = answer
            self.startTLS = startTLS
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            guard let end = received.firstRange(of: "\r\n\r\n") else { return }
            let length =
                received[..<end.lowerBound].split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.dropFirst(15).trimmingPrefix(" ")) } ?? 0
            guard received[end.upperBound...].utf8.count >= length else { return }
            note.note(received)
            let reply = answer(received)
            received = ""
            let channel = context.channel
            if reply.startsTLS {
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: reply.text)), promise: nil)
                do {
                    try startTLS(channel)
                    context.pipeline.syncOperations.removeHandler(self, promise: nil)
                } catch { channel.close(promise: nil) }
                return
            }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: reply.text))).whenComplete { _ in
                if reply.closes { channel.close(promise: nil) }
            }
        }
    }
}
