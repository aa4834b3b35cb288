import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire

extension RouterIdentity {
    /// Creates a handshake; nil if the client did not negotiate the protocol and no version is offered that it may speak.
    func handshake(versions: VersionRange, _ connection: SMPConnection, random: any RandomSource) -> SMPServerHandshake? {
        try? SMPServerHandshake(
            versions: versions, hasALPN: connection.handshake.applicationProtocol != nil, sessionID: connection.sessionID,
            keyHash: keyHash, sessionKey: X25519.generateKeyPair(random).privateKey, certificateChain: chain, leafKey: leafKey)
    }
}
