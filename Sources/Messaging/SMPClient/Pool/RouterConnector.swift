import NIOCore
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// Makes connections to routers, one host after the other.
final class RouterConnector: Sendable {
    /// How connections are made now.
    private struct Way: Sendable {
        let settings: SMPNetworkSettings
        let configuration: SMPClientConfiguration
        let direct: SMPTransportClient
        let proxied: SMPTransportClient?

        init(_ settings: SMPNetworkSettings, _ initial: SMPClientConfiguration, _ group: any EventLoopGroup) throws(SMPClientError) {
            self.settings = settings
            configuration = settings.applied(to: initial)
            do throws(ConnectionError) {
                var transport = configuration.transport
                transport.proxy = nil
                direct = try SMPTransportClient(configuration: transport, group: group)
                transport.proxy = settings.proxy
                proxied = settings.proxy == nil ? nil : try SMPTransportClient(configuration: transport, group: group)
            } catch {
                throw SMPClientError(.crypto, "TLS is not available: \(error.message)", cause: error)
            }
        }

        func transport(for host: TransportHost) -> SMPTransportClient {
            if let proxied, settings.usesProxy(for: host) { proxied } else { direct }
        }
    }

    private let initial: SMPClientConfiguration
    private let group: any EventLoopGroup
    private let random: any RandomSource
    private let time: ClientTime
    private let way: Mutex<Way>

    init(
        configuration: SMPClientConfiguration, group: any EventLoopGroup, random: any RandomSource, time: ClientTime
    ) throws(SMPClientError) {
        initial = configuration
        self.group = group
        self.random = random
        self.time = time
        way = Mutex(try Way(SMPNetworkSettings(configuration), configuration, group))
    }

    /// Makes connections in this way from now on.
    ///
    /// - Returns: whether that is another way than before.
    func apply(_ settings: SMPNetworkSettings) throws(SMPClientError) -> Bool {
        guard way.withLock({ $0.settings != settings }) else { return false }
        let new = try Way(settings, initial, group)
        way.withLock { $0 = new }
        return true
    }

    func connect(
        _ key: TransportSessionKey, _ observer: SMPSessionObserver
    ) async -> Result<SMPSession, SMPClientError> {
        let way = way.withLock { $0 }
        var failure = SMPClientError(.incompatibleHost, "none of the router's hosts can be reached as the network is set up")
        for host in way.settings.hosts(of: key.server) {
            do throws(SMPClientError) {
                return .success(try await connect(host, way, key, observer))
            } catch {
                failure = error
                // Only a host that cannot be reached makes the next one worth trying.
                guard case .network(let reason) = error.code, reason != .unknownCA, !Task.isCancelled else { break }
            }
        }
        return .failure(failure)
    }

    private func connect(
        _ host: TransportHost, _ way: Way, _ key: TransportSessionKey, _ observer: SMPSessionObserver
    ) async throws(SMPClientError) -> SMPSession {
        let server = key.server, configuration = way.configuration
        let connection: SMPConnection
        do throws(ConnectionError) {
            connection = try await way.transport(for: host).connect(
                host: host.description, port: Int(way.settings.port(of: server, default: configuration.defaultPort)), keyHash: server.keyHash.bytes,
                purpose: "\(key.userID)@\(server)/\(key.entity?.description ?? "")")
        } catch {
            throw SMPClientError(error)
        }
        let handshake = SMPClientHandshake(
            versions: configuration.versions, keyHash: server.keyHash,
            sessionKey: X25519.generateKeyPair(random).privateKey)
        return try await SMPSessionHandshake(handshake) { [random, time] connection, parameters in
            SMPSession(
                connection, parameters, configuration: configuration, random: random, time: time, observer: observer)
        }.run(on: connection, timeout: configuration.connectTimeout, time: time)
    }
}
