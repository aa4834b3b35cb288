import NIOCore
import NIOPosix
import SMPWire
import Testing

@testable import SMPTransport

@Suite("The SOCKS handshake")
struct SOCKSHandshakeTests {
    private func handshake(_ host: String = "abc.onion", password: Bool = true) throws -> SOCKSHandshake {
        try SOCKSHandshake(host: host, port: 5223, credentials: password ? ("me", "pw") : nil)
    }

    @Test("Without a password only that way is offered, and the request follows at once")
    func anonymous() throws {
        var socks = try handshake(password: false)
        #expect(socks.greeting == [5, 1, 0])
        let request = socks.receive([5, 0])
        #expect(request == .send([5, 1, 0, 3, 9] + Bytes("abc.onion".utf8) + [0x14, 0x67]))
        let end = socks.receive([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(end == .finished([]))
    }

    @Test("With a password the proxy may ask for it or not")
    func password() throws {
        var asked = try handshake()
        #expect(asked.greeting == [5, 2, 0, 2])
        let answer = asked.receive([5, 2])
        #expect(answer == .send([1, 2] + Bytes("me".utf8) + [2] + Bytes("pw".utf8)))
        guard case .send(let request) = asked.receive([1, 0]) else {
            Issue.record("no request")
            return
        }
        #expect(request.prefix(3) == [5, 1, 0])
        var notAsked = try handshake()
        guard case .send(let other) = notAsked.receive([5, 0]) else {
            Issue.record("no request")
            return
        }
        #expect(other == request)
    }

    @Test("Addresses are sent as such, names as names")
    func addresses() throws {
        for (host, encoded) in [
            ("1.2.3.4", [1, 1, 2, 3, 4]), ("::1", [4] + Bytes(repeating: 0, count: 15) + [1]), ("a.b", [3, 3, 97, 46, 98]),
        ] as [(String, Bytes)] {
            var socks = try handshake(host, password: false)
            let request = socks.receive([5, 0])
            #expect(request == .send([5, 1, 0] + encoded + [0x14, 0x67]))
        }
        #expect(throws: ConnectionError.self) { try handshake("") }
        #expect(throws: ConnectionError.self) { try handshake(String(repeating: "a", count: 256)) }
        #expect(throws: ConnectionError.self) {
            try SOCKSHandshake(host: "a", port: 1, credentials: (String(repeating: "u", count: 256), ""))
        }
    }

    @Test("Answers are understood however they are cut, and what follows them is kept")
    func cutting() throws {
        for address in [[1, 0, 0, 0, 0], [4] + Bytes(repeating: 0, count: 16), [3, 2, 97, 98]] as [Bytes] {
            let stream: Bytes = [5, 2, 1, 0, 5, 0, 0] + address + [0, 0] + [9, 8, 7]
            for size in 1...stream.count {
                var socks = try handshake()
                var rest: Bytes?
                for start in stride(from: 0, to: stream.count, by: size) {
                    let piece = Bytes(stream[start..<min(stream.count, start + size)])
                    // Everything after an answer that asks for something belongs to the next one.
                    var step = socks.receive(piece)
                    while case .send = step { step = socks.receive([]) }
                    if case .finished(let more) = step { rest = (rest ?? []) + more }
                    if case .failed(let reason) = step { Issue.record("\(reason)") }
                }
                #expect(rest == [9, 8, 7])
            }
        }
    }

    @Test("Refusals and answers of something else fail")
    func failures() throws {
        for answers in [
            [[4, 0]], [[72, 84]], [[5, 255]], [[5, 1]], [[5, 2], [1, 1]], [[5, 0], [5, 1, 0, 1, 0, 0, 0, 0, 0, 0]],
            [[5, 0], [5, 5, 0, 3, 0, 0, 0]], [[5, 0], [4, 0, 0, 1, 0, 0, 0, 0, 0, 0]], [[5, 0], [5, 0, 0, 9]],
        ] as [[Bytes]] {
            var socks = try handshake()
            var last = SOCKSHandshake.Step.needsMore
            for answer in answers { last = socks.receive(answer) }
            guard case .failed = last else {
                Issue.record("\(answers) gave \(last)")
                continue
            }
        }
        var anonymous = try handshake(password: false)
        guard case .failed = anonymous.receive([5, 2]) else {
            Issue.record("a password was never offered")
            return
        }
    }
}

/// A proxy that connects to one port, whatever it is asked for, and keeps what it was told.
private final class TestProxy: ChannelInboundHandler, @unchecked Sendable {
    // Used on the channel's event loop only.
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let port: Int
    private let told: AsyncStream<Bytes>.Continuation
    private var answers = 0
    private var target: (any Channel)?
    private var early: [ByteBuffer] = []

