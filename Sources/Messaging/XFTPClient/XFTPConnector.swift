package import NIOCore
import NIOPosix
import SMPClient
package import SMPCrypto
package import SMPProtocol
import SMPTransport
import SMPWire
import XFTPProtocol
import XFTPTransport

/// Makes sessions with file routers, one host after the other.
package struct XFTPConnector: Sendable {
    private let configuration: XFTPClientConfiguration
    private let transport: SMPTransportClient
    private let random: any RandomSource

    /// - Throws: ``XFTPClientError`` `crypto` if TLS is not available.
    package init(
        _ configuration: XFTPClientConfiguration = XFTPClientConfiguration(), group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        random: any RandomSource = SystemRandomSource()
    ) throws(XFTPClientError) {
        self.configuration = configuration
        self.random = random
        var settings = configuration.transport
        settings.proxy = configuration.network.socksProxy
        settings.keepAlive = configuration.network.keepAlive
        do {
            transport = try SMPTransportClient(configuration: settings, group: group)
        } catch {
            throw XFTPClientError(.crypto, "TLS is not available: \(error.message)", cause: error)
        }
    }

    /// True if a router does not see this machine's address.
    package func hidesAddress(from server: XFTPServerAddress) -> Bool { configuration.network.hidesAddress(from: server) }

    /// Connects to a router and shakes hands.
    ///
    /// - Parameter purpose: what the session is for: a SOCKS proxy that isolates keeps sessions with different purposes apart.
    /// - Throws: ``XFTPClientError``.
    package func connect(_ server: XFTPServerAddress, purpose: String = "") async throws(XFTPClientError) -> XFTPSession {
        var failure = XFTPClientError(.incompatibleHost, "none of the router's hosts can be reached with these network settings")
        for host in configuration.network.hosts(of: server) {
            do throws(XFTPClientError) {
                return try await connect(server, host, purpose)
            } catch {
                failure = error
                // Only a host that cannot be reached makes the next one worth trying.
                guard case .network(let reason) = error.code, reason != .unknownCA, !Task.isCancelled else { break }
            }
        }
        throw failure
    }

    private func connect(_ server: XFTPServerAddress, _ host: TransportHost, _ purpose: String) async throws(XFTPClientError) -> XFTPSession {
        let limit = configuration.network.connectLimit(isInteractive: false)
        let connection: HTTP2Connection
        do throws(ConnectionError) {
            connection = try await transport.connect(
                host: host.description, port: Int(server.port ?? configuration.defaultPort), keyHash: server.keyHash.bytes, purpose: purpose,
                timeout: limit, usesProxy: configuration.network.usesProxy(for: host), open: HTTP2Connection.open(isClient: true))
        } catch {
            throw XFTPClientError(error)
        }
        let requests = XFTPRequests(connection: connection, authority: host.description, network: configuration.network)
        do throws(XFTPClientError) {
            return XFTPSession(server: server, requests: requests, parameters: try await handshake(requests, server.keyHash), random: random)
        } catch {
            connection.beginClosing()
            throw error
        }
    }

    private func handshake(_ requests: XFTPRequests, _ keyHash: KeyHash) async throws(XFTPClientError) -> XFTPSessionParameters {
        let leafKey: PublicAuthKey
        do throws(WireError) {
            leafKey = try CertifiedKey(certificateChain: Array(requests.connection.handshake.peerChain.prefix(1)), signedKey: []).leafKey()
        } catch {
            throw XFTPClientError(.transport(.handshake(.badAuth)), "the router's certificate has no key that signs", cause: error)
        }
        let hello = try await requests.send(nil, limit: requests.limit()) { body throws(ConnectionError) in
            try await body.bytes(XFTPLimits.blockSize)
        }
        let block: Bytes
        let session: XFTPSessionParameters
        do throws(TransportError) {
            (block, session) = try XFTPSessionParameters.respond(
                to: hello, versions: configuration.versions, keyHash: keyHash, sessionID: requests.connection.handshake.sessionID, leafKey: leafKey)
        } catch {
            throw XFTPClientError(.transport(error), "the router's part of the handshake is wrong: \(error)")
        }
        let answer = try await requests.send(block, limit: requests.limit()) { body throws(ConnectionError) in
            try await body.bytes(XFTPLimits.blockSize)
        }
        // An empty body is consent.
        guard answer.isEmpty else {
            let error = (try? XFTPBlock.unpad(answer)).flatMap { try? XFTPErrorType(wireBytes: $0) }
            throw XFTPClientError(error.map { .protocol($0) } ?? .transport(.badBlock), "the router has refused the handshake")
        }
        return session
    }
}
