package import SMPClient
package import SMPProtocol
import SMPWire
import Synchronization

/// Puts proxies in front of real routers that are not proxies: `PRXY` and `PFWD` to any router are answered here, over a connection to the
/// destination such as a proxy has. All else continues to the network behind it.
package final class ProxyingNetwork: SMPRouting {
    private struct Inner {
        var relays: [Bytes: ProxyConnection] = [:]
        var connectCount = 0
        var forwardCount = 0
        var fault: (@Sendable (SMPRequest, TransportSessionKey) -> SMPErrorType?)?
        var change: (@Sendable (SMPBrokerMessage) -> SMPBrokerMessage)?
    }

    private let network: any SMPRouting
    private let inner = Mutex(Inner())

    package init(_ network: any SMPRouting) { self.network = network }

    /// Commands `PRXY` that were answered.
    package var connectCount: Int { inner.withLock { $0.connectCount } }
    /// Commands `PFWD` that were passed on.
    package var forwardCount: Int { inner.withLock { $0.forwardCount } }

    /// Asked before every command to a proxy: an error is answered in place of doing it.
    package func setFault(_ fault: (@Sendable (SMPRequest, TransportSessionKey) -> SMPErrorType?)?) {
        inner.withLock { $0.fault = fault }
    }

    /// Changes what the proxies answer.
    package func setChange(_ change: (@Sendable (SMPBrokerMessage) -> SMPBrokerMessage)?) { inner.withLock { $0.change = change } }

    /// The proxies' sessions with other routers are lost.
    package func loseSessions() async {
        let relays = inner.withLock { inner in
            defer { inner.relays = [:] }
            return Array(inner.relays.values)
        }
        for relay in relays { await relay.close() }
    }

    package func send(
        _ request: SMPRequest, over session: TransportSessionKey
    ) async throws(SMPClientError) -> SMPBrokerMessage {
        let response: SMPBrokerMessage
        switch request.command {
        case .prxy(let server, _):
            try checkFault(request, session)
            response = .pkey(try await connect(server))
        case .pfwd(let command):
            try checkFault(request, session)
            response = .pres(try await forward(command, request))
        default: return try await network.send(request, over: session)
        }
        return inner.withLock { $0.change }?(response) ?? response
    }

    private func checkFault(_ request: SMPRequest, _ session: TransportSessionKey) throws(SMPClientError) {
        if let error = inner.withLock({ $0.fault })?(request, session) {
            throw SMPClientError(.protocol(error), "the proxy answered ERR \(error)")
        }
    }

    private func connect(_ server: SMPServerAddress) async throws(SMPClientError) -> RelaySession {
        let relay: ProxyConnection
        do {
            relay = try await ProxyConnection.open(server)
        } catch {
            throw SMPClientError(.protocol(.proxy(.broker(.network(.failed)))), "no connection", cause: error)
        }
        inner.withLock { inner in
            inner.connectCount += 1
            inner.relays[relay.session.sessionID] = relay
        }
        return relay.session
    }

    private func forward(_ command: ForwardedCommand, _ request: SMPRequest) async throws(SMPClientError) -> Bytes {
        let relay = inner.withLock { inner in
            inner.forwardCount += 1
            return inner.relays[request.entity.bytes]
        }
        guard let relay, let id = request.correlationID else {
            throw SMPClientError(.protocol(.proxy(.noSession)), "no session with the router")
        }
        do {
            return try await relay.forward(command, id)
        } catch let error as SMPErrorType {
            throw SMPClientError(.protocol(.proxy(.protocol(error))), "the router answered ERR \(error)")
        } catch {
            throw SMPClientError(.protocol(.proxy(.broker(.network(.failed)))), "the connection is lost", cause: error)
        }
    }

    package func send(
        batch: [SMPRequest], over session: TransportSessionKey
    ) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        await network.send(batch: batch, over: session)
    }

    package func subscribe(
        _ queues: [QueueSubscription], over session: TransportSessionKey
    ) async -> [Result<SMPBrokerMessage, SMPClientError>] {
        await network.subscribe(queues, over: session)
    }

    package func unsubscribe(_ queues: [RecipientID], over session: TransportSessionKey) async {
        await network.unsubscribe(queues, over: session)
    }

    package func sessionInfo(_ session: TransportSessionKey) async throws(SMPClientError) -> SMPSessionInfo {
        try await network.sessionInfo(session)
    }

    package func setNetwork(_ settings: NetworkConfiguration) async throws(SMPClientError) { try await network.setNetwork(settings) }

    package func setServices(_ source: (any ServiceCredentialSource)?) async { await network.setServices(source) }

    package func reconnect(_ matches: @Sendable (TransportSessionKey) -> Bool) async { await network.reconnect(matches) }

    package func sessionStates() async -> [TransportSessionKey: SMPSessionState] { await network.sessionStates() }

    package var events: AsyncStream<SMPClientEvent> { network.events }

    package func close() async {
        await loseSessions()
        await network.close()
    }
}
