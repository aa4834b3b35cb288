package import SMPClient
package import SMPCrypto
package import SMPProtocol
import SMPWire
import Synchronization

/// Routers that any number of simulated clients reach.
package final class SimulatedInternet: Sendable {
    private struct Inner {
        var routers: [SMPServerAddress: SimulatedRouter] = [:]
        var clients: [SimulatedRouter.Client: SimulatedNetwork] = [:]
        var nextClient = 0
    }

    private let inner = Mutex(Inner())
    let random: any RandomSource

    package init(random: any RandomSource = SystemRandomSource()) { self.random = random }

    /// Adds a router.
    ///
    /// - Parameter now: the time of day in seconds since 1970, as the router tells it.
    package func addRouter(_ name: String, quota: Int = 128, version: UInt16 = 18, now: (@Sendable () -> Int64)? = nil) -> SimulatedRouter {
        let address = SMPServerAddress(host: .domain(name), keyHash: KeyHash(random.bytes(32)))
        return addRouter(at: address, quota: quota, version: version, now: now)
    }

    /// A router that is reached by that address.
    package func addRouter(
        at address: SMPServerAddress, quota: Int = 128, version: UInt16 = 18, now: (@Sendable () -> Int64)? = nil
    ) -> SimulatedRouter {
        let router = SimulatedRouter(address: address, quota: quota, version: version, random: random, now: now)
        inner.withLock { $0.routers[address] = router }
        return router
    }

    /// A client with connections of its own.
    package func makeClient() -> SimulatedNetwork {
        let client = inner.withLock { inner in
            inner.nextClient += 1
            return SimulatedRouter.Client(number: inner.nextClient)
        }
        return SimulatedNetwork(self, client)
    }

    func router(_ address: SMPServerAddress) -> SimulatedRouter? { inner.withLock { $0.routers[address] } }

    func register(_ client: SimulatedRouter.Client, _ network: SimulatedNetwork?) { inner.withLock { $0.clients[client] = network } }

    func deliver(_ effects: [SimulatedRouter.Effect], from router: SMPServerAddress) {
        for effect in effects {
            switch effect {
            case .message(let client, let queue, let message): network(client)?.deliver(router, queue, message)
            case .ended(let client, let queue): network(client)?.ended(router, queue)
            case .deleted: break
            }
        }
    }

    private func network(_ client: SimulatedRouter.Client) -> SimulatedNetwork? { inner.withLock { $0.clients[client] } }
}

/// The fault of a command.
package enum SimulatedFault: Sendable {
    /// It does not reach the router.
    case lostRequest
    /// The router carries it out and the response is lost.
    case lostResponse
    /// The router answers with this error and does nothing.
    case refused(SMPErrorType)
}

