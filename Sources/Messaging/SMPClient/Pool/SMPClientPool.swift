public import Logging
public import NIOCore
public import NIOPosix
public import SMPCrypto
public import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// The connections of a process to the routers of the network.
///
/// Connections are made when they are needed and shared by all who use the same ``TransportSessionKey``. All of them run on the
/// event loops of one group. Released without ``close()`` it leaves its connections open.
public final class SMPClientPool: SMPRouting {
    /// See ``SMPRouting/events``.
    public let events: AsyncStream<SMPClientEvent>
    private let emitter: AsyncStream<SMPClientEvent>.Continuation
    private let environment: SessionSlot.Environment
    private let slots = Mutex(Slots())

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
    public init(
        configuration: SMPClientConfiguration = SMPClientConfiguration(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, random: any RandomSource = SystemRandomSource(),
        clock: some Clock<Duration> = ContinuousClock(), logger: Logger = Logger(label: "smp.client")
    ) throws(SMPClientError) {
        let time = ClientTime(clock)
        let connector: RouterConnector
        do throws(ConnectionError) {
            connector = RouterConnector(
                transport: try SMPTransportClient(configuration: configuration.transport, group: group),
                configuration: configuration, random: random, time: time)
        } catch {
            throw SMPClientError(.crypto, "TLS is not available: \(error.message)", cause: error)
        }
        let (events, emitter) = AsyncStream.makeStream(of: SMPClientEvent.self)
        self.events = events
        self.emitter = emitter
        environment = SessionSlot.Environment(
            configuration: configuration, time: time, logger: logger,
            randomUnit: {
                let bytes = random.bytes(4)
                return Double(bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) / Double(UInt32.max)
            },
            emit: { emitter.yield($0) }, connect: { await connector.connect($0, $1) })
    }

    private func slot(_ key: TransportSessionKey) -> SessionSlot? {
        slots.withLock { slots in
            if slots.isClosed { return nil }
            if let slot = slots.byKey[key] { return slot }
            let slot = SessionSlot(key, environment)
            slots.byKey[key] = slot
            return slot
        }
    }

    public func send(
        _ request: SMPRequest, over session: TransportSessionKey
    ) async throws(SMPClientError) -> SMPBrokerMessage {
        let results = await send(batch: [request], over: session)
        guard let result = results.first else {
            throw SMPClientError(.invalidRequest, "no response to one command")
        }
        return try result.get()
    }

    public func send(
        batch: [SMPRequest], over session: TransportSessionKey
    ) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        guard !batch.isEmpty else { return [] }
        guard let slot = slot(session) else { return batch.map { _ in .failure(SessionSlot.closedError) } }
        do throws(SMPClientError) {
            let connection = try await slot.session()
            let results = await connection.send(batch)
            for (request, result) in zip(batch, results) { slot.note(request, result, on: connection) }
            return results
        } catch {
            return batch.map { _ in .failure(error) }
        }
    }

    public func subscribe(
        _ queues: [QueueSubscription], over session: TransportSessionKey
    ) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        guard !queues.isEmpty else { return [] }
        guard let slot = slot(session) else { return queues.map { _ in .failure(SessionSlot.closedError) } }
        return await slot.subscribe(queues)
    }

    public func unsubscribe(_ queues: [RecipientID], over session: TransportSessionKey) async {
        slots.withLock { $0.byKey[session] }?.unsubscribe(queues)
    }

    public func sessionInfo(_ session: TransportSessionKey) async throws(SMPClientError) -> SMPSessionInfo {
        guard let slot = slot(session) else { throw SessionSlot.closedError }
        return try await slot.session().info
    }

    public func close() async {
        let all = slots.withLock { slots in
            slots.isClosed = true
            defer { slots.byKey = [:] }
            return Array(slots.byKey.values)
        }
        for slot in all { slot.close() }
        emitter.finish()
    }
}
