package import SMPCrypto
package import SMPWire

/// The results of a handshake, known to both sides.
package struct SMPSessionParameters: Sendable {
    package let context: TransmissionContext
    /// The versions that both the router and the client support.
    package let serverVersions: VersionRange
    /// The secret on which the session keys agree, for block encryption and for forwarding by a proxy; nil without a client key.
    package let secret: SecretBytes?
    /// The other side's session key.
    package let peerKey: X25519.PublicKey?
    /// The router's key with its certificates; only on the client's side.
    package let certifiedKey: CertifiedKey?
    package let isProxy: Bool
    /// Turns contents into blocks from here on.
    package let cipher: BlockCipher

    package var version: UInt16 { context.version }

    fileprivate init(
        side: SecretBoxChain.Side, context: TransmissionContext, serverVersions: VersionRange, secret: SecretBytes?,
        peerKey: X25519.PublicKey?, certifiedKey: CertifiedKey?, isProxy: Bool
    ) {
        self.context = context
        self.serverVersions = serverVersions
        self.secret = secret
        self.peerKey = peerKey
        self.certifiedKey = certifiedKey
        self.isProxy = isProxy
        if let secret, context.version >= SMPVersion.encryptedBlocks, !isProxy {
            cipher = BlockCipher(for: side, secret: secret, sessionID: context.sessionID)
        } else {
            cipher = BlockCipher()
        }
    }
}

/// The client's half of the handshake, without I/O: give it the content of the router's first block and send what it returns.
package struct SMPClientHandshake: Sendable {
    package var versions: VersionRange
    /// Whom the address names.
    package var keyHash: KeyHash
    /// nil does without authenticators and block encryption.
    package var sessionKey: X25519.PrivateKey?
    package var isProxy: Bool
    /// Sent to routers of ``serviceVersion`` or later.
    package var service: SMPClientService?
    /// The version from which on the service is offered: older routers would take the queues of a recipient for the service's and not subscribe to them
    /// at once.
    package var serviceVersion: UInt16

    package init(
        versions: VersionRange = SMPVersion.offered, keyHash: KeyHash, sessionKey: X25519.PrivateKey?, isProxy: Bool = false,
        service: SMPClientService? = nil
    ) {
        self.versions = versions
        self.keyHash = keyHash
        self.sessionKey = sessionKey
        self.isProxy = isProxy
        self.service = service
        serviceVersion = service?.role == .messaging ? SMPVersion.serviceSubscriptions : SMPVersion.serviceCertificates
    }

    /// - Parameters:
    ///   - content: of the router's first block.
    ///   - sessionID: the TLS channel binding of the connection.
    ///   - leafKey: the key of the leaf certificate that the router proved in TLS; nil takes the chain's word for it.
    /// - Returns: the hello to send, and the session. A hello with a service is answered by a ``SMPServiceResponse`` in
    ///   a block that the session's cipher has no part in.
    /// - Throws: ``TransportError``; the connection must be closed.
    package func respond(
        to content: Bytes, sessionID: Bytes, leafKey: PublicAuthKey? = nil
    ) throws(TransportError) -> (hello: SMPClientHello, session: SMPSessionParameters) {
        guard let hello = try? SMPServerHello(wireBytes: content) else { throw .handshake(.parse) }
        guard hello.sessionID == sessionID else { throw .badSession }
        var offered = versions
        // Older routers would encrypt blocks towards a proxy too, and then messages of old clients do not fit.
        if isProxy, hello.versions.max < SMPVersion.proxyHandshake {
            offered = VersionRange(versions.min, max(versions.min, SMPVersion.deletedEvent)) ?? versions
        }
        guard let common = hello.versions.intersection(offered) else { throw .version }
        var serverKey: X25519.PublicKey?
        if let key = hello.key {
            guard key.identityFingerprint == keyHash else { throw .handshake(.badAuth) }
            do {
                let signer = if let leafKey { leafKey } else { try key.leafKey() }
                serverKey = try X25519.PublicKey(spki: try key.verifiedKey(signedBy: signer))
            } catch {
                throw .handshake(.badAuth)
            }
        }
        let sentService = common.max >= serviceVersion ? service : nil
        let reply = SMPClientHello(
            version: common.max, keyHash: keyHash, key: sessionKey?.publicKey, isProxy: isProxy, service: sentService)
        let session = SMPSessionParameters(
            side: .client, context: TransmissionContext(version: common.max, sessionID: sessionID), serverVersions: common,
            secret: try agree(sessionKey, serverKey), peerKey: serverKey, certifiedKey: hello.key, isProxy: isProxy)
        return (reply, session)
    }
}

/// The router's half of the handshake, without I/O.
package struct SMPServerHandshake: Sendable {
    package let versions: VersionRange
    package let sessionID: Bytes
    package let keyHash: KeyHash
    package let sessionKey: X25519.PrivateKey
    private let key: CertifiedKey

    /// - Parameters:
    ///   - hasALPN: whether the client negotiated `smp/1` in TLS; those that did not are offered version 6 only, and are refused
    ///     if that is not among `versions`.
    ///   - keyHash: of the router's certificate authority.
    ///   - leafKey: the private key of the first certificate of the chain.
    /// - Throws: ``TransportError`` `version`, or `noServerAuth` if the leaf's key cannot sign.
    package init(
        versions: VersionRange = SMPVersion.offered, hasALPN: Bool = true, sessionID: Bytes, keyHash: KeyHash,
        sessionKey: X25519.PrivateKey, certificateChain: [Bytes], leafKey: PrivateAuthKey
    ) throws(TransportError) {
        guard let offered = hasALPN ? versions : versions.intersection(SMPVersion.withoutALPN) else { throw .version }
        guard let key = CertifiedKey(certificateChain: certificateChain, signing: sessionKey.publicKey.spki, with: leafKey) else {
            throw .noServerAuth
        }
        self.versions = offered
        self.sessionID = sessionID
        self.keyHash = keyHash
        self.sessionKey = sessionKey
        self.key = key
    }

    package var hello: SMPServerHello { SMPServerHello(versions: versions, sessionID: sessionID, key: key) }

    /// - Parameter content: of the client's first block.
    /// - Throws: ``TransportError``; the connection must be closed.
    package func accept(_ content: Bytes) throws(TransportError) -> (hello: SMPClientHello, session: SMPSessionParameters) {
        guard let hello = try? SMPClientHello(wireBytes: content) else { throw .handshake(.parse) }
        guard hello.keyHash == keyHash else { throw .handshake(.identity) }
        guard versions.contains(hello.version), let common = VersionRange(versions.min, hello.version) else { throw .version }
        let session = SMPSessionParameters(
            side: .server, context: TransmissionContext(version: hello.version, sessionID: sessionID), serverVersions: common,
            secret: try agree(sessionKey, hello.key), peerKey: hello.key, certifiedKey: nil, isProxy: hello.isProxy)
        return (hello, session)
    }
}

private func agree(_ key: X25519.PrivateKey?, _ peer: X25519.PublicKey?) throws(TransportError) -> SecretBytes? {
    guard let key, let peer else { return nil }
    do {
        return try key.sharedSecret(with: peer)
    } catch {
        throw .handshake(.badAuth)
    }
}
