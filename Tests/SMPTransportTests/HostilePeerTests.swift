import NIOCore
import NIOPosix
import SMPTransport
import SMPWire
import Testing

/// Sends fixed bytes to whoever connects or is connected to, and keeps the socket open.
private final class Babbler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let text: Bytes
    private let hangsUp: Bool
    private let heard: @Sendable () -> Void

    /// - Parameter heard: called when the other side has said something.
    init(_ text: Bytes, hangsUp: Bool = false, heard: @escaping @Sendable () -> Void = {}) {
        self.text = text
        self.hangsUp = hangsUp
        self.heard = heard
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { heard() }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: text)), promise: nil)
        if hangsUp { context.close(promise: nil) }
    }
}

@Suite("Hostile and broken peers")
struct HostilePeerTests {
    /// Runs `body` with the port of a server that is not one.
    private func withBabblingServer(
        _ text: Bytes, hangsUp: Bool = false, heard: @escaping @Sendable () -> Void = {}, _ body: (Int) async throws -> Void
    ) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Babbler(text, hangsUp: hangsUp, heard: heard))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await body(#require(channel.localAddress?.port))
        try await channel.close()
    }

    private func client(timeout: Duration = .seconds(15)) throws -> SMPTransportClient {
        var configuration = SMPTransportClient.Configuration()
        configuration.connectTimeout = timeout
        return try SMPTransportClient(configuration: configuration)
    }

    @Test("A server that sends garbage instead of TLS is given up")
    func garbageServer() async throws {
        try await withBabblingServer(Bytes("220 mail.example ESMTP\r\n".utf8)) { port in
            let code = await connectionErrorCode {
                _ = try await client().connect(host: "127.0.0.1", port: port, keyHash: [])
            }
            #expect(code == .tlsFailed)
        }
    }

    @Test("A server that hangs up is reported as gone")
    func vanishingServer() async throws {
        try await withBabblingServer([], hangsUp: true) { port in
            let code = await connectionErrorCode {
                _ = try await client().connect(host: "127.0.0.1", port: port, keyHash: [])
            }
            #expect(code == .disconnected)
        }
    }

    @Test("A server that says nothing is given up in time")
    func silentServer() async throws {
        try await withBabblingServer([]) { port in
            let code = await connectionErrorCode {
                _ = try await client(timeout: .milliseconds(100)).connect(host: "127.0.0.1", port: port, keyHash: [])
            }
            #expect(code == .timedOut)
        }
    }

    @Test("Connecting can be cancelled")
    func cancelled() async throws {
        let (hello, continuation) = AsyncStream.makeStream(of: Void.self)
        try await withBabblingServer([]) {
            continuation.yield()
        } _: { port in
            let client = try client()
            let connecting = Task { try await client.connect(host: "127.0.0.1", port: port, keyHash: []) }
            for await _ in hello { break }
            connecting.cancel()
            let code = await connectionErrorCode { _ = try await connecting.value }
            #expect(code == .cancelled)
        }
    }

    /// Connects with something that is not TLS and returns what the listener makes of it.
    private func failure(_ text: Bytes, hangsUp: Bool, _ port: Int, _ accepted: Accepted) async throws -> ConnectionError.Code {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Babbler(text, hangsUp: hangsUp))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let failure = try await accepted.firstFailure()
        try? await channel.close()
        return failure.code
    }

    @Test("A listener outlives clients that send garbage or hang up")
    func badClients() async throws {
        let credential = try ServerCredential.generate()
        try await withListener(credential) { listener, accepted in
            let request = try await failure(Bytes("GET / HTTP/1.0\r\n\r\n".utf8), hangsUp: false, listener.port, accepted)
            #expect(request == .tlsFailed)
            let flood = try await failure(Bytes(repeating: 0x16, count: 100_000), hangsUp: false, listener.port, accepted)
            #expect(flood == .tlsFailed)
            let partial = try await failure([0x16, 0x03, 0x01, 0x00], hangsUp: true, listener.port, accepted)
            #expect([.disconnected, .tlsFailed].contains(partial))
            let client = try await connect(to: listener, credential)
            let server = try await accepted.first()
            #expect(client.sessionID == server.sessionID)
        }
    }

    @Test("A client that says nothing is dropped in time")
    func silentClient() async throws {
        let credential = try ServerCredential.generate()
        try await withListener(credential) { configuration in
            configuration.handshakeTimeout = .milliseconds(100)
        } _: { listener, accepted in
            let silent = try await failure([], hangsUp: false, listener.port, accepted)
            #expect(silent == .timedOut)
        }
    }
}
