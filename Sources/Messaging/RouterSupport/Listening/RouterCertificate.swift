package import SMPCrypto
package import SMPProtocol
package import SMPTransport
package import SMPWire
import Synchronization

/// The parts that handshakes with one certificate share.
package struct RouterIdentity: Sendable {
    package let keyHash: KeyHash
    package let chain: [Bytes]
    package let leafKey: PrivateAuthKey

    init(_ credential: ServerCredential) throws(RouterError) {
        keyHash = KeyHash(credential.fingerprint)
        chain = credential.chain
        do {
            leafKey = try credential.leafKey()
        } catch {
            throw RouterError(.transport, "the router's certificate cannot sign", cause: error)
        }
    }

    fileprivate func isOf(_ credential: ServerCredential) -> Bool { chain == credential.chain }
}

/// The certificates of a router: the present one, and the previous one for connections that began their handshake with it.
package final class RouterCertificate: Sendable {
    private struct State {
        var credential: ServerCredential
        var identities: [RouterIdentity]
    }

    private let storage: RouterStorage
    private let lifetime: CertificateLifetime
    private let state: Mutex<State>

    /// Reads the certificate, or creates one.
    ///
    /// - Parameters:
    ///   - days: the lifetime of a certificate; nil: unlimited.
    ///   - mayMake: false if the router has run before, so that a missing certificate is refused.
    /// - Throws: ``RouterError`` `transport`.
    package init(_ storage: RouterStorage, days: Int?, mayMake: Bool = true) throws(RouterError) {
        self.storage = storage
        lifetime = days.map { .days($0) } ?? .unlimited
        let credential: ServerCredential
        do throws(ConnectionError) {
            switch storage {
            case .folder(let folder): credential = try .loadOrGenerate(in: folder, lifetime: lifetime, mayGenerate: mayMake)
            case .memory: credential = try .generate()
            }
        } catch {
            throw RouterError(.transport, "the router's certificates cannot be used: \(error.message)", cause: error.cause)
        }
        state = Mutex(State(credential: credential, identities: [try RouterIdentity(credential)]))
    }

    package var credential: ServerCredential { state.withLock { $0.credential } }
    package var keyHash: KeyHash { KeyHash(credential.fingerprint) }

    /// The remaining lifetime in seconds.
    package var remainingLifetime: Int? { credential.certificates.first?.remainingLifetime }

    /// True if a third of the certificate's lifetime, or less, is left, and the router can renew it.
    package var isDue: Bool {
        guard case .folder(let folder) = storage, let remaining = remainingLifetime, remaining < lifetime.secondsAfter / 3 else { return false }
        return ServerCredential.hasAuthorityKey(in: folder)
    }

    /// True if the certificate expires soon, and the key of the identity is missing.
    package var needsKey: Bool {
        guard case .folder(let folder) = storage, let remaining = remainingLifetime else { return false }
        return remaining < min(30 * 86_400, lifetime.secondsAfter / 3) && !ServerCredential.hasAuthorityKey(in: folder)
    }

    package func identity(of credential: ServerCredential) -> RouterIdentity? {
        state.withLock { $0.identities.first { $0.isOf(credential) } }
    }

    /// Loads the certificate in the folder if it has changed; otherwise issues a new one.
    ///
    /// - Throws: ``RouterError`` `transport`; nothing changes then.
    package func renew() throws(RouterError) -> ServerCredential {
        let new: ServerCredential
        do throws(ConnectionError) {
            switch storage {
            case .folder(let folder):
                let present = try ServerCredential.load(from: folder)
                new = present.chain == credential.chain ? try .renew(in: folder, lifetime: lifetime) : present
            case .memory: throw ConnectionError(.invalidCredential, "a router in memory cannot renew its certificate")
            }
        } catch {
            throw RouterError(.transport, "the certificate cannot be renewed: \(error.message)", cause: error)
        }
        guard new.fingerprint == credential.fingerprint else {
            throw RouterError(.transport, "the certificate in the folder has another identity, with which the router's address would change")
        }
        let identity = try RouterIdentity(new)
        state.withLock { state in
            state.credential = new
            state.identities = [identity] + state.identities.prefix(1)
        }
        return new
    }
}
