package import SMPCrypto
package import SMPProtocol
import Synchronization

/// Sends the commands of senders directly or through a proxy, as a ``PrivateRoutingPolicy`` says (simplex-messaging.md, "Proxying
/// sender commands").
///
/// A proxy is one of the user's own routers, drawn at random for each router that commands go to and kept while it can be used. The
/// proxy sees who sends, the router behind it sees what is sent, and neither sees both.
package final class PrivateRouter: Sendable {
    /// A response and how it came.
    package struct Response: Sendable {
        package let message: SMPBrokerMessage
        /// nil if the command was sent directly.
        package let proxy: SMPServerAddress?
    }

    private typealias Attempt = Result<ProxiedRelay, PrivateRoutingError>

    /// The proxy in use for one router, and its session with that router.
    private struct Route {
        let number: Int
        let proxy: SMPServerWithAuth
        let relay: Task<Attempt, Never>
    }

    private struct Inner {
        var routes: [TransportSessionKey: Route] = [:]
        /// Destinations that cannot be reached through a proxy, and until when that is believed.
        var refusals: [TransportSessionKey: (error: PrivateRoutingError, until: Duration)] = [:]
        var lastNumber = 0
        var times: NetworkConfiguration
    }

    /// Routes that are kept; all are forgotten when there are more.
    private static let capacity = 4096
    /// The pause before a proxy that could not be used for a router is asked again: a router may be updated.
    private static let refusalMemory = Duration.seconds(600)

    private let network: any SMPRouting
    private let random: any RandomSource
    private let time: ClientTime
    private let inner: Mutex<Inner>

    /// - Parameter times: whose limits count: a command through a proxy may take as long as two.
    package init(
        network: any SMPRouting, random: any RandomSource = SystemRandomSource(),
        times: NetworkConfiguration = NetworkConfiguration(), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.network = network
        self.random = random
        inner = Mutex(Inner(times: times))
        time = ClientTime(clock)
    }

    private var times: NetworkConfiguration { inner.withLock { $0.times } }

    /// Uses other time limits, and draws proxies anew.
    package func reset(times: NetworkConfiguration) { inner.withLock { $0 = Inner(lastNumber: $0.lastNumber, times: times) } }

    /// Sends a command of a sender (`SEND`, `SKEY`) or of who opens a link (`LKEY`, `LGET`), and waits for the response.
    ///
    /// - Parameters:
    ///   - session: the purpose of a direct connection.
    ///   - known: the user's own routers.
    ///   - proxies: the routers that may become the proxy; nil for the user's own.
    /// - Returns: the response of the router, never `ERR`.
    package func send(
        _ request: SMPRequest, over session: TransportSessionKey, policy: PrivateRoutingPolicy, known: [SMPServerWithAuth],
        proxies: [SMPServerWithAuth]? = nil
    ) async throws(PrivateRoutingError) -> Response {
        guard policy.usesProxy(for: session.server, known: known), let candidates = policy.proxies(among: proxies ?? known) else {
            return try await sendDirectly(request, session)
        }
        do throws(PrivateRoutingError) {
            return try await sendThroughProxy(request, session, candidates)
        } catch {
            guard error.isHostError, policy.allowsDirect(to: session.server) else { throw error }
            return try await sendDirectly(request, session)
        }
    }

    private func sendDirectly(
        _ request: SMPRequest, _ session: TransportSessionKey
    ) async throws(PrivateRoutingError) -> Response {
        do {
            return Response(message: try await network.send(request, over: session), proxy: nil)
        } catch {
            throw .client(error, server: session.server)
        }
    }

    private func sendThroughProxy(
        _ request: SMPRequest, _ session: TransportSessionKey, _ known: [SMPServerWithAuth]
    ) async throws(PrivateRoutingError) -> Response {
        let route = try route(for: session, known)
        do throws(PrivateRoutingError) {
            return try await send(request, over: route, session)
        } catch {
            guard case .proxy(.protocol(.proxy(.noSession)), _, _) = error else { throw error }
            // The proxy has lost its session with the router, or ours with the proxy was made anew: once more by the same proxy.
            forget(route, session)
            return try await send(request, over: self.route(for: session, [route.proxy]), session)
        }
    }

    private func send(
        _ request: SMPRequest, over route: Route, _ session: TransportSessionKey
    ) async throws(PrivateRoutingError) -> Response {
        let relay: ProxiedRelay
        switch await route.relay.value {
        case .success(let made): relay = made
        case .failure(let error):
            // Another proxy may do better, unless it is the router behind it that cannot be used.
            forget(route, session)
            if error.isHostError {
                let until = time.now() + Self.refusalMemory
                inner.withLock { $0.refusals[session] = (error, until) }
            }
            throw error
        }
        let proxy = route.proxy.server
        let forwarded: ProxiedRelay.Forwarded
        do throws(SMPClientError) {
            forwarded = try relay.seal(request, timeout: request.timeout ?? times.responseLimit(isInteractive: request.command.isInteractive) * 2, random)
        } catch {
            throw .client(error, server: session.server)
        }
        let response: SMPBrokerMessage
        do throws(SMPClientError) {
            response = try await network.send(forwarded.request, over: Self.key(of: proxy, for: session))
        } catch {
            if let fault = ProxyFault(error) { throw .proxy(fault, proxy: proxy, relay: session.server) }
            throw .client(error, server: proxy)
        }
        guard case .pres(let encrypted) = response else {
            throw .proxy(.unexpectedResponse(response.name), proxy: proxy, relay: session.server)
        }
        do throws(SMPClientError) {
            return Response(message: try relay.open(encrypted, to: forwarded), proxy: proxy)
        } catch {
            throw .client(error, server: session.server)
        }
    }

    // MARK: Routes

    /// The route in use, or a new one if its proxy is none of the known routers.
    ///
    /// - Throws: `incompatibleHost` if there is no router that could be a proxy.
    private func route(
        for session: TransportSessionKey, _ known: [SMPServerWithAuth]
    ) throws(PrivateRoutingError) -> Route {
        guard let drawn = draw(known, avoiding: session.server) else {
            throw .client(SMPClientError(.incompatibleHost, "there is no router that could be a proxy"), server: session.server)
        }
        let now = time.now()
        let found = inner.withLock { inner -> Result<Route, PrivateRoutingError> in
            // One that was drawn among others may be no proxy for this command.
            if let route = inner.routes[session], known.contains(where: { $0.server == route.proxy.server }) { return .success(route) }
            if let refusal = inner.refusals[session], now < refusal.until { return .failure(refusal.error) }
            if inner.routes.count + inner.refusals.count >= Self.capacity {
                inner.routes.removeAll()
                inner.refusals.removeAll()
            }
            inner.refusals[session] = nil
            inner.lastNumber += 1
            // A task of its own: the first to ask may be cancelled while others wait for the same session.
            let relay = Task { await connect(drawn, session) }
            let route = Route(number: inner.lastNumber, proxy: drawn, relay: relay)
            inner.routes[session] = route
            return .success(route)
        }
        return try found.get()
    }

    private func forget(_ route: Route, _ session: TransportSessionKey) {
        inner.withLock { inner in
            if inner.routes[session]?.number == route.number { inner.routes[session] = nil }
        }
    }

    /// A random router, another than the destination if there is one.
    private func draw(_ servers: [SMPServerWithAuth], avoiding destination: SMPServerAddress) -> SMPServerWithAuth? {
        let others = servers.filter { Set($0.server.hosts).isDisjoint(with: destination.hosts) }
        let candidates = others.isEmpty ? servers : others
        guard !candidates.isEmpty else { return nil }
        let number = random.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return candidates[Int(number % UInt32(candidates.count))]
    }

    private static func key(of proxy: SMPServerAddress, for session: TransportSessionKey) -> TransportSessionKey {
        TransportSessionKey(userID: session.userID, server: proxy, entity: session.entity)
    }

    /// Asks a proxy for a session with a router.
    private func connect(_ proxy: SMPServerWithAuth, _ session: TransportSessionKey) async -> Attempt {
        do throws(SMPClientError) {
            let request = SMPRequest(
                command: .prxy(session.server, proxy.basicAuth), timeout: times.connectLimit(isInteractive: true) + times.responseLimit(isInteractive: true))
            let response = try await network.send(request, over: Self.key(of: proxy.server, for: session))
            guard case .pkey(let relay) = response else {
                throw SMPClientError(.unexpectedResponse(response.name), "the proxy answered \(response.name)")
            }
            return .success(try ProxiedRelay(relay, server: session.server, random: random))
        } catch {
            return .failure(.client(error, server: proxy.server))
        }
    }
}
