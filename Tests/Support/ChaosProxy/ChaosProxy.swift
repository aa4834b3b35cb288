import NIOCore
import NIOPosix
import Synchronization

/// Stands between clients and a router on 127.0.0.1, and does to each connection what a plan says.
package final class ChaosProxy: Sendable {
    /// The treatment of a connection, by its number from 1.
    package typealias Plan = @Sendable (Int) -> Treatment

    private struct Inner {
        var plan: Plan
        var count = 0
        var struckCount = 0
        /// Nothing passes on any connection.
        var isSilent = false
        /// Connections on which something was swallowed by that.
        var silenced: Set<Int> = []
        var open: [Int: any Channel] = [:]
        var server: (any Channel)?
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let upstream: Int
    private let inner: Mutex<Inner>

    private init(_ upstream: Int, _ plan: @escaping Plan) {
        self.upstream = upstream
        inner = Mutex(Inner(plan: plan))
    }

    /// Begins to listen on a free port.
    ///
    /// - Parameter port: of the router.
    package static func start(to port: Int, plan: @escaping Plan = { _ in Treatment() }) async throws -> ChaosProxy {
        let proxy = ChaosProxy(port, plan)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { client in client.eventLoop.makeCompletedFuture { try proxy.accept(client) } }
            .bind(host: "127.0.0.1", port: 0).get()
        proxy.inner.withLock { $0.server = server }
        return proxy
    }

    package var port: Int { inner.withLock { $0.server?.localAddress?.port ?? 0 } }
    /// Connections that were made so far.
    package var connectionCount: Int { inner.withLock { $0.count } }
    /// Connections that have come to the byte where something happened to them.
    package var struckCount: Int { inner.withLock { $0.struckCount } }
    /// Connections that are there.
    package var openCount: Int { inner.withLock { $0.open.count } }

    /// Returns when so many connections have been made.
    package func waitForConnections(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = inner.withLock { inner in
                if inner.count < count { inner.waiters.append((count, continuation)) }
                return inner.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// Changes the plan for connections to come.
    package func setPlan(_ plan: @escaping Plan) { inner.withLock { $0.plan = plan } }

    /// From now on nothing passes, on these connections and on those to come, and nobody is told: whatever is sent is lost.
    package func fallSilent() { inner.withLock { $0.isSilent = true } }

    /// Ends the silence. The connections that there are know nothing of each other any more and are torn down; new ones pass.
    package func speakAgain() {
        let old = inner.withLock { inner in
            inner.isSilent = false
            return Array(inner.open.values)
        }
        for channel in old { channel.eventLoop.execute { reset(channel) } }
    }

    /// Connections on which something was lost in silence.
    package var silencedCount: Int { inner.withLock { $0.silenced.count } }

    private func swallows(_ number: Int) -> Bool {
        inner.withLock { inner in
            if inner.isSilent { inner.silenced.insert(number) }
            return inner.isSilent
        }
    }

    /// Ends all connections.
    package func dropAll() {
        for channel in inner.withLock({ Array($0.open.values) }) { channel.close(promise: nil) }
    }

    package func stop() async throws {
        try await inner.withLock { $0.server }?.close()
        dropAll()
    }

    private func accept(_ client: any Channel) throws {
        let (number, plan, waiters) = inner.withLock { inner in
            inner.count += 1
            inner.open[inner.count] = client
            let waiters = inner.waiters.filter { $0.count <= inner.count }
            inner.waiters.removeAll { $0.count <= inner.count }
            return (inner.count, inner.plan, waiters)
        }
        for waiter in waiters { waiter.continuation.resume() }
        client.closeFuture.whenComplete { [self] _ in inner.withLock { _ = $0.open.removeValue(forKey: number) } }
        let treatment = plan(number)
        // A channel that is closed while it is being made is not there for its connection's other end.
        if treatment.isRefused { return client.eventLoop.execute { reset(client) } }
        let link = ProxyLink(treatment, swallows: { [self] in swallows(number) }) { [self] in inner.withLock { $0.struckCount += 1 } }
        link.client = client
        try client.pipeline.syncOperations.addHandler(ProxyPump(.toRouter, link, loop: client.eventLoop))
        let bound = NIOLoopBound(link, eventLoop: client.eventLoop)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: upstream)
        ClientBootstrap(group: client.eventLoop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { router in
                router.eventLoop.makeCompletedFuture {
                    try router.pipeline.syncOperations.addHandler(ProxyPump(.toClient, bound.value, loop: router.eventLoop))
                }
            }
            .connect(to: address)
            .whenComplete { result in
                switch result {
                case .success(let router):
                    // The connection on loopback can be there before the client's channel is active.
                    bound.value.connected(router)
                case .failure: client.close(promise: nil)
                }
            }
    }
}

/// Tears a connection down instead of closing it.
func reset(_ channel: any Channel) {
    guard let provider = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
    provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
}
