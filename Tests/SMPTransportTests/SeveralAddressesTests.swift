import NIOCore
import NIOPosix
import SMPTransport
import SMPWire
import TestSupport
import Testing

/// Connections to names with several addresses, of which one counts.
@Suite struct SeveralAddressesTests {
    private static let credential = Result { try ServerCredential.generate(algorithm: .ed25519) }

    private static func connect(_ client: SMPTransportClient, keyHash: Bytes = [1], timeout: Duration? = nil) async throws -> SMPConnection {
        try await client.connect(host: "router.example", port: 5223, keyHash: keyHash, timeout: timeout)
    }

    @Test(arguments: [["127.0.0.2"], ["::1"], ["::1", "127.0.0.2", "127.0.0.3"]])
    func anAddressThatRefusesDoesNotKeepFromTheNext(_ refusing: [String]) async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { listener, accepted in
            let client = try FixedResolver.client((refusing + ["127.0.0.1"]).map { ($0, listener.port) })
            let connection = try await Self.connect(client, keyHash: credential.fingerprint)
            let server = try await accepted.first()
            var blocks = server.blocks.makeAsyncIterator()
            try await connection.send(block(4))
            let received = try await blocks.next()
            #expect(received == block(4))
            await connection.close()
            try await eventually("nothing is left of the connection") { listener.connectionCount == 0 }
        }
    }

    @Test func theAddressThatAnswersFirstWinsAndTheOthersAreForgotten() async throws {
        let credential = try Self.credential.get()
        try await withStalledPort { stalled in
            try await withListener(credential) { listener, accepted in
                let client = try FixedResolver.client([("127.0.0.2", stalled), ("127.0.0.1", listener.port)])
                let connection = try await Self.connect(client, keyHash: credential.fingerprint)
                let server = try await accepted.first()
                #expect(connection.sessionID == server.sessionID)
                #expect(connection.end == nil)
                await connection.close()
            }
        }
    }

    @Test func aNameWhoseAddressesAllRefuseIsAFailedConnection() async throws {
        var port = 0
        try await withListener(try Self.credential.get()) { listener, _ in port = listener.port }
        let client = try FixedResolver.client(["::1", "127.0.0.1", "127.0.0.2"].map { ($0, port) })
        #expect(await connectionErrorCode { _ = try await Self.connect(client) } == .connectFailed)
        let nowhere = try FixedResolver.client([])
        #expect(await connectionErrorCode { _ = try await Self.connect(nowhere) } == .connectFailed)
    }

    @Test func aNameWhoseAddressesAllStallIsGivenUpInTime() async throws {
        try await withStalledPort { stalled in
            let client = try FixedResolver.client([("127.0.0.2", stalled), ("127.0.0.2", stalled)])
            #expect(await connectionErrorCode { _ = try await Self.connect(client, timeout: .milliseconds(50)) } == .timedOut)
        }
    }

    @Test func theErrorIsThatOfTheAddressThatAnsweredAndItsConnectionIsClosed() async throws {
        let credential = try Self.credential.get()
        try await withListener(credential) { listener, accepted in
            let client = try FixedResolver.client([("127.0.0.2", listener.port), ("127.0.0.1", listener.port)])
            let code = await connectionErrorCode { _ = try await Self.connect(client, keyHash: Bytes(repeating: 0, count: 32)) }
            #expect(code == .wrongIdentity)
            #expect(try await accepted.firstFailure().code == .tlsFailed)
            try await eventually("the connection is closed") { listener.connectionCount == 0 }
        }
    }

    /// Hears its peer and never answers.
    private final class SilentPeer: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        enum Event { case spoke, left }
        private let told: AsyncStream<Event>.Continuation

        init(_ told: AsyncStream<Event>.Continuation) { self.told = told }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { told.yield(.spoke) }
        func channelInactive(context: ChannelHandlerContext) { told.yield(.left) }
    }

    @Test func whoCancelsLeavesNoConnectionBehind() async throws {
        let (events, told) = AsyncStream.makeStream(of: SilentPeer.Event.self)
        let listening = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(SilentPeer(told)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listening.localAddress?.port)
        let client = try FixedResolver.client([("127.0.0.2", port), ("127.0.0.1", port)])
        let connecting = Task { try await Self.connect(client) }
        for await event in events where event == .spoke { break }
        connecting.cancel()
        #expect(await connectionErrorCode { _ = try await connecting.value } == .cancelled)
        for await event in events where event == .left { break }
        try await listening.close()
    }
}
