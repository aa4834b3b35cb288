import NIOCore
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// The connections that a router has with others as their clients' proxy: one for each other router, made when it is first asked for.
final class RelayPool: Sendable {
    /// Gets the session, or the error to answer with. Called once, on any thread.
    typealias Answer = @Sendable (Result<RelaySession, SMPErrorType>) -> Void

    private enum Slot {
        case connecting([Answer])
        case connected(RelayConnection)
        case failed(SMPErrorType, until: NIODeadline)
    }

    private struct Inner {
        var slots: [SMPServerAddress: Slot] = [:]
        var sessions: [Bytes: RelayConnection] = [:]
        var isClosed = false
    }

    /// For how long a router that could not be reached is not tried again.
    private static let failureMemory = TimeAmount.seconds(5)
    /// After how long without a command a connection is closed.
    private static let idleTimeout = TimeAmount.hours(1)

    private let client: SMPTransportClient
    private let random: any RandomSource
    private let basicAuth: BasicAuth?
    private let capacity: Int
    private let inner = Mutex(Inner())

    /// - Parameters:
    ///   - basicAuth: what clients must know; nil: nothing.
    ///   - capacity: routers that are connected to, being connected to, or remembered for not having answered, at most.
    init(client: SMPTransportClient, random: any RandomSource, basicAuth: BasicAuth?, capacity: Int) {
        self.client = client
        self.random = random
        self.basicAuth = basicAuth
        self.capacity = capacity
    }

    /// Routers that are connected to.
    var count: Int { inner.withLock { $0.sessions.count } }
    /// Commands passed on since the start.
    var relayed: UInt64 { relayedCount.load(ordering: .relaxed) }
    private let relayedCount = Atomic<UInt64>(0)

    func countRelayed() { relayedCount.add(1, ordering: .relaxed) }

    /// Whether a client that shows this may use the proxy.
    func allows(_ auth: BasicAuth?) -> Bool { basicAuth == nil || basicAuth == auth }

    /// The session with a router, connecting first where there is none.
    func session(with server: SMPServerAddress, answer: @escaping Answer) {
        let known = inner.withLock { inner -> Result<RelaySession, SMPErrorType>? in
            if inner.isClosed { return .failure(.proxy(.broker(.network(.failed)))) }
            switch inner.slots[server] {
            case .connected(let relay): return .success(relay.session)
            case .connecting(let answers):
                inner.slots[server] = .connecting(answers + [answer])
                return nil
            case .failed(let error, let until) where .now() < until: return .failure(error)
            case .failed, nil: break
            }
            if inner.slots.count >= capacity { Self.forgetFailures(&inner) }
            guard inner.slots.count < capacity else { return .failure(.proxy(.broker(.network(.failed)))) }
            inner.slots[server] = .connecting([answer])
            Task { await connect(server) }
            return nil
        }
        if let known { answer(known) }
    }

    /// The connection of a session that a client was told of; nil if it has ended.
    func relay(_ sessionID: Bytes) -> RelayConnection? { inner.withLock { $0.sessions[sessionID] } }

    private static func forgetFailures(_ inner: inout Inner) {
        inner.slots = inner.slots.filter { if case .failed = $0.value { false } else { true } }
    }

    private func connect(_ server: SMPServerAddress) async {
        let outcome = await RelayHandshake.connect(to: server, over: client, random: random) { [weak self] in
            self?.ended($0, server)
        }
        let answers = inner.withLock { inner -> [Answer] in
            guard case .connecting(let answers) = inner.slots[server] else { return [] }
            switch outcome {
            case .success(let relay) where inner.isClosed:
                inner.slots[server] = nil
                relay.close()
            case .success(let relay):
                inner.slots[server] = .connected(relay)
                inner.sessions[relay.session.sessionID] = relay
            case .failure(let error): inner.slots[server] = .failed(error, until: .now() + Self.failureMemory)
            }
            return answers
        }
        if case .success(let relay) = outcome { relay.watchIdle(Self.idleTimeout) }
        for answer in answers { answer(outcome.map(\.session)) }
    }

    private func ended(_ relay: RelayConnection, _ server: SMPServerAddress) {
        inner.withLock { inner in
            inner.sessions[relay.session.sessionID] = nil
            if case .connected(let present) = inner.slots[server], present === relay { inner.slots[server] = nil }
        }
    }

    /// Closes all connections; commands that wait are answered with an error.
    func close() {
        let relays = inner.withLock { inner in
            inner.isClosed = true
            return Array(inner.sessions.values)
        }
        for relay in relays { relay.close() }
    }
}
