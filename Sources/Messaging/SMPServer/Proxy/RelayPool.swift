import NIOCore
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// The connections of a router, as a proxy of its clients, to other routers: one for each, created on the first request.
/// ``RelayTable`` decides which connections exist.
final class RelayPool: Sendable {
    /// A function that receives the session, or the error to answer with. Called once, on any thread.
    typealias Answer = @Sendable (Result<RelaySession, SMPErrorType>) -> Void

    private struct Inner {
        var table: RelayTable<Answer>
        var relays: [UInt64: RelayConnection] = [:]
        var numbers: [Bytes: UInt64] = [:]
        var nextNumber: UInt64 = 1
        var isClosed = false
    }

    /// The only error that a client gets for an unreachable router: it does not reveal whether anything is at the address, or what. The
    /// reason is not sent over the wire anyway.
    static let unreachable = SMPErrorType.proxy(.broker(.network(.failed)))

    private let client: SMPTransportClient
    private let group: any EventLoopGroup
    private let addresses: RelayAddresses
    private let random: any RandomSource
    private let basicAuth: BasicAuth?
    private let times: RelayTimes
    let budget = RelayBudget()
    private let inner: Mutex<Inner>

    /// - Parameters:
    ///   - basicAuth: the password of clients; nil for none.
    ///   - capacity: the maximum number of connected routers.
    init(
        client: SMPTransportClient, group: any EventLoopGroup, addresses: RelayAddresses, random: any RandomSource, basicAuth: BasicAuth?,
        capacity: Int, times: RelayTimes = RelayTimes()
    ) {
        self.client = client
        self.group = group
        self.addresses = addresses
        self.random = random
        self.basicAuth = basicAuth
        self.times = times
        inner = Mutex(Inner(table: RelayTable(.init(connections: capacity))))
    }

    /// The number of connected routers.
    var count: Int { inner.withLock { $0.table.count } }
    /// The number of commands forwarded since the start.
    var relayed: UInt64 { relayedCount.load(ordering: .relaxed) }
    private let relayedCount = Atomic<UInt64>(0)

    func countRelayed() { relayedCount.add(1, ordering: .relaxed) }

    /// Checks whether a client with this password may use the proxy.
    func allows(_ auth: BasicAuth?) -> Bool { basicAuth == nil || basicAuth == auth }

    /// Gets the session with a router, after connecting to it if necessary.
    func session(with server: SMPServerAddress, for client: RouterClient, answer: @escaping Answer) {
        // The proxy cannot reach onion services, and says so at once.
        guard server.hosts.contains(where: { !$0.isOnion }) else { return answer(.failure(.proxy(.broker(.host)))) }
        let known = inner.withLock { inner -> Result<RelaySession, SMPErrorType>? in
            if inner.isClosed { return .failure(Self.unreachable) }
            switch inner.table.request(server, for: client, answer, at: .now()) {
            case .known(let number): return inner.relays[number].map { .success($0.session) } ?? .failure(Self.unreachable)
            case .waits: return nil
            case .refused, .failed: return .failure(Self.unreachable)
            }
        }
        if let known { answer(known) } else { connectNext() }
    }

    /// Finds the connection of a session that a client knows; nil if it has ended.
    func relay(_ sessionID: Bytes, for client: RouterClient) -> RelayConnection? {
        inner.withLock { inner in
            guard let number = inner.numbers[sessionID] else { return nil }
            inner.table.use(number, by: client, at: .now())
            return inner.relays[number]
        }
    }

    private func connectNext() {
        while let server = inner.withLock({ $0.isClosed ? nil : $0.table.next() }) {
            Task { await connect(server) }
        }
    }

    private func connect(_ server: SMPServerAddress) async {
        let deadline = group.any().scheduleTask(in: times.connect) { [self] in expire(server, Self.unreachable) }
        let outcome = await RelayHandshake.connect(
            to: server, over: client, addresses, random: random, budget: budget, times: times
        ) { [weak self] in self?.ended($0) }
        switch outcome {
        case .success(let relay):
            deadline.cancel()
            add(relay, server)
        case .failure(let failure):
            let late = inner.withLock { $0.table.attemptFailed(server, at: .now(), until: .now() + times.failureMemory) }
            for waiter in late { waiter(.failure(failure.error)) }
            // Where clients may reach private addresses, the duration of a failure reveals no secret of the network.
            if failure.isOfRouter || addresses.allowsPrivate {
                deadline.cancel()
                expire(server, failure.error)
            }
        }
        connectNext()
    }

    private func add(_ relay: RelayConnection, _ server: SMPServerAddress) {
        let (waiters, isKept, evicted) = inner.withLock { inner -> ([Answer], Bool, RelayConnection?) in
            guard !inner.isClosed else { return ([], false, nil) }
            let number = inner.nextNumber
            inner.nextNumber += 1
            let relays = inner.relays
            let result = inner.table.connected(server, as: number, at: .now()) { relays[$0]?.isBusy == true }
            if result.isKept {
                inner.relays[number] = relay
                inner.numbers[relay.session.sessionID] = number
            }
            return (result.waiters, result.isKept, result.evicted.flatMap { Self.forget($0, &inner) })
        }
        evicted?.close()
        guard isKept else {
            relay.close()
            for waiter in waiters { waiter(.failure(Self.unreachable)) }
            return
        }
        // The connection may have ended before it was added; then ``ended(_:)`` has not removed it.
        if relay.isEnded { ended(relay) } else { relay.watch() }
        for waiter in waiters { waiter(.success(relay.session)) }
    }

    private static func forget(_ number: UInt64, _ inner: inout Inner) -> RelayConnection? {
        guard let relay = inner.relays.removeValue(forKey: number) else { return nil }
        inner.numbers[relay.session.sessionID] = nil
        return relay
    }

    /// Reports to the waiters that a router was not reached.
    private func expire(_ server: SMPServerAddress, _ error: SMPErrorType) {
        let waiters = inner.withLock { $0.table.expire(server, at: .now(), until: .now() + times.failureMemory) }
        for waiter in waiters { waiter(.failure(error)) }
    }

    private func ended(_ relay: RelayConnection) {
        inner.withLock { inner in
            guard let number = inner.numbers[relay.session.sessionID], inner.relays[number] === relay else { return }
            _ = Self.forget(number, &inner)
            inner.table.end(number)
        }
    }

    /// Closes all connections; commands that wait are answered with an error.
    func close() {
        let (relays, waiters) = inner.withLock { inner in
            inner.isClosed = true
            return (Array(inner.relays.values), inner.table.clear())
        }
        for relay in relays { relay.close() }
        for waiter in waiters { waiter(.failure(Self.unreachable)) }
        addresses.close()
    }
}
