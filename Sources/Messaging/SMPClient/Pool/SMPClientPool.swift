package import Logging
package import NIOCore
import NIOPosix
package import SMPCrypto
package import SMPProtocol
import SMPWire
import Synchronization

/// The connector with the settings in use.
private final class LiveConnector: Sendable {
    private let connector: Mutex<RouterConnector>

    init(_ connector: RouterConnector) { self.connector = Mutex(connector) }

    var current: RouterConnector { connector.withLock { $0 } }

    func set(_ new: RouterConnector) { connector.withLock { $0 = new } }
}

/// The connections of a process to the routers of the network.
///
/// Connections are made when they are needed and shared by all who use the same ``TransportSessionKey``. All of them run on the
/// event loops of one group. Released without ``close()`` it leaves its connections open.
package final class SMPClientPool: SMPRouting {
    /// See ``SMPRouting/events``.
    package let events: AsyncStream<SMPClientEvent>
    private let emitter: AsyncStream<SMPClientEvent>.Continuation
    private let environment: SessionSlot.Environment
    private let slots = Mutex(Slots())
    private let live: LiveConnector
    private let services: ServiceSourceBox
    private let makeConnector: @Sendable (SMPClientConfiguration) -> Result<RouterConnector, SMPClientError>

    private struct Slots {
        var byKey: [TransportSessionKey: SessionSlot] = [:]
        var isClosed = false
    }

    /// - Parameters:
    ///   - group: the event loops; two of them serve thousands of connections.
    ///   - random: for correlation ids, session keys and jitter.
    ///   - clock: for timeouts and back-off.
    ///   - logger: told at `debug` level about connections, and about what routers say that answers nothing.
    /// - Throws: ``SMPClientError`` `crypto` when TLS is not available here.
    package init(
        configuration: SMPClientConfiguration = SMPClientConfiguration(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, random: any RandomSource = SystemRandomSource(),
        clock: some Clock<Duration> = ContinuousClock(), logger: Logger = Logger(label: "smp.client")
    ) throws(SMPClientError) {
        let time = ClientTime(clock)
        let services = ServiceSourceBox()
        self.services = services
        makeConnector = { configuration in
            Result { () throws(SMPClientError) in
                try RouterConnector(configuration, group: group, services: services, random: random, time: time)
            }
        }
        let live = LiveConnector(try makeConnector(configuration).get())
        self.live = live
        let (events, emitter) = AsyncStream.makeStream(of: SMPClientEvent.self)
        self.events = events
        self.emitter = emitter
        environment = SessionSlot.Environment(
            connector: { live.current }, time: time, logger: logger,
            randomUnit: {
                let bytes = random.bytes(4)
                return Double(bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) / Double(UInt32.max)
            },
            emit: { emitter.yield($0) })
    }

    func slot(_ key: TransportSessionKey) -> SessionSlot? {
        slots.withLock { slots in
            if slots.isClosed { return nil }
            if let slot = slots.byKey[key] { return slot }
            let slot = SessionSlot(key, environment)
            slots.byKey[key] = slot
            return slot
        }
    }

    package func send(
        _ request: SMPRequest, over session: TransportSessionKey
    ) async throws(SMPClientError) -> SMPBrokerMessage {
        let results = await send(batch: [request], over: session)
        guard let result = results.first else {
            throw SMPClientError(.invalidRequest, "no response to one command")
        }
        return try result.get()
    }

    package func send(
        batch: [SMPRequest], over session: TransportSessionKey
    ) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        guard !batch.isEmpty else { return [] }
        guard let slot = slot(session) else { return batch.map { _ in .failure(SessionSlot.closedError) } }
        do throws(SMPClientError) {
            let connection = try await slot.session(isInteractive: batch.contains { $0.command.isInteractive })
            let results = await connection.send(batch)
            for (request, result) in zip(batch, results) { slot.note(request, result, on: connection) }
            return results
        } catch {
            return batch.map { _ in .failure(error) }
        }
    }

    package func subscribe(
        _ queues: [QueueSubscription], over session: TransportSessionKey
    ) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        guard !queues.isEmpty else { return [] }
        guard let slot = slot(session) else { return queues.map { _ in .failure(SessionSlot.closedError) } }
        return await slot.subscribe(queues)
    }

    package func unsubscribe(_ queues: [RecipientID], over session: TransportSessionKey) async {
        slots.withLock { $0.byKey[session] }?.unsubscribe(queues)
    }

    package func sessionInfo(_ session: TransportSessionKey) async throws(SMPClientError) -> SMPSessionInfo {
        guard let slot = slot(session) else { throw SessionSlot.closedError }
        return try await slot.session(isInteractive: true).info
    }

    package func setNetwork(_ network: NetworkConfiguration) async throws(SMPClientError) {
        var configuration = live.current.configuration
        guard configuration.network != network else { return }
        configuration.network.isSlow = network.isSlow
        if configuration.network == network { return live.set(live.current.with(isSlow: network.isSlow)) }
        configuration.network = network
        live.set(try makeConnector(configuration).get())
        await reconnect { _ in true }
    }

    package func setServices(_ source: (any ServiceCredentialSource)?) async { services.set(source) }

    package func reconnect(_ matches: @Sendable (TransportSessionKey) -> Bool) async {
        for slot in slots.withLock({ $0.byKey.values.filter { matches($0.key) } }) { slot.reconnect() }
    }

    package func sessionStates() async -> [TransportSessionKey: SMPSessionState] {
        slots.withLock { $0.byKey }.compactMapValues(\.sessionState)
    }

    package func close() async {
        let all = slots.withLock { slots in
            slots.isClosed = true
            defer { slots.byKey = [:] }
            return Array(slots.byKey.values)
        }
        for slot in all { slot.close() }
        emitter.finish()
    }
}
