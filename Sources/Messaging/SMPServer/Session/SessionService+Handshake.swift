import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire

extension SessionService {
    /// Creates the identity of a client that has named itself a service in its hello.
    ///
    /// - Parameter peerChain: the certificates that the client has proven in TLS; the hello must have the same.
    /// - Throws: `badAuth` if the certificates differ, or the session's key is not signed with them.
    init(_ claimed: SMPClientService, peerChain: [Bytes], router: KeyHash) throws(HandshakeError) {
        // One certificate is the service's own; in a chain, the second one identifies it.
        guard (1...4).contains(peerChain.count), claimed.key.certificateChain == peerChain else { throw .badAuth }
        let identity = peerChain[min(1, peerChain.count - 1)]
        self.init(
            claimed.role, key: try claimed.key.verifiedEd25519Key(), certificateHash: Hash.sha256(identity), router: router)
    }
}
