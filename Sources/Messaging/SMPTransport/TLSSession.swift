import COpenSSL
import NIOCore
package import SMPWire

/// The results of a TLS handshake, known to both sides.
package struct TLSHandshake: Sendable, Hashable {
    /// The session identifier of the SMP handshake: the client's Finished message, 32 bytes, the same on both sides.
    package let sessionID: Bytes
    /// The application protocol that was agreed, if any was.
    package let applicationProtocol: String?
    /// The peer's certificates in DER, leaf first; on a server empty unless the client is a service.
    package let peerChain: [Bytes]
    /// The TLS version, such as `TLSv1.3`.
    package let version: String
}

/// One TLS connection without its socket: takes and gives ciphertext and plaintext.
///
/// Bound to the event loop of its handler, and not Sendable.
final class TLSSession {
    enum HandshakeProgress {
        case needsMore
        case finished(TLSHandshake)
        case failed(ConnectionError)
    }

    enum ReadResult {
        case bytes(Bytes)
        case needsMore
        /// The peer has said that nothing follows.
        case closed
        case failed(ConnectionError)
    }

    private let context: TLSContext
    private let ssl: OpaquePointer
    private let verification: PeerVerification
    let wire: WireBuffers

    /// - Throws: ``ConnectionError`` `tlsFailed` when there is no memory.
    init(
        _ context: TLSContext, verifying rule: PeerVerification.Rule, allocator: ByteBufferAllocator = ByteBufferAllocator()
    ) throws(ConnectionError) {
        self.context = context
        wire = WireBuffers(allocator: allocator)
        verification = PeerVerification(rule)
        guard let ssl = SSL_new(context.pointer) else {
            throw ConnectionError(.tlsFailed, "no memory for a TLS session", cause: OpenSSLError.take())
        }
        guard let bio = wire.makeBIO() else {
            SSL_free(ssl)
            throw ConnectionError(.tlsFailed, "no memory for a TLS session", cause: OpenSSLError.take())
        }
        self.ssl = ssl
        SSL_set_bio(ssl, bio, bio)
        SSL_set_ex_data(ssl, peerVerificationIndex, Unmanaged.passUnretained(verification).toOpaque())
        if case .authorities(let host) = rule {
            guard Self.expect(host, on: ssl) else {
                throw ConnectionError(.tlsFailed, "\(host) is not a name that a certificate can have", cause: OpenSSLError.take())
            }
        }
        switch context.role {
        case .client: SSL_set_connect_state(ssl)
        case .server: SSL_set_accept_state(ssl)
        }
    }

    deinit { SSL_free(ssl) }

    /// Names the host to the server, and has its certificate checked for it.
    private static func expect(_ host: String, on ssl: OpaquePointer) -> Bool {
        if IPAddress(parsing: host) != nil { return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 }
        var name = Array((host.hasSuffix(".") ? String(host.dropLast()) : host).utf8CString)
        return SSL_set1_host(ssl, name) == 1
            && SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &name) == 1
    }

    /// Continues the handshake with the received bytes.
    func advanceHandshake() -> HandshakeProgress {
        OpenSSLError.clear()
        let result = SSL_do_handshake(ssl)
        if result == 1 { return finishHandshake() }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsMore
        default: return .failed(handshakeFailure())
        }
    }

    private func handshakeFailure() -> ConnectionError {
        if let failure = verification.failure {
            OpenSSLError.clear()
            return failure
        }
        let refusal = SSL_get_verify_result(ssl)
        if context.isWeb, refusal != Int(X509_V_OK) {
            OpenSSLError.clear()
            let reason = String(cString: X509_verify_cert_error_string(refusal))
            return ConnectionError(.wrongIdentity, "the certificate of the server is not accepted: \(reason)")
        }
        let cause = OpenSSLError.take()
        let isProtocol = cause.reasons.contains { $0.contains("no application protocol") }
        return ConnectionError(
            isProtocol ? .wrongProtocol : .tlsFailed,
            isProtocol ? "no application protocol in common" : "the TLS handshake failed", cause: cause)
    }

    private func finishHandshake() -> HandshakeProgress {
        var finished = Bytes(repeating: 0, count: 64)
        let length =
            context.role == .client
            ? SSL_get_finished(ssl, &finished, finished.count) : SSL_get_peer_finished(ssl, &finished, finished.count)
        guard length == 32 || context.isWeb else { return .failed(ConnectionError(.tlsFailed, "the handshake has no channel binding")) }
        let selected = applicationProtocol
        // A peer that knows no ALPN at all is a server of before SMP 7, or not one of this network.
        guard context.applicationProtocols.isEmpty || context.isWeb && selected == nil || selected.map(context.applicationProtocols.contains) == true else {
            return .failed(ConnectionError(.wrongProtocol, "no application protocol in common"))
        }
        return .finished(
            TLSHandshake(
                sessionID: Bytes(finished.prefix(length)), applicationProtocol: selected, peerChain: peerChain,
                version: String(cString: SSL_get_version(ssl))))
    }

    private var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name, length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    private var peerChain: [Bytes] {
        var chain = PeerVerification.certificates(of: SSL_get_peer_cert_chain(ssl)).map { certificate in
            encodedDER { i2d_X509(certificate, $0) } ?? []
        }
        // A server's list of the client's certificates lacks the leaf.
        if context.role == .server, let leaf = SSL_get1_peer_certificate(ssl) {
            chain.insert(X509Handle(owning: leaf).der, at: 0)
        }
        return chain
    }

    /// True if reading may give anything at all.
    var hasInput: Bool { wire.inbound.readableBytes > 0 || SSL_has_pending(ssl) == 1 }

    /// Decrypts what has arrived, at most one record of 16,384 bytes a call, to where it stays.
    func read() -> ReadResult {
        OpenSSLError.clear()
        var result: Int32 = 0
        let plaintext = Bytes(unsafeUninitializedCapacity: TLSSession.recordSize) { destination, written in
            result = SSL_read(ssl, destination.baseAddress, Int32(TLSSession.recordSize))
            written = Int(max(0, result))
        }
        if result > 0 { return .bytes(plaintext) }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsMore
        case SSL_ERROR_ZERO_RETURN: return .closed
        default: return .failed(ConnectionError(.tlsFailed, "a TLS record cannot be read", cause: OpenSSLError.take()))
        }
    }

    /// Encrypts all of `plaintext` into ``wire``.
    func write(_ plaintext: Bytes) throws(ConnectionError) {
        OpenSSLError.clear()
        if plaintext.count > TLSSession.recordSize { wire.reserve(plaintext.count + plaintext.count / 512) }
        let isWritten = plaintext.withUnsafeBytes { source in
            var offset = 0
            while offset < source.count {
                let part = Int32(min(source.count - offset, Int(Int32.max)))
                let result = SSL_write(ssl, source.baseAddress.map { $0 + offset }, part)
                guard result > 0 else { return false }
                offset += Int(result)
            }
            return true
        }
        guard isWritten else {
            throw ConnectionError(.tlsFailed, "a TLS record cannot be written", cause: OpenSSLError.take())
        }
    }

    /// Writes the notice that nothing follows.
    func shutdown() {
        OpenSSLError.clear()
        // Before the handshake is over there is nobody to tell, and OpenSSL reports that as an error.
        if SSL_is_init_finished(ssl) == 1 { _ = SSL_shutdown(ssl) }
        OpenSSLError.clear()
    }

    /// The largest plaintext of one TLS record, which is also the size of a transport block.
    static let recordSize = 16_384
}
