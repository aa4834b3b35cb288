import NIOCore
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire

/// Makes connections to routers, one host after the other.
struct RouterConnector: Sendable {
    let transport: SMPTransportClient
    let configuration: SMPClientConfiguration
    let random: any RandomSource
    let time: ClientTime
    /// What tells a SOCKS proxy connections of this connector from those of others.
    let epoch: String

    init(
        _ configuration: SMPClientConfiguration, group: any EventLoopGroup, random: any RandomSource, time: ClientTime
    ) throws(SMPClientError) {
        var transport = configuration.transport
        transport.proxy = configuration.network.socksProxy
        transport.keepAlive = configuration.network.keepAlive
        do {
            self.transport = try SMPTransportClient(configuration: transport, group: group)
        } catch {
            throw SMPClientError(.crypto, "TLS is not available: \(error.message)", cause: error)
        }
        self.configuration = configuration
        self.random = random
        self.time = time
        epoch = Base64URL.encode(random.bytes(12))
    }

    /// - Parameter isInteractive: whether a person waits.
    func connect(
        _ key: TransportSessionKey, isInteractive: Bool, _ observer: SMPSessionObserver
    ) async -> Result<SMPSession, SMPClientError> {
        let hosts = configuration.network.hosts(of: key.server)
        let timeout = configuration.network.connectTimeout.limit(isInteractive: isInteractive)
        var failure = SMPClientError(.incompatibleHost, "none of the router's hosts can be reached with these network settings")
        for host in hosts {
            do throws(SMPClientError) {
                return .success(try await connect(host, key, timeout, observer))
            } catch {
                failure = error
                // Only a host that cannot be reached makes the next one worth trying.
                guard case .network(let reason) = error.code, reason != .unknownCA, !Task.isCancelled else { break }
            }
        }
        return .failure(failure)
    }

    private func connect(
        _ host: TransportHost, _ key: TransportSessionKey, _ timeout: Duration, _ observer: SMPSessionObserver
    ) async throws(SMPClientError) -> SMPSession {
        let server = key.server
        let connection: SMPConnection
        do throws(ConnectionError) {
            connection = try await transport.connect(
                host: host.description, port: configuration.port(of: server), keyHash: server.keyHash.bytes,
                purpose: configuration.network.purpose(of: key, epoch: epoch), timeout: timeout,
                usesProxy: configuration.network.usesProxy(for: host))
        } catch {
            throw SMPClientError(error)
        }
        let handshake = SMPClientHandshake(
            versions: configuration.versions, keyHash: server.keyHash,
            sessionKey: X25519.generateKeyPair(random).privateKey)
        return try await SMPSessionHandshake(handshake) { [self] connection, parameters in
            SMPSession(
                connection, parameters, configuration: configuration, random: random, time: time, observer: observer)
        }.run(on: connection, timeout: timeout, time: time)
    }
}
