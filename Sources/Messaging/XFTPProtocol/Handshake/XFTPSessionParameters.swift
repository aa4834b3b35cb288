package import SMPCrypto
package import SMPProtocol
package import SMPWire

/// The results of a handshake with a file router.
package struct XFTPSessionParameters: Sendable {
    package let context: TransmissionContext
    /// The router's session key; nil only on the router's side.
    package let serverKey: X25519.PublicKey?

    package var version: UInt16 { context.version }

    package init(context: TransmissionContext, serverKey: X25519.PublicKey?) {
        self.context = context
        self.serverKey = serverKey
    }

    /// The client's answer to the router's hello.
    ///
    /// - Parameters:
    ///   - block: the body of the router's answer to the first request.
    ///   - sessionID: the TLS channel binding of the connection.
    ///   - leafKey: the key of the leaf certificate that the router proved in TLS; nil takes the chain's word for it.
    /// - Returns: the block to send, and the session as it is when the router has answered it with an empty body.
    /// - Throws: ``TransportError``; the connection must be closed.
    package static func respond(
        to block: Bytes, versions: VersionRange = XFTPVersion.offered, keyHash: KeyHash, sessionID: Bytes, leafKey: PublicAuthKey? = nil
    ) throws(TransportError) -> (block: Bytes, session: XFTPSessionParameters) {
        guard block.count == XFTPLimits.blockSize, let content = try? Padding.unpad(block) else { throw .badBlock }
        guard let hello = try? XFTPServerHello(wireBytes: content) else { throw .handshake(.parse) }
        guard hello.sessionID == sessionID else { throw .badSession }
        guard let version = hello.versions.compatibleVersion(with: versions) else { throw .version }
        guard hello.key.certificateChain.count == 2, hello.key.identityFingerprint == keyHash else { throw .handshake(.badAuth) }
        let serverKey: X25519.PublicKey
        do {
            let signer = if let leafKey { leafKey } else { try hello.key.leafKey() }
            serverKey = try X25519.PublicKey(spki: try hello.key.verifiedKey(signedBy: signer))
        } catch {
            throw .handshake(.badAuth)
        }
        let answer = XFTPClientHandshake(version: version, keyHash: keyHash)
        let session = XFTPSessionParameters(context: TransmissionContext(version: version, sessionID: sessionID), serverKey: serverKey)
        return (try XFTPBlock.pad(answer.wireBytes), session)
    }
}

/// The router's half of the handshake of one connection.
package struct XFTPServerHandshake: Sendable {
    package let versions: VersionRange
    package let sessionID: Bytes
    package let keyHash: KeyHash
    package let sessionKey: X25519.PrivateKey
    private let key: CertifiedKey

    /// - Throws: ``TransportError`` `noServerAuth` if the leaf's key cannot sign.
    package init(
        versions: VersionRange = XFTPVersion.offered, sessionID: Bytes, keyHash: KeyHash, sessionKey: X25519.PrivateKey,
        certificateChain: [Bytes], leafKey: PrivateAuthKey
    ) throws(TransportError) {
        guard let key = CertifiedKey(certificateChain: certificateChain, signing: sessionKey.publicKey.spki, with: leafKey) else {
            throw .noServerAuth
        }
        self.versions = versions
        self.sessionID = sessionID
        self.keyHash = keyHash
        self.sessionKey = sessionKey
        self.key = key
    }

    /// The body of the answer to the first request, which must have had none.
    package func hello() throws(TransportError) -> Bytes {
        try XFTPBlock.pad(XFTPServerHello(versions: versions, sessionID: sessionID, key: key).wireBytes)
    }

    /// The session that the client asks for with its second request.
    ///
    /// - Throws: ``XFTPErrorType`` `handshake`.
    package func accept(_ block: Bytes) throws(XFTPErrorType) -> XFTPSessionParameters {
        guard let content = try? XFTPBlock.unpad(block), let handshake = try? XFTPClientHandshake(wireBytes: content),
            handshake.keyHash == keyHash, versions.contains(handshake.version)
        else { throw .handshake }
        return XFTPSessionParameters(
            context: TransmissionContext(version: handshake.version, sessionID: sessionID), serverKey: sessionKey.publicKey)
    }
}
