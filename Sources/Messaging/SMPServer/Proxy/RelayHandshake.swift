import AsyncPrimitives
import NIOCore
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire

/// The handshake that creates a ``RelayConnection``: it connects to a router as a proxy.
final class RelayHandshake: SMPConnectionDelegate, Sendable {
    typealias Outcome = Result<RelayConnection, Failure>

    /// The reason why there is no connection.
    struct Failure: Error {
        /// The error that the client is answered with.
        let error: SMPErrorType
        /// True when the router, which has proven its identity, caused it: then the failure may be reported at once.
        let isOfRouter: Bool

        static let unreachable = Failure(error: RelayPool.unreachable, isOfRouter: false)

        static func of(_ error: BrokerErrorType) -> Failure { Failure(error: .proxy(.broker(error)), isOfRouter: true) }
    }

    private let budget: RelayBudget
    private let times: RelayTimes
    private let handshake: SMPClientHandshake
    private let random: any RandomSource
    private let onEnd: @Sendable (RelayConnection) -> Void
    private let outcome = Promise<Outcome>()

    private init(
        _ handshake: SMPClientHandshake, random: any RandomSource, budget: RelayBudget, times: RelayTimes,
        onEnd: @escaping @Sendable (RelayConnection) -> Void
    ) {
        self.handshake = handshake
        self.random = random
        self.budget = budget
        self.times = times
        self.onEnd = onEnd
    }

    /// Connects to the first host that is not an onion service.
    ///
    /// - Parameter onEnd: called when the created connection has ended.
    static func connect(
        to server: SMPServerAddress, over client: SMPTransportClient, _ addresses: RelayAddresses, random: any RandomSource,
        budget: RelayBudget, times: RelayTimes, onEnd: @escaping @Sendable (RelayConnection) -> Void
    ) async -> Outcome {
        guard let host = server.hosts.first(where: { !$0.isOnion }) else { return .failure(.of(.host)) }
        guard let connection = await open(await addresses.addresses(of: host), server, client, times) else { return .failure(.unreachable) }
        let handshake = SMPClientHandshake(
            versions: SMPVersion.offered, keyHash: server.keyHash, sessionKey: X25519.generateKeyPair(random).privateKey, isProxy: true)
        let attempt = RelayHandshake(handshake, random: random, budget: budget, times: times, onEnd: onEnd)
        let timeout = connection.eventLoop.scheduleTask(in: times.connect) { attempt.outcome.resolve(.failure(.of(.timeout))) }
        defer { timeout.cancel() }
        do {
            try connection.start(attempt)
        } catch {
            return .failure(.unreachable)
        }
        let outcome = await attempt.outcome.value()
        if case .failure = outcome { connection.beginClosing() }
        return outcome
    }

    /// Connects to the first address that has the router of this identity.
    private static func open(
        _ addresses: [IPAddress], _ server: SMPServerAddress, _ client: SMPTransportClient, _ times: RelayTimes
    ) async -> SMPConnection? {
        // TCP and TLS have a time each; together they end before the failure to reach the router is reported.
        let limit = Duration.nanoseconds(times.connect.nanoseconds / Int64(2 * max(1, addresses.count)))
        for address in addresses {
            do throws(ConnectionError) {
                return try await client.connect(
                    host: address.description, port: Int(server.port ?? 5223), keyHash: server.keyHash.bytes, timeout: limit)
            } catch {
                // The answer must not reveal the reason of the failure.
                continue
            }
        }
        return nil
    }

    func connection(_ connection: SMPConnection, received block: Bytes) {
        guard outcome.current == nil else { return }
        do throws(TransportError) {
            outcome.resolve(.success(try answer(block, on: connection)))
        } catch {
            outcome.resolve(.failure(.of(.transport(error))))
        }
    }

    private func answer(_ block: Bytes, on connection: SMPConnection) throws(TransportError) -> RelayConnection {
        var cipher = BlockCipher()
        guard let leaf = connection.peerChain.first, let spki = try? Certificate(der: leaf).publicKeySPKI(),
            let leafKey = try? PublicAuthKey(spki: spki)
        else { throw .handshake(.badAuth) }
        let (hello, parameters) = try handshake.respond(
            to: try cipher.open(block), sessionID: connection.sessionID, leafKey: leafKey)
        let relay = try RelayConnection(connection, parameters, random: random, budget: budget, times: times, onEnd: onEnd)
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

    func connection(_: SMPConnection, ended _: ConnectionError) { outcome.resolve(.failure(.unreachable)) }
}
