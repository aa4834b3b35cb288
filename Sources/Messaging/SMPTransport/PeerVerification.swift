import COpenSSL
import SMPWire

/// The requirements on the peer's certificates, and the reason of their refusal. Bound to one event loop with its session.
final class PeerVerification {
    enum Rule {
        /// A server: two to four certificates, the second with this SHA-256 fingerprint.
        case server(fingerprint: Bytes)
        /// A client: none, a self-signed one, or a chain of any identity; the reader decides whom it identifies.
        case client
        /// A server of the web: a certificate for this host that an authority has signed. OpenSSL decides by itself.
        case authorities(host: String)
    }

    let rule: Rule
    private(set) var failure: ConnectionError?

    init(_ rule: Rule) { self.rule = rule }

    /// Decides about the certificates that arrived, leaf first.
    ///
    /// The path that OpenSSL builds must be the very chain that was sent. Otherwise a peer could show a well-known identity
    /// certificate between a leaf and an anchor of its own that have nothing to do with it.
    func accepts(_ chain: [OpaquePointer]) -> Bool {
        if let reason = refusal(of: chain) {
            failure = ConnectionError(.wrongIdentity, reason)
            return false
        }
        return true
    }

    private func refusal(of chain: [OpaquePointer]) -> String? {
        switch rule {
        case .server(let fingerprint):
            guard (2...4).contains(chain.count) else {
                return "a server presents 2 to 4 certificates, not \(chain.count)"
            }
            guard Certificate.fingerprint(ofDER: encodedDER { i2d_X509(chain[1], $0) } ?? []) == fingerprint else {
                return "the server's identity certificate does not have the fingerprint of its address"
            }
        case .client:
            guard chain.count <= 4 else { return "a client presents at most 4 certificates, not \(chain.count)" }
            if chain.isEmpty { return nil }
        case .authorities: return "only OpenSSL decides about certificates of the web"
        }
        return Self.pathRefusal(of: chain)
    }

    /// Why clients would not accept a server's own certificates, whatever fingerprint they expect; nil if they would.
    static func refusal(of certificates: [Certificate]) -> String? {
        let handles = certificates.compactMap { X509Handle(der: $0.der) }
        guard handles.count == certificates.count, handles.count >= 2 else { return "the certificates cannot be read" }
        return withExtendedLifetime(handles) { pathRefusal(of: handles.map(\.pointer)) }
    }

    /// Why the chain is not a valid path from its first certificate to its last, or nil.
    private static func pathRefusal(of chain: [OpaquePointer]) -> String? {
        defer { OpenSSLError.clear() }
        guard let store = X509_STORE_new(), let untrusted = OPENSSL_sk_new_null(), let context = X509_STORE_CTX_new() else {
            return "no memory to check certificates"
        }
        defer {
            X509_STORE_CTX_free(context)
            // The stack does not own its certificates.
            OPENSSL_sk_free(untrusted)
            X509_STORE_free(store)
        }
        for certificate in chain { OPENSSL_sk_push(untrusted, UnsafeRawPointer(certificate)) }
        guard X509_STORE_add_cert(store, chain[chain.count - 1]) == 1,
            X509_STORE_CTX_init(context, store, chain[0], untrusted) == 1
        else { return "the certificates cannot be checked" }
        X509_STORE_CTX_set_flags(context, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        X509_STORE_CTX_set_verify_cb(context, acceptAnyAnchor)
        guard X509_verify_cert(context) == 1 else {
            let reason = String(cString: X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(context))))
            return "the certificate chain is not valid: \(reason)"
        }
        let path = certificates(of: X509_STORE_CTX_get0_chain(context))
        guard path.count == chain.count, zip(path, chain).allSatisfy({ X509_cmp($0, $1) == 0 }) else {
            return "the certificates are not each signed by the next"
        }
        return nil
    }

    /// The certificates of one of OpenSSL's stacks, not retained.
    static func certificates(of stack: OpaquePointer?) -> [OpaquePointer] {
        guard let stack else { return [] }
        return (0..<OPENSSL_sk_num(stack)).compactMap { OPENSSL_sk_value(stack, $0).map(OpaquePointer.init) }
    }
}

/// The anchor is trusted because its holder is pinned, whatever it says about itself: official services have authorities
/// without the extensions that would mark them as such.
private func acceptAnyAnchor(_ accepted: Int32, _ context: OpaquePointer?) -> Int32 {
    guard accepted != 1, let context else { return accepted }
    let path = PeerVerification.certificates(of: X509_STORE_CTX_get0_chain(context))
    let isAnchor = Int(X509_STORE_CTX_get_error_depth(context)) == path.count - 1
    if isAnchor, X509_STORE_CTX_get_error(context) == X509_V_ERR_INVALID_CA {
        X509_STORE_CTX_set_error(context, X509_V_OK)
        return 1
    }
    return accepted
}

/// Called by OpenSSL in the handshake, with the session's ``PeerVerification`` in its ex data.
func verifyPeerCertificates(_ context: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    guard let context,
        let ssl = X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()),
        let data = SSL_get_ex_data(OpaquePointer(ssl), peerVerificationIndex)
    else { return 0 }
    let verification = Unmanaged<PeerVerification>.fromOpaque(data).takeUnretainedValue()
    let chain = PeerVerification.certificates(of: X509_STORE_CTX_get0_untrusted(context))
    guard verification.accepts(chain) else {
        X509_STORE_CTX_set_error(context, X509_V_ERR_CERT_UNTRUSTED)
        return 0
    }
    X509_STORE_CTX_set_error(context, X509_V_OK)
    return 1
}

/// Slot 0 of a session's ex data is the application's own.
let peerVerificationIndex: Int32 = 0
