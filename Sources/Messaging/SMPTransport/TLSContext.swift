import COpenSSL
import SMPCrypto
import SMPWire

/// The TLS parameters that many connections share: TLS 1.3 only, with the ciphers of the SimpleX network
/// (simplex-messaging.md, "TLS transport encryption").
///
/// The cipher suite is CHACHA20-POLY1305 with SHA-256, signatures are Ed448 or Ed25519, key agreement is X448 or X25519. There
/// are no session tickets and no resumption: every connection has a channel binding of its own.
package final class TLSContext: @unchecked Sendable {
    // Sendable because OpenSSL counts references to a context atomically and nothing changes it after `init`.
    let pointer: OpaquePointer
    let role: Role
    let applicationProtocols: [String]
    /// True for the connecting side of the web, which trusts authorities; false for the network, whose peers are pinned.
    let isWeb: Bool

    enum Role: Sendable { case client, server }

    /// The application protocol of SMP servers.
    package static let smpProtocols = ["smp/1"]

    /// Parameters of the connecting side.
    ///
    /// - Parameters:
    ///   - applicationProtocols: the offered protocols (ALPN), in order of preference; each 1 to 255 bytes.
    ///   - credential: certificates to present when the server asks for them, as services do.
    /// - Throws: ``ConnectionError`` `tlsFailed` or `invalidCredential`.
    package static func client(
        applicationProtocols: [String] = smpProtocols, credential: ServerCredential? = nil
    ) throws(ConnectionError) -> TLSContext {
        try TLSContext(.client, applicationProtocols, credential, requestsCertificate: false)
    }

    /// Parameters of the accepting side.
    ///
    /// - Parameters:
    ///   - applicationProtocols: the accepted protocols (ALPN), in order of preference.
    ///   - requestsClientCertificate: whether clients are asked for certificates, which they may refuse.
    /// - Throws: ``ConnectionError`` `tlsFailed` or `invalidCredential`.
    package static func server(
        credential: ServerCredential, applicationProtocols: [String] = smpProtocols, requestsClientCertificate: Bool = true
    ) throws(ConnectionError) -> TLSContext {
        try TLSContext(.server, applicationProtocols, credential, requestsCertificate: requestsClientCertificate)
    }

    private init(
        _ role: Role, _ protocols: [String], _ credential: ServerCredential?, requestsCertificate: Bool
    ) throws(ConnectionError) {
        OpenSSLLibrary.prepare()
        OpenSSLError.clear()
        guard let pointer = SSL_CTX_new(role == .client ? TLS_client_method() : TLS_server_method()) else {
            throw ConnectionError(.tlsFailed, "TLS is not available", cause: OpenSSLError.take())
        }
        self.pointer = pointer
        self.role = role
        applicationProtocols = protocols
        isWeb = false
        guard Self.setParameters(of: pointer) else {
            throw ConnectionError(.tlsFailed, "OpenSSL lacks the network's ciphers", cause: OpenSSLError.take())
        }
        if let credential { try Self.install(credential, in: pointer) }
        SSL_CTX_set_cert_verify_callback(pointer, verifyPeerCertificates, nil)
        SSL_CTX_set_verify(pointer, role == .client || requestsCertificate ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        try setApplicationProtocols()
    }

    /// Parameters of the connecting side for servers of the web: TLS 1.2 and later with the choices of OpenSSL, HTTP/1.1, and certificates that an
    /// authority has signed.
    ///
    /// - Parameter authorities: Certificates in DER that are trusted instead of those of the system.
    /// - Throws: ``ConnectionError`` `tlsFailed` or `invalidCredential`.
    init(webAuthorities authorities: [Bytes]?) throws(ConnectionError) {
        OpenSSLLibrary.prepare()
        OpenSSLError.clear()
        guard let pointer = SSL_CTX_new(TLS_client_method()) else {
            throw ConnectionError(.tlsFailed, "TLS is not available", cause: OpenSSLError.take())
        }
        self.pointer = pointer
        role = .client
        applicationProtocols = ["http/1.1"]
        isWeb = true
        _ = SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE), nil)
        _ = SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        guard SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1 else {
            throw ConnectionError(.tlsFailed, "OpenSSL lacks TLS 1.2", cause: OpenSSLError.take())
        }
        guard WebAuthorities.trust(authorities, in: pointer) else {
            throw ConnectionError(.invalidCredential, "the certificate authorities cannot be read", cause: OpenSSLError.take())
        }
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        try setApplicationProtocols()
    }

    deinit { SSL_CTX_free(pointer) }

    private static func setParameters(of context: OpaquePointer) -> Bool {
        func control(_ command: Int32, _ value: Int) -> Bool { SSL_CTX_ctrl(context, command, value, nil) == 1 }
        func control(_ command: Int32, _ list: String) -> Bool {
            var text = Array(list.utf8CString)
            return SSL_CTX_ctrl(context, command, 0, &text) == 1
        }
        SSL_CTX_set_options(context, UInt64(1) << 14)  // SSL_OP_NO_TICKET, a macro that is not imported
        let modes = SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_NO_AUTO_CHAIN
        _ = SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(modes), nil)
        _ = SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        return control(SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_3_VERSION))
            && control(SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_3_VERSION))
            && SSL_CTX_set_ciphersuites(context, "TLS_CHACHA20_POLY1305_SHA256") == 1
            && control(SSL_CTRL_SET_SIGALGS_LIST, "ed448:ed25519")
            && control(SSL_CTRL_SET_CLIENT_SIGALGS_LIST, "ed448:ed25519")
            && control(SSL_CTRL_SET_GROUPS_LIST, "X448:X25519")
            && SSL_CTX_set_num_tickets(context, 0) == 1
    }

    private static func install(_ credential: ServerCredential, in context: OpaquePointer) throws(ConnectionError) {
        let handles = credential.certificates.compactMap { X509Handle(der: $0.der) }
        var isInstalled = handles.count == credential.certificates.count && !handles.isEmpty
        for (position, handle) in handles.enumerated() where isInstalled {
            if position == 0 {
                isInstalled = SSL_CTX_use_certificate(context, handle.pointer) == 1
            } else {
                // 1: the context takes a reference of its own.
                isInstalled = SSL_CTX_ctrl(context, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(handle.pointer)) == 1
            }
        }
        guard isInstalled, SSL_CTX_use_PrivateKey(context, credential.key.pointer) == 1,
            SSL_CTX_check_private_key(context) == 1
        else {
            throw ConnectionError(.invalidCredential, "certificates and key do not belong together", cause: OpenSSLError.take())
        }
    }

    private func setApplicationProtocols() throws(ConnectionError) {
        var wire = Bytes()
        for name in applicationProtocols {
            guard (1...255).contains(name.utf8.count) else {
                throw ConnectionError(.wrongProtocol, "the name of an application protocol has 1 to 255 bytes")
            }
            wire.append(UInt8(name.utf8.count))
            wire.append(contentsOf: name.utf8)
        }
        switch role {
        case .client:
            // This one function returns 0 when it succeeds.
            guard wire.isEmpty || SSL_CTX_set_alpn_protos(pointer, wire, UInt32(wire.count)) == 0 else {
                throw ConnectionError(.tlsFailed, "the application protocols cannot be set", cause: OpenSSLError.take())
            }
        case .server:
            SSL_CTX_set_alpn_select_cb(pointer, selectApplicationProtocol, Unmanaged.passUnretained(self).toOpaque())
        }
    }
}

/// Picks the first of the server's protocols that the client offers; a client that offers only others is refused.
private func selectApplicationProtocol(
    _: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ selectedLength: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ offeredLength: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let selected, let selectedLength, let offered, let argument else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    // Sessions keep their context alive, so it outlives every handshake.
    let context = Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue()
    let names = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
    for wanted in context.applicationProtocols {
        var position = 0
        while position < names.count {
            let length = Int(names[position])
            guard length > 0, position + 1 + length <= names.count else { return SSL_TLSEXT_ERR_ALERT_FATAL }
            let name = UnsafeBufferPointer(rebasing: names[(position + 1)..<(position + 1 + length)])
            if name.elementsEqual(wanted.utf8) {
                selected.pointee = offered + position + 1
                selectedLength.pointee = UInt8(length)
                return SSL_TLSEXT_ERR_OK
            }
            position += 1 + length
        }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
