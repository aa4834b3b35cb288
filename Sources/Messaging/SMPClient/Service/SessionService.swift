import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire

/// The proof by which a client becomes known as a service in the handshake of one session.
struct ServiceClaim: Sendable {
    let hello: SMPClientService
    /// Signs commands in this session.
    let key: Ed25519.PrivateKey
    let certificateHash: Bytes

    /// - Throws: ``SMPClientError`` `crypto` if the certificate's key cannot sign.
    init(_ credential: ServerCredential, random: any RandomSource) throws(SMPClientError) {
        let pair = Ed25519.generateKeyPair(random)
        do {
            guard
                let certified = CertifiedKey(
                    certificateChain: credential.chain, signing: pair.publicKey.spki, with: try credential.leafKey())
            else { throw SMPClientError(.crypto, "the key of the service's certificate cannot sign") }
            hello = SMPClientService(role: .messaging, key: certified)
        } catch let error as SMPClientError {
            throw error
        } catch {
            throw SMPClientError(.crypto, "the service's certificate cannot be used", cause: error)
        }
        key = pair.privateKey
        certificateHash = credential.fingerprint
    }
}

/// A service as a router knows it in one session.
struct SessionService: Sendable {
    let id: ServiceID
    /// Signs commands beside the queues' keys, and alone those for the service.
    let key: Ed25519.PrivateKey
    /// The hash that queues' keys sign with a command, so that the certificate cannot be replaced.
    let certificateHash: Bytes
}
