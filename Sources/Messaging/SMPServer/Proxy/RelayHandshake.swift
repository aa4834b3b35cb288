import NIOCore
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// Makes a ``RelayConnection``: connects to a router and tells it that a proxy has come.
final class RelayHandshake: SMPConnectionDelegate, Sendable {
    typealias Outcome = Result<RelayConnection, SMPErrorType>

    private enum State {
        case waiting(CheckedContinuation<Outcome, Never>?)
        case over(Outcome)
    }

    static let timeout = TimeAmount.seconds(30)

    private let handshake: SMPClientHandshake
    private let random: any RandomSource
    private let onEnd: @Sendable (RelayConnection) -> Void
    private let state = Mutex(State.waiting(nil))

    private init(_ handshake: SMPClientHandshake, random: any RandomSource, onEnd: @escaping @Sendable (RelayConnection) -> Void) {
        self.handshake = handshake
        self.random = random
        self.onEnd = onEnd
    }

    /// Connects to the first host that is not an onion service.
    ///
    /// - Parameter onEnd: told when the connection, once made, has ended.
    /// - Returns: the connection, or what the client that asked is answered with.
    static func connect(
        to server: SMPServerAddress, over client: SMPTransportClient, random: any RandomSource,
        onEnd: @escaping @Sendable (RelayConnection) -> Void
    ) async -> Outcome {
        guard let host = server.hosts.first(where: { !$0.isOnion }) else { return .failure(.proxy(.broker(.host))) }
        let connection: SMPConnection
        do {
            connection = try await client.connect(
                host: host.description, port: Int(server.port ?? 5223), keyHash: server.keyHash.bytes)
        } catch {
            return .failure(.proxy(.broker(.network(NetworkError(error)))))
        }
        let handshake = SMPClientHandshake(
            versions: SMPVersion.offered, keyHash: server.keyHash, sessionKey: X25519.generateKeyPair(random).privateKey, isProxy: true)
        let attempt = RelayHandshake(handshake, random: random, onEnd: onEnd)
        let timeout = connection.eventLoop.scheduleTask(in: timeout) { attempt.finish(.failure(.proxy(.broker(.timeout)))) }
        defer { timeout.cancel() }
        do {
            try connection.start(attempt)
        } catch {
            return .failure(.proxy(.broker(.network(.failed))))
        }
        let outcome = await attempt.outcome
        if case .failure = outcome { connection.beginClosing() }
        return outcome
    }

    private var outcome: Outcome {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Outcome? in
                    if case .over(let outcome) = state { return outcome }
                    state = .waiting(continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    private func finish(_ outcome: Outcome) {
        let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard case .waiting(let waiter) = state else { return nil }
            state = .over(outcome)
            return waiter
        }
        waiter?.resume(returning: outcome)
    }

    func connection(_ connection: SMPConnection, received block: Bytes) {
        if case .over = state.withLock({ $0 }) { return }
        do throws(TransportError) {
            finish(.success(try answer(block, on: connection)))
        } catch {
            finish(.failure(.proxy(.broker(.transport(error)))))
        }
    }

    private func answer(_ block: Bytes, on connection: SMPConnection) throws(TransportError) -> RelayConnection {
        var cipher = BlockCipher()
        guard let leaf = connection.peerChain.first, let spki = try? Certificate(der: leaf).publicKeySPKI(),
            let leafKey = try? PublicAuthKey(spki: spki)
        else { throw .handshake(.badAuth) }
        let (hello, parameters) = try handshake.respond(
            to: try cipher.open(block), sessionID: connection.sessionID, leafKey: leafKey)
        let relay = try RelayConnection(connection, parameters, random: random, onEnd: onEnd)
        do {
            try connection.write([try cipher.seal(hello.wireBytes)])
            try connection.handOver(to: relay)
        } catch {
            throw .badBlock
        }
        return relay
    }

    func connectionReceivedAllForNow(_: SMPConnection) {}

    func connection(_: SMPConnection, isWritable _: Bool) {}

    func connection(_: SMPConnection, ended reason: ConnectionError) {
        finish(.failure(.proxy(.broker(.network(NetworkError(reason))))))
    }
}

extension NetworkError {
    fileprivate init(_ error: ConnectionError) {
        switch error.code {
        case .connectFailed: self = .connect(error.message)
        case .timedOut: self = .timeout
        case .tlsFailed, .wrongProtocol: self = .tls(error.message)
        case .wrongIdentity: self = .unknownCA
        default: self = .failed
        }
    }
}
