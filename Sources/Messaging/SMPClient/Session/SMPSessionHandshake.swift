import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// Runs the handshake of a new connection, and gives its place to the ``SMPSession`` that comes of it.
final class SMPSessionHandshake: SMPConnectionDelegate {
    private enum State {
        case waiting(CheckedContinuation<Result<SMPSession, SMPClientError>, Never>?)
        case over(Result<SMPSession, SMPClientError>)
    }

    private let handshake: SMPClientHandshake
    private let makeSession: @Sendable (SMPConnection, SMPSessionParameters) -> SMPSession
    private let state = Mutex(State.waiting(nil))

    init(
        _ handshake: SMPClientHandshake,
        makeSession: @escaping @Sendable (SMPConnection, SMPSessionParameters) -> SMPSession
    ) {
        self.handshake = handshake
        self.makeSession = makeSession
    }

    /// Waits for the router's hello and answers it.
    func run(on connection: SMPConnection, timeout: Duration, time: ClientTime) async throws(SMPClientError) -> SMPSession {
        do throws(ConnectionError) {
            try connection.start(self)
        } catch {
            throw SMPClientError(error)
        }
        let deadline = Task {
            guard (try? await time.sleep(timeout)) != nil else { return }
            finish(.failure(SMPClientError(.network(.timeout), "the router did not begin its handshake in time")))
        }
        defer { deadline.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Result<SMPSession, SMPClientError>? in
                    if case .over(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            finish(.failure(SMPClientError(.cancelled, "connecting was cancelled")))
        }
        if case .failure = result { connection.beginClosing() }
        return try result.get()
    }

    private func finish(_ result: Result<SMPSession, SMPClientError>) {
        let waiter = state.withLock { state -> CheckedContinuation<Result<SMPSession, SMPClientError>, Never>? in
            guard case .waiting(let waiter) = state else { return nil }
            state = .over(result)
            return waiter
        }
        waiter?.resume(returning: result)
    }

    private var isOver: Bool {
        state.withLock { if case .over = $0 { true } else { false } }
    }

    func connection(_ connection: SMPConnection, received block: Bytes) {
        guard !isOver else { return }
        do throws(SMPClientError) {
            finish(.success(try answer(block, on: connection)))
        } catch {
            finish(.failure(error))
        }
    }

    private func answer(_ block: Bytes, on connection: SMPConnection) throws(SMPClientError) -> SMPSession {
        let session: SMPSession
        let reply: Bytes
        do throws(TransportError) {
            var cipher = BlockCipher()
            guard let leaf = connection.peerChain.first, let certificate = try? Certificate(der: leaf),
                let leafKey = try? PublicAuthKey(spki: certificate.publicKeySPKI())
            else { throw .handshake(.badAuth) }
            let (hello, parameters) = try handshake.respond(
                to: try cipher.open(block), sessionID: connection.sessionID, leafKey: leafKey)
            reply = try cipher.seal(hello.wireBytes)
            session = makeSession(connection, parameters)
        } catch {
            throw SMPClientError(.transport(error), "the handshake with the router failed: \(error)", cause: error)
        }
        do throws(ConnectionError) {
            try connection.write([reply])
            try connection.handOver(to: session)
            return session
        } catch {
            throw SMPClientError(error)
        }
    }

    func connectionReceivedAllForNow(_: SMPConnection) {}

    func connection(_: SMPConnection, isWritable _: Bool) {}

    func connection(_: SMPConnection, ended reason: ConnectionError) { finish(.failure(SMPClientError(reason))) }
}
