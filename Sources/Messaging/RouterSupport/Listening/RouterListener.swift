import AsyncPrimitives
package import Logging
package import NIOCore
package import SMPProtocol
package import SMPTransport
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The network side of a router: the listener with its certificate, and the endpoints for the operator and for monitoring.
package final class RouterListener: Sendable {
    private let certificate: RouterCertificate
    private let listener: SMPTransportListener
    private let logger: Logger
    private let ending = Promise<Void>()
    private let endpoints = Mutex(Endpoints())

    private struct Endpoints {
        var control: RouterControl?
        var metrics: MetricsEndpoint?
    }

    private init(_ certificate: RouterCertificate, _ listener: SMPTransportListener, _ logger: Logger) {
        self.certificate = certificate
        self.listener = listener
        self.logger = logger
    }

    /// Starts to listen.
    ///
    /// - Parameter listen: Starts the listener with the given settings, to which it adds those of its protocol.
    /// - Throws: ``RouterError`` `addressInUse` or `transport`.
    package static func start(
        _ settings: some CommonRouterSettings, _ certificate: RouterCertificate, logger: Logger,
        listen: (SMPTransportListener.Configuration) async throws(ConnectionError) -> SMPTransportListener
    ) async throws(RouterError) -> RouterListener {
        var listening = SMPTransportListener.Configuration(credential: certificate.credential)
        listening.host = settings.host
        listening.port = settings.port
        listening.logger = logger
        listening.handshakeTimeout = settings.handshakeTimeout
        listening.maximumConnections = settings.maximumConnections
        listening.maximumConnectionsPerAddress = settings.maximumConnectionsPerAddress
        listening.maximumHandshakes = settings.maximumHandshakes
        do {
            return RouterListener(certificate, try await listen(listening), logger)
        } catch {
            guard (error.cause as? IOError)?.errnoCode == EADDRINUSE else {
                throw RouterError(.transport, "the router cannot listen", cause: error)
            }
            throw RouterError(
                .addressInUse, "something else listens on \(settings.host):\(settings.port) already: stop it, or choose another port")
        }
    }

    /// The port that is listened on.
    package var port: Int { listener.port }
    /// The fingerprint in the router's address.
    package var keyHash: KeyHash { certificate.keyHash }
    /// Connections now, those in their TLS handshake included.
    package var connectionCount: Int { listener.connectionCount }
    /// Seconds until the certificate expires, negative afterwards.
    package var certificateLifetime: Int? { certificate.remainingLifetime }
    /// The port of the metrics endpoint; nil if there is none.
    package var metricsPort: Int? { endpoints.withLock { $0.metrics?.port } }

    /// Opens the endpoints in the settings.
    ///
    /// - Parameters:
    ///   - folder: The folder for the socket of the operator; nil for a router in memory, which has none.
    ///   - answer: Answers a line of the operator.
    ///   - metrics: The text of the metrics.
    /// - Throws: ``RouterError`` `addressInUse` or `transport`.
    package func openEndpoints(
        _ settings: some CommonRouterSettings, in folder: String?, group: any EventLoopGroup, answer: @escaping RouterControl.Answering,
        metrics: @escaping @Sendable () -> String
    ) async throws(RouterError) {
        if let folder, settings.hasControl {
            let control = try await RouterControl.start(in: folder, group: group, logger: logger, answer: answer)
            endpoints.withLock { $0.control = control }
        }
        guard let wanted = settings.metrics else { return }
        let metrics = try await MetricsEndpoint.start(on: wanted, group: group, logger: logger, text: metrics)
        endpoints.withLock { $0.metrics = metrics }
    }

    /// Uses a new certificate for new connections; existing connections stay. The identity, and therefore the address, stays the same.
    ///
    /// - Throws: ``RouterError`` `transport`, for instance because the key of the identity is kept elsewhere; nothing changes then.
    package func renewCertificate() throws(RouterError) {
        let credential = try certificate.renew()
        do {
            try listener.present(credential)
        } catch {
            throw RouterError(.transport, "the new certificate cannot be used for new connections", cause: error)
        }
        logger.notice("the certificate was renewed", metadata: ["seconds": "\(certificate.remainingLifetime ?? 0)"])
    }

    /// Renews the certificate if it is due. Logs a warning if the certificate expires soon and the key for that is missing.
    package func watchCertificate() {
        if certificate.isDue {
            do throws(RouterError) { try renewCertificate() } catch {
                logger.error("the certificate cannot be renewed", metadata: ["reason": "\(error)"])
            }
        } else if certificate.needsKey {
            logger.error(
                "the certificate expires soon, and the key of the identity, which is needed to renew it, is missing",
                metadata: ["seconds": "\(certificate.remainingLifetime ?? 0)"])
        }
    }

    /// Stops the endpoints and ends all connections. May be called again.
    package func stop() async {
        let endpoints = endpoints.withLock { endpoints in
            defer { endpoints = Endpoints() }
            return endpoints
        }
        await endpoints.control?.stop()
        await endpoints.metrics?.stop()
        await listener.close()
    }

    /// Ends the wait of ``waitUntilStopped()``.
    package func stopped() { ending.resolve(()) }

    /// Returns when the router has stopped.
    package func waitUntilStopped() async { await ending.value() }
}
