import NIOCore
import NIOPosix
import Testing

@testable import SMPTransport

/// Whoever gives up connecting is answered at once, whatever the connection waits for.
@Suite(.timeLimit(.minutes(5))) struct CancelledConnectingTests {
    /// Is asked for addresses, and has them when the test says so.
    private final class HeldResolver: Resolver, Sendable {
        let asked: AsyncStream<Void>
        private let asking: AsyncStream<Void>.Continuation
        private let answer: EventLoopPromise<[SocketAddress]>

        init(_ loop: any EventLoop) {
            (asked, asking) = AsyncStream.makeStream(of: Void.self)
            answer = loop.makePromise()
        }

        func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { ask() }
        func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { ask() }
        func cancelQueries() {}

        private func ask() -> EventLoopFuture<[SocketAddress]> {
            asking.yield()
            return answer.futureResult
        }

        func resolve(to addresses: [SocketAddress]) { answer.succeed(addresses) }
    }

    /// Connects with all the time in the world, and gives up after a while.
    private static func cancelledError(
        _ client: SMPTransportClient, _ host: String, _ port: Int, when isTime: () async throws -> Void
    ) async throws -> ConnectionError.Code? {
        let connecting = Task { try await client.connect(host: host, port: port, keyHash: [1], timeout: .seconds(86_400)) }
        try await isTime()
        connecting.cancel()
        return await connectionErrorCode { _ = try await connecting.value }
    }

    @Test(arguments: ["127.0.0.2", "router.example"], [0, 1, 100])
    func anAddressThatDoesNotAnswerIsNotWaitedFor(_ host: String, _ turns: Int) async throws {
        try await withStalledPort { port in
            let client = try FixedResolver.client([("127.0.0.2", port), ("127.0.0.2", port)])
            let code = try await Self.cancelledError(client, host, port) { for _ in 0..<turns { await Task.yield() } }
            #expect(code == .cancelled)
        }
    }

    @Test func aProxyThatDoesNotAnswerIsNotWaitedFor() async throws {
        try await withStalledPort { port in
            let client = try FixedResolver.client([]) { $0.proxy = SOCKSProxy(host: "127.0.0.2", port: port) }
            #expect(try await Self.cancelledError(client, "router.example", 5223) { await Task.yield() } == .cancelled)
        }
    }

    @Test func aNameThatIsLookedUpIsNotWaitedFor() async throws {
        let group = MultiThreadedEventLoopGroup.singleton, resolver = HeldResolver(group.next())
        let client = try SMPTransportClient(configuration: SMPTransportClient.Configuration(), group: group, resolver: resolver)
        let code = try await Self.cancelledError(client, "router.example", 5223) { for await _ in resolver.asked { break } }
        #expect(code == .cancelled)
        // What it is found out to be is of no use to anybody: nobody connects to it.
        try await withListener(try ServerCredential.generate(algorithm: .ed25519)) { listener, _ in
            resolver.resolve(to: [try SocketAddress(ipAddress: "127.0.0.1", port: listener.port)])
            for _ in 0..<3 { try await group.next().submit {}.get() }
            #expect(listener.connectionCount == 0)
        }
    }
}
