import SMPTransport
import SMPWire
import Synchronization

/// The connections and failures that a listener reported, for tests to wait for.
final class Accepted: Sendable {
    private let connections: AsyncStream<SMPConnection>
    private let failures: AsyncStream<TransportError>
    private let connectionInput: AsyncStream<SMPConnection>.Continuation
    private let failureInput: AsyncStream<TransportError>.Continuation

    init() {
        (connections, connectionInput) = AsyncStream.makeStream()
        (failures, failureInput) = AsyncStream.makeStream()
    }

    func add(_ connection: SMPConnection) { connectionInput.yield(connection) }
    func add(_ failure: TransportError) { failureInput.yield(failure) }

    func first() async throws -> SMPConnection {
        for await connection in connections { return connection }
        throw CancellationError()
    }

    func firstFailure() async throws -> TransportError {
        for await failure in failures { return failure }
        throw CancellationError()
    }
}

/// Runs `body` with a listener on a free port of the loopback interface, and closes it after.
func withListener(
    _ credential: ServerCredential, _ change: (inout SMPTransportListener.Configuration) -> Void = { _ in },
    _ body: (SMPTransportListener, Accepted) async throws -> Void
) async throws {
    var configuration = SMPTransportListener.Configuration(credential: credential)
    configuration.host = "127.0.0.1"
    configuration.port = 0
    change(&configuration)
    let accepted = Accepted()
    let listener = try await SMPTransportListener.start(
        configuration, onFailure: { accepted.add($0) }, onConnection: { accepted.add($0) })
    do {
        try await body(listener, accepted)
    } catch {
        await listener.close()
        throw error
    }
    await listener.close()
}

/// The code of the ``TransportError`` that `body` throws, or nil.
func transportErrorCode(_ body: () async throws -> Void) async -> TransportError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? TransportError)?.code
    }
}
