import NIOCore
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// Makes connections to routers, one host after the other.
struct RouterConnector: Sendable {
    let transport: SMPTransportClient
    private let group: any EventLoopGroup
    private(set) var configuration: SMPClientConfiguration
    let random: any RandomSource
    let time: ClientTime
    let services: ServiceSourceBox
    /// A random name that distinguishes connections of this connector from those of others for a SOCKS proxy.
    let epoch: String

    init(
        _ configuration: SMPClientConfiguration, group: any EventLoopGroup, services: ServiceSourceBox = ServiceSourceBox(),
        random: any RandomSource, time: ClientTime
    ) throws(SMPClientError) {
        self.group = group
        self.services = services
        transport = try Self.transport(configuration, nil, group)
        self.configuration = configuration
        self.random = random
        self.time = time
        epoch = Base64URL.encode(random.bytes(12))
    }

    /// The same for other time limits.
    func with(isSlow: Bool) -> RouterConnector {
        var other = self
        other.configuration.network.isSlow = isSlow
        return other
    }

    private static func transport(
        _ configuration: SMPClientConfiguration, _ credential: ServerCredential?, _ group: any EventLoopGroup
    ) throws(SMPClientError) -> SMPTransportClient {
        var transport = configuration.transport
        transport.proxy = configuration.network.socksProxy
        transport.keepAlive = configuration.network.keepAlive
        if let credential { transport.serviceCredential = credential }
        do {
            return try SMPTransportClient(configuration: transport, group: group)
        } catch {
            throw SMPClientError(.crypto, "TLS is not available: \(error.message)", cause: error)
        }
    }

    /// The client's service on a connection.
    private struct Service {
        let transport: SMPTransportClient
        let claim: ServiceClaim
    }

    private func service(_ key: TransportSessionKey) async throws(SMPClientError) -> Service? {
        guard configuration.network.usesServices, configuration.network.sessionMode != .entity, let source = services.source else { return nil }
        let credential: ServerCredential?
        do {
            credential = try await source.serviceCredential(user: key.userID, server: key.server)
        } catch {
            throw SMPClientError(.crypto, "the service's certificate is not available: \(error)", cause: error)
        }
        guard let credential else { return nil }
        return Service(
            transport: try Self.transport(configuration, credential, group), claim: try ServiceClaim(credential, random: random))
    }

    /// - Parameter isInteractive: whether a person waits.
    /// - Returns: the session, and why the client is no service in it where it was to be one.
    func connect(
        _ key: TransportSessionKey, isInteractive: Bool, _ observer: SMPSessionObserver
    ) async -> Result<(session: SMPSession, serviceRefusal: SMPClientError?), SMPClientError> {
        var refusal: SMPClientError?
        do throws(SMPClientError) {
            if let service = try await service(key) {
                switch await connect(key, service, isInteractive: isInteractive, observer) {
                case .success(let session): return .success((session, nil))
                case .failure(let error) where error.refusesService: refusal = error
                case .failure(let error): return .failure(error)
                }
            }
        } catch {
            refusal = error
        }
        return await connect(key, nil, isInteractive: isInteractive, observer).map { ($0, refusal) }
    }

    private func connect(
        _ key: TransportSessionKey, _ service: Service?, isInteractive: Bool, _ observer: SMPSessionObserver
    ) async -> Result<SMPSession, SMPClientError> {
        let hosts = configuration.network.hosts(of: key.server)
        let timeout = configuration.network.connectLimit(isInteractive: isInteractive)
        var failure = SMPClientError(.incompatibleHost, "none of the router's hosts can be reached with these network settings")
        for host in hosts {
            do throws(SMPClientError) {
                return .success(try await connect(host, key, service, timeout, observer))
            } catch {
                failure = error
                // Only a host that cannot be reached makes the next one worth trying.
                guard case .network(let reason) = error.code, reason != .unknownCA, !Task.isCancelled else { break }
            }
        }
        return .failure(failure)
    }

    private func connect(
        _ host: TransportHost, _ key: TransportSessionKey, _ service: Service?, _ timeout: Duration, _ observer: SMPSessionObserver
    ) async throws(SMPClientError) -> SMPSession {
        let server = key.server
        let connection: SMPConnection
        do throws(ConnectionError) {
            connection = try await (service?.transport ?? transport).connect(
                host: host.description, port: configuration.port(of: server), keyHash: server.keyHash.bytes,
                purpose: configuration.network.purpose(of: key, epoch: epoch), timeout: timeout,
                usesProxy: configuration.network.usesProxy(for: host))
        } catch {
            throw SMPClientError(error)
        }
        let handshake = SMPClientHandshake(
            versions: configuration.versions, keyHash: server.keyHash,
            sessionKey: X25519.generateKeyPair(random).privateKey)
        return try await SMPSessionHandshake(handshake, claim: service?.claim) { [self] connection, parameters, service in
            SMPSession(
                connection, parameters, service: service, configuration: configuration, random: random, time: time, observer: observer)
        }.run(on: connection, timeout: timeout, time: time)
    }
}

/// Where connections have the certificates of services from.
final class ServiceSourceBox: Sendable {
    private let current = Mutex<(any ServiceCredentialSource)?>(nil)

    var source: (any ServiceCredentialSource)? { current.withLock { $0 } }

    func set(_ source: (any ServiceCredentialSource)?) { current.withLock { $0 = source } }
}

extension SMPClientError {
    /// True if a router, or TLS with it, refuses the client as a service.
    fileprivate var refusesService: Bool {
        switch code {
        case .transport(.handshake(.badService)), .transport(.handshake(.badAuth)): true
        default: false
        }
    }
}
