import COpenSSL
package import NIOCore
package import SMPWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// TLS with servers of the web, whose certificates authorities have signed.
package struct WebTLS: Sendable {
    private let context: TLSContext

    /// - Parameter authorities: Certificates in DER that are trusted instead of those of the system.
    /// - Throws: ``ConnectionError`` `tlsFailed` or `invalidCredential`.
    package init(authorities: [Bytes]? = nil) throws(ConnectionError) { context = try TLSContext(webAuthorities: authorities) }

    /// Begins TLS on a channel that is active and does not read by itself. Must be called on its event loop.
    ///
    /// - Parameters:
    ///   - host: The name or the address that the certificate must be for.
    ///   - open: Adds the handlers of the connection; see ``ByteStreamHandler``.
    ///   - completion: Called once, on the event loop.
    /// - Throws: ``ConnectionError`` `tlsFailed`.
    package func start<Connection: Sendable>(
        on channel: any Channel, host: String, timeout: TimeAmount, open: @escaping @Sendable (any Channel) throws -> Connection,
        completion: @escaping @Sendable (Result<Connection, ConnectionError>) -> Void
    ) throws {
        let session = try TLSSession(context, verifying: .authorities(host: host), allocator: channel.allocator)
        let handshake = HandshakeHandler(timeout: timeout) { channel, _ in
            try open(channel)
        } completion: {
            completion($0)
        }
        try channel.pipeline.syncOperations.addHandler(handshake)
        // Last: it starts as soon as it is added.
        try channel.pipeline.syncOperations.addHandler(OpenSSLHandler(session), position: .before(handshake))
    }
}

/// The certificate authorities of the system.
enum WebAuthorities {
    /// Files of systems whose OpenSSL was built for other paths than that of a static program.
    private static let files = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// Adds authorities to those that a context trusts.
    ///
    /// - Parameter authorities: Certificates in DER; nil for those of the system: of `SSL_CERT_FILE` and `SSL_CERT_DIR`, of the folder that OpenSSL was
    ///   built for, or of the first known file.
    static func trust(_ authorities: [Bytes]?, in context: OpaquePointer) -> Bool {
        if let authorities {
            let store = SSL_CTX_get_cert_store(context)
            return authorities.allSatisfy { der in X509Handle(der: der).map { X509_STORE_add_cert(store, $0.pointer) == 1 } ?? false }
        }
        guard SSL_CTX_set_default_verify_paths(context) == 1 else { return false }
        let isChosen = getenv("SSL_CERT_FILE") != nil || getenv("SSL_CERT_DIR") != nil
        let hasFolder = X509_get_default_cert_dir().map { access($0, R_OK) == 0 } ?? false
        guard !isChosen, !hasFolder, let file = files.first(where: { access($0, R_OK) == 0 }) else { return true }
        return SSL_CTX_load_verify_locations(context, file, nil) == 1
    }
}