/// One client's view of the simulated routers, with faults.
package final class SimulatedNetwork: SMPRouting {
    private struct Inner {
        var subscriptions: [TransportSessionKey: [RecipientID: QueueSubscription]] = [:]
        var offline: Set<SMPServerAddress> = []
        var isSevered = false
        var commands: [(server: SMPServerAddress, command: String)] = []
        var fault: (@Sendable (SMPRequest, SMPServerAddress) -> SimulatedFault?)?
        var responseFault: (@Sendable () -> Bool)?
        var pause: (@Sendable (SMPRequest) async -> Void)?
        var settings = NetworkConfiguration()
    }

    package let events: AsyncStream<SMPClientEvent>
    private let continuation: AsyncStream<SMPClientEvent>.Continuation
    private let internet: SimulatedInternet
    private let client: SimulatedRouter.Client
    private let inner = Mutex(Inner())

    init(_ internet: SimulatedInternet, _ client: SimulatedRouter.Client) {
        (events, continuation) = AsyncStream.makeStream()
        self.internet = internet
        self.client = client
        internet.register(client, self)
    }

    // MARK: Faults

    /// Sets a function that is called before every command, and may return a fault.
    package func setFault(_ fault: (@Sendable (SMPRequest, SMPServerAddress) -> SimulatedFault?)?) {
        inner.withLock { $0.fault = fault }
    }

    /// Sets a function that is called after every command; if it returns `true`, the response is lost.
    package func setResponseFault(_ fault: (@Sendable () -> Bool)?) { inner.withLock { $0.responseFault = fault } }

    /// Sets a function that is awaited before every command.
    package func setPause(_ pause: (@Sendable (SMPRequest) async -> Void)?) { inner.withLock { $0.pause = pause } }

    /// Names of the commands that were sent, in order.
    package var sentCommands: [String] { inner.withLock { $0.commands.map(\.command) } }

    /// Names of the commands that were sent to a router, in order.
    package func sentCommands(to server: SMPServerAddress) -> [String] {
        inner.withLock { $0.commands.filter { $0.server == server }.map(\.command) }
    }

    /// All connections are lost at once and nothing reaches the routers, as when the process ends.
    package func sever() {
        inner.withLock { $0.isSevered = true }
        internet.register(client, nil)
        continuation.finish()
        for address in contactedServers { internet.router(address)?.disconnect(client) }
    }

    /// The routers that were asked for anything.
    package var contactedServers: Set<SMPServerAddress> {
        inner.withLock { Set($0.subscriptions.keys.map(\.server)).union($0.commands.map(\.server)) }
    }

    /// The connections to a router are lost and cannot be made until ``reconnect(_:)``.
    package func disconnect(_ address: SMPServerAddress) {
        let lost = inner.withLock { inner in
            inner.offline.insert(address)
            return inner.subscriptions.filter { $0.key.server == address }
        }
        internet.router(address)?.disconnect(client)
        for (session, queues) in lost { continuation.yield(.disconnected(session, queues: Array(queues.keys))) }
    }

    /// The router can be reached again, and what was subscribed to is subscribed to again.
    package func reconnect(_ address: SMPServerAddress) {
        let lost = inner.withLock { inner in
            inner.offline.remove(address)
            return inner.subscriptions.filter { $0.key.server == address }
        }
        for (session, queues) in lost {
            continuation.yield(.connected(session))
            var subscribed: [RecipientID] = []
            for subscription in queues.values {
                let request = SMPRequest(entity: subscription.queue, command: .sub, authKey: subscription.authKey)
                guard let router = internet.router(address) else { continue }
                let (result, effects) = router.handle(request, from: client)
                if case .success = result { subscribed.append(subscription.queue) }
                internet.deliver(effects, from: address)
            }
            if !subscribed.isEmpty { continuation.yield(.subscribed(session, queues: subscribed)) }
        }
    }

    func deliver(_ router: SMPServerAddress, _ queue: RecipientID, _ message: ReceivedMessage) {
        guard let session = session(router, queue) else { return }
        continuation.yield(.message(session, queue: queue, message))
    }

    func ended(_ router: SMPServerAddress, _ queue: RecipientID) {
        guard let session = session(router, queue) else { return }
        inner.withLock { $0.subscriptions[session]?[queue] = nil }
        continuation.yield(.ended(session, queue: queue))
    }

    private func session(_ router: SMPServerAddress, _ queue: RecipientID) -> TransportSessionKey? {
        inner.withLock { inner in
            inner.subscriptions.first { $0.key.server == router && $0.value[queue] != nil }?.key
        }
    }

    // MARK: SMPRouting

    package func send(_ request: SMPRequest, over session: TransportSessionKey) async throws(SMPClientError) -> SMPBrokerMessage {
        await inner.withLock { $0.pause }?(request)
        let (fault, isDown, isSevered) = inner.withLock { inner in
            inner.commands.append((session.server, request.command.simulationName))
            return (inner.fault, inner.offline.contains(session.server), inner.isSevered)
        }
        if isSevered { throw SMPClientError(.closed, "the client is closed") }
        guard let router = internet.router(session.server) else { throw SMPClientError(.network(.failed), "no such router") }
        if isDown { throw SMPClientError(.network(.failed), "the router is away") }
        let happens = fault?(request, session.server)
        switch happens {
        case .lostRequest: throw SMPClientError(.timeout, "the request was lost")
        case .refused(let error): throw SMPClientError(.protocol(error), "refused")
        case .lostResponse, nil: break
        }
        let (result, effects) = router.handle(request, from: client)
        remember(request, result, session)
        internet.deliver(effects, from: session.server)
        let responseFault = inner.withLock { $0.responseFault }
        if responseFault?() ?? false { throw SMPClientError(.timeout, "the response was lost") }
        if case .lostResponse = happens { throw SMPClientError(.timeout, "the response was lost") }
        // The fault may have cut the client off, as when the process ends before the response is read.
        if inner.withLock({ $0.isSevered }) { throw SMPClientError(.closed, "the client is closed") }
        switch result {
        case .success(let response): return response
        case .failure(let error): throw SMPClientError(.protocol(error), "the router refused")
        }
    }

    private func remember(
        _ request: SMPRequest, _ result: Result<SMPBrokerMessage, SMPErrorType>, _ session: TransportSessionKey
    ) {
        guard case .success(let response) = result, let key = request.authKey else { return }
        inner.withLock { inner in
            switch (request.command, response) {
            case (.new(let new), .ids(let ids)) where new.subscription == .subscribe:
                inner.subscriptions[session, default: [:]][ids.recipientID] = QueueSubscription(
                    queue: ids.recipientID, authKey: key)
            case (.del, _), (.off, _): inner.subscriptions[session]?[request.entity] = nil
            default: break
            }
        }
    }

    package func send(
        batch: [SMPRequest], over session: TransportSessionKey
    ) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        var results: [Result<SMPBrokerMessage, SMPClientError>] = []
        for request in batch {
            do throws(SMPClientError) {
                results.append(.success(try await send(request, over: session)))
            } catch {
                results.append(.failure(error))
            }
        }
        return results
    }

    package func subscribe(
        _ queues: [QueueSubscription], over session: TransportSessionKey
    ) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        inner.withLock { inner in
            for queue in queues { inner.subscriptions[session, default: [:]][queue.queue] = queue }
        }
        let results = await send(
            batch: queues.map { SMPRequest(entity: $0.queue, command: .sub, authKey: $0.authKey) }, over: session)
        for (queue, result) in zip(queues, results) {
            if case .failure(let error) = result, !error.isTemporary {
                inner.withLock { $0.subscriptions[session]?[queue.queue] = nil }
            }
        }
        return results
    }

    package func unsubscribe(_ queues: [RecipientID], over session: TransportSessionKey) async {
        inner.withLock { inner in
            for queue in queues { inner.subscriptions[session]?[queue] = nil }
        }
    }

    package func sessionInfo(_ session: TransportSessionKey) async throws(SMPClientError) -> SMPSessionInfo {
        guard let router = internet.router(session.server) else { throw SMPClientError(.network(.failed), "no such router") }
        return SMPSessionInfo(version: router.version, versions: VersionRange(router.version), sessionID: [])
    }

    /// Connections without wires are not told apart by settings; they are made anew where real ones are.
    package func setNetwork(_ network: NetworkConfiguration) async throws(SMPClientError) {
        let isAnother = inner.withLock { inner in
            defer { inner.settings = network }
            inner.settings.isSlow = network.isSlow
            return inner.settings != network
        }
        if isAnother { await reconnect { _ in true } }
    }

    /// Without wires there are no certificates.
    package func setServices(_ source: (any ServiceCredentialSource)?) async {}

    package func reconnect(_ matches: @Sendable (TransportSessionKey) -> Bool) async {
        let routers = inner.withLock { inner in
            Set(inner.subscriptions.keys.filter(matches).map(\.server)).subtracting(inner.offline)
        }
        for router in routers {
            disconnect(router)
            reconnect(router)
        }
    }

    package func sessionStates() async -> [TransportSessionKey: SMPSessionState] {
        inner.withLock { inner in
            Dictionary(
                uniqueKeysWithValues: inner.subscriptions.filter { !$0.value.isEmpty }.keys.map {
                    ($0, inner.offline.contains($0.server) ? .failed : .connected)
                })
        }
    }

    package func close() async { sever() }
}

extension SMPCommand {
    /// The command's name, without what it holds.
    var simulationName: String {
        switch self {
        case .new: "NEW"
        case .sub: "SUB"
        case .key: "KEY"
        case .skey: "SKEY"
        case .send: "SEND"
        case .ack: "ACK"
        case .off: "OFF"
        case .del: "DEL"
        case .que: "QUE"
        case .lset: "LSET"
        case .ldel: "LDEL"
        case .lkey: "LKEY"
        case .lget: "LGET"
        case .ping: "PING"
        default: "other"
        }
    }
}
