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

    func connect(
        _ key: TransportSessionKey, _ observer: SMPSessionObserver
    ) async -> Result<SMPSession, SMPClientError> {
        let hosts = key.server.hosts.filter { configuration.transport.proxy != nil || !$0.isOnion }
        var failure = SMPClientError(.incompatibleHost, "none of the router's hosts can be reached without a proxy")
        for host in hosts {
            do throws(SMPClientError) {
                return .success(try await connect(host, key, observer))
            } catch {
                failure = error
                // Only a host that cannot be reached makes the next one worth trying.
                guard case .network(let reason) = error.code, reason != .unknownCA, !Task.isCancelled else { break }
            }
        }
        return .failure(failure)
    }

    private func connect(
        _ host: TransportHost, _ key: TransportSessionKey, _ observer: SMPSessionObserver
    ) async throws(SMPClientError) -> SMPSession {
        let server = key.server
        let connection: SMPConnection
        do throws(ConnectionError) {
            connection = try await transport.connect(
                host: host.description, port: Int(server.port ?? configuration.defaultPort), keyHash: server.keyHash.bytes,
                purpose: "\(key.userID)@\(server)/\(key.entity?.description ?? "")")
        } catch {
            throw SMPClientError(error)
        }
        let handshake = SMPClientHandshake(
            versions: configuration.versions, keyHash: server.keyHash,
            sessionKey: X25519.generateKeyPair(random).privateKey)
        return try await SMPSessionHandshake(handshake) { [self] connection, parameters in
            SMPSession(
                connection, parameters, configuration: configuration, random: random, time: time, observer: observer)
        }.run(on: connection, timeout: configuration.connectTimeout, time: time)
    }
}
