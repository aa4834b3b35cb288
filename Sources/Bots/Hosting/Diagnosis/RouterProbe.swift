internal import Foundation
internal import Logging
internal import SMPClient
internal import SMPCrypto
internal import SMPProtocol
internal import SMPTransport
internal import SMPWire
internal import XFTPClient
internal import XFTPProtocol

/// A test of a router: connects, checks the fingerprint, agrees on a version, and creates and deletes a queue, or announces and deletes a chunk of a file.
///
/// The test shows the router no profile and no existing queue. It stores nothing.
package struct RouterProbe: Sendable {
    /// The result of a test.
    package struct Outcome: Sendable, Equatable {
        /// The agreed version of the protocol; nil if none was agreed on.
        package var version: UInt16?
        /// The time from the beginning to the agreement on a version; nil if there was none.
        package var connecting: Duration?
        /// The reason why the router cannot be used; nil if it can.
        package var failure: Failure?

        package init(version: UInt16? = nil, connecting: Duration? = nil, failure: Failure? = nil) {
            (self.version, self.connecting, self.failure) = (version, connecting, failure)
        }
    }

    /// The reason why a router cannot be used.
    package enum Failure: Sendable, Equatable {
        /// No connection.
        case unreachable(String)
        /// No answer in time.
        case timeout
        /// The router has another certificate than the fingerprint in its address says.
        case identity
        /// The router and this program have no common version.
        case version
        /// The router requires another password than the address has, or one at all.
        case password
        /// The router refuses queues or files for another reason, or its answers are invalid.
        case refused(String)
    }

    private let network: NetworkConfiguration
    private let random: any RandomSource = SystemRandomSource()

    /// - Parameter limit: the time limit of a connection, and again of an answer.
    package init(_ network: RouterNetwork, limit: Duration) {
        var settings = network.settings
        settings.connectTimeout = .init(background: limit, interactive: limit)
        settings.responseTimeout = .init(background: limit, interactive: limit)
        self.network = settings
    }

    /// Tests a router.
    package func test(_ target: RouterTarget) async -> Outcome {
        switch target.address {
        case .messages(let router): await test(router)
        case .files(let router): await test(router)
        }
    }

    private func test(_ router: SMPServerWithAuth) async -> Outcome {
        let start = ContinuousClock.now
        var configuration = SMPClientConfiguration(), outcome = Outcome()
        configuration.network = network
        do throws(SMPClientError) {
            let pool = try SMPClientPool(configuration: configuration, logger: Logger(label: "parley.probe") { _ in SwiftLogNoOpLogHandler() })
            let session = TransportSessionKey(userID: 0, server: router.server)
            do throws(SMPClientError) {
                outcome.version = try await pool.sessionInfo(session).version
                outcome.connecting = ContinuousClock.now - start
                try await makeQueue(router.basicAuth, pool, session)
            } catch {
                outcome.failure = Self.failure(error)
            }
            await pool.close()
        } catch {
            outcome.failure = Self.failure(error)
        }
        return outcome
    }

    private func makeQueue(_ password: BasicAuth?, _ pool: SMPClientPool, _ session: TransportSessionKey) async throws(SMPClientError) {
        let key = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(random).privateKey)
        let request = NewQueueRequest(
            recipientKey: key.publicKey, encryptionKey: X25519.generateKeyPair(random).publicKey, basicAuth: password, subscription: .onlyCreate,
            mode: .messaging(link: nil))
        guard case .ids(let ids) = try await pool.send(SMPRequest(command: .new(request), authKey: key), over: session) else {
            throw SMPClientError(.unexpectedResponse("NEW"), "the answer to the creation of a queue has no ids")
        }
        _ = try await pool.send(SMPRequest(entity: ids.recipientID, command: .del, authKey: key), over: session)
    }

    private static func failure(_ error: SMPClientError) -> Failure {
        switch error.code {
        case .network(.unknownCA): .identity
        case .network(.timeout), .timeout: .timeout
        case .network, .incompatibleHost: .unreachable(ConnectionReason.text(error.message, error.cause))
        case .transport(.version): .version
        case .transport(.handshake(.identity)): .identity
        case .protocol(.auth): .password
        default: .refused(ConnectionReason.text(error.message, error.cause))
        }
    }

    private func test(_ router: XFTPServerWithAuth) async -> Outcome {
        let start = ContinuousClock.now
        var configuration = XFTPClientConfiguration(), outcome = Outcome()
        configuration.network = network
        do throws(XFTPClientError) {
            let session = try await XFTPConnector(configuration, random: random).connect(router.server)
            outcome.version = session.version
            outcome.connecting = ContinuousClock.now - start
            do throws(XFTPClientError) {
                try await announceChunk(router.basicAuth, session)
            } catch {
                outcome.failure = Self.failure(error)
            }
            await session.close()
        } catch {
            outcome.failure = Self.failure(error)
        }
        return outcome
    }

    private func announceChunk(_ password: BasicAuth?, _ session: XFTPSession) async throws(XFTPClientError) {
        let key = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(random).privateKey)
        let recipient = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(random).privateKey)
        let (sender, _) = try await session.create(
            key: key, size: ChunkPlan.sizes[0], digest: random.bytes(32), recipients: [recipient.publicKey], basicAuth: password)
        try await session.delete(sender, key: key)
    }

    private static func failure(_ error: XFTPClientError) -> Failure {
        switch error.code {
        case .network(.unknownCA): .identity
        case .network(.timeout), .timeout: .timeout
        case .network, .incompatibleHost: .unreachable(ConnectionReason.text(error.message, error.cause))
        case .transport(.version): .version
        case .protocol(.auth): .password
        default: .refused(ConnectionReason.text(error.message, error.cause))
        }
    }
}