    init(port: Int, told: AsyncStream<Bytes>.Continuation) {
        self.port = port
        self.told = told
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        answers += 1
        switch answers {
        case 1: context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [5, 2])), promise: nil)
        case 2:
            told.yield(Bytes(buffer.readableBytesView))
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [1, 0])), promise: nil)
        case 3:
            told.yield(Bytes(buffer.readableBytesView))
            let client = context.channel
            ClientBootstrap(group: context.eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Relay(to: client))
                    }
                }
                .connect(host: "127.0.0.1", port: port)
                .assumeIsolated()
                .whenSuccess { [self] channel in
                    target = channel
                    client.writeAndFlush(ByteBuffer(bytes: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]), promise: nil)
                    for buffer in early { channel.writeAndFlush(buffer, promise: nil) }
                }
        default:
            if let target { target.writeAndFlush(buffer, promise: nil) } else { early.append(buffer) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) { target?.close(promise: nil) }
}

private final class Relay: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let client: any Channel
    init(to client: any Channel) { self.client = client }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }
    func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
}

@Suite("Connections through a proxy")
struct SOCKSConnectionTests {
    private func withProxy(
        to port: Int, _ body: (SOCKSProxy, AsyncStream<Bytes>) async throws -> Void
    ) async throws {
        let (told, input) = AsyncStream.makeStream(of: Bytes.self)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(TestProxy(port: port, told: input))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await body(SOCKSProxy(port: #require(channel.localAddress?.port)), told)
        try await channel.close()
    }

    @Test("The proxy is asked for the server by name, and TLS runs through it")
    func throughProxy() async throws {
        let credential = try ServerCredential.generate(algorithm: .ed25519)
        try await withListener(credential) { listener, accepted in
            try await withProxy(to: listener.port) { proxy, told in
                var configuration = SMPTransportClient.Configuration()
                configuration.proxy = proxy
                let client = try SMPTransportClient(configuration: configuration)
                var names: [Bytes] = []
                var said = told.makeAsyncIterator()
                for purpose in ["one", "two", "one"] {
                    let connection = try await client.connect(
                        host: "abcdef.onion", port: 1234, keyHash: credential.fingerprint, purpose: purpose)
                    let server = try await accepted.first()
                    #expect(connection.sessionID == server.sessionID)
                    var blocks = server.blocks.makeAsyncIterator()
                    try await connection.send(block(3))
                    let received = try await blocks.next()
                    #expect(received == block(3))
                    let name = await said.next()
                    names.append(try #require(name))
                    let request = await said.next()
                    #expect(request == [5, 1, 0, 3, 12] + Bytes("abcdef.onion".utf8) + [4, 210])
                    await connection.close()
                }
                #expect(names[0] == names[2])
                #expect(names[0] != names[1])
            }
        }
    }

    @Test("A proxy is reached though another address of its name is not")
    func proxyWithSeveralAddresses() async throws {
        let credential = try ServerCredential.generate(algorithm: .ed25519)
        try await withListener(credential) { listener, accepted in
            try await withProxy(to: listener.port) { proxy, told in
                let client = try FixedResolver.client([("127.0.0.2", proxy.port), (proxy.host, proxy.port)]) {
                    $0.proxy = SOCKSProxy(host: "proxy.example", port: proxy.port)
                }
                let connection = try await client.connect(host: "abcdef.onion", port: 1234, keyHash: credential.fingerprint)
                let server = try await accepted.first()
                #expect(connection.sessionID == server.sessionID)
                await connection.close()
            }
        }
    }

    @Test("A proxy that is not there is a failed connection")
    func noProxy() async throws {
        let credential = try ServerCredential.generate(algorithm: .ed25519)
        var port = 0
        try await withListener(credential) { listener, _ in port = listener.port }
        var configuration = SMPTransportClient.Configuration()
        configuration.proxy = SOCKSProxy(port: port)
        let client = try SMPTransportClient(configuration: configuration)
        let code = await connectionErrorCode {
            _ = try await client.connect(host: "a.onion", port: 1, keyHash: credential.fingerprint)
        }
        #expect(code == .connectFailed)
    }
}
