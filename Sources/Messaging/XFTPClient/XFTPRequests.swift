import NIOCore
import SMPClient
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import XFTPProtocol
import XFTPTransport

/// Requests and their answers on one connection with a file router.
struct XFTPRequests: Sendable {
    let connection: HTTP2Connection
    /// The host, as the requests name it.
    let authority: String
    let network: NetworkConfiguration
    private let usage = ConnectionUsage()

    /// False when the connection has ended, or takes no more requests.
    var isOpen: Bool { connection.isOpen && !usage.isOver }

    /// The time limit of a request.
    ///
    /// - Parameter bytes: of the chunk that is sent or received with it.
    func limit(bytes: Int = 0) -> Duration { network.responseLimit(isInteractive: false, bytes: bytes) }

    /// Sends a request and reads its answer. Answers may come before the request has been sent to its end.
    ///
    /// - Parameters:
    ///   - block: the beginning of the body; nil for a request without one.
    ///   - chunk: what follows the block.
    ///   - limit: for all of it.
    ///   - read: reads the body of the answer.
    /// - Throws: ``XFTPClientError``.
    func send<Value: Sendable, Failure: Error>(
        _ block: Bytes?, chunk: ChunkSource? = nil, limit: Duration,
        read: @escaping @Sendable (inout HTTP2Body) async throws(Failure) -> Value
    ) async throws(XFTPClientError) -> Value {
        let result = await within(limit) { () async -> Result<Value, XFTPClientError> in
            do {
                return .success(try await exchange(block, chunk, read))
            } catch let error as XFTPClientError {
                return .failure(error)
            } catch let error as ConnectionError {
                return .failure(XFTPClientError(error))
            } catch let error as FileFormatError {
                return .failure(XFTPClientError(error))
            } catch is CancellationError {
                return .failure(XFTPClientError(.cancelled, "the request was cancelled"))
            } catch {
                return .failure(XFTPClientError(.network(.failed), "the connection broke", cause: error))
            }
        }
        guard !Task.isCancelled else { throw XFTPClientError(.cancelled, "the request was cancelled") }
        guard let result else { throw XFTPClientError(.timeout, "the router did not answer within \(limit)") }
        return try result.get()
    }

    private func exchange<Value: Sendable, Failure: Error>(
        _ block: Bytes?, _ chunk: ChunkSource?, _ read: @escaping @Sendable (inout HTTP2Body) async throws(Failure) -> Value
    ) async throws -> Value {
        guard usage.begin() else { throw ConnectionError(.disconnected, "the connection takes no more requests") }
        defer { if usage.end() { connection.beginClosing() } }
        // A chunk of one piece leaves with its block, before there can be an answer.
        let sending = Sending(isOver: chunk.map { $0.size <= ChunkSource.pieceSize } ?? true)
        let stream = try await connection.openStream()
        let headers = [(":method", "POST"), (":scheme", "https"), (":authority", authority), (":path", "/")]
        return try await stream.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask {
                    do throws(ConnectionError) {
                        try await outbound.send(headers: headers, isEnd: block == nil)
                        guard let block else { return nil }
                        try await outbound.send(block, isEnd: chunk.map { $0.size == 0 } ?? true)
                    } catch {
                        // The answer says why, or its reader fails too.
                        return nil
                    }
                    guard let chunk else { return nil }
                    var offset = 0
                    while offset < chunk.size {
                        let piece = try await chunk.piece(at: offset)
                        offset += piece.readableBytes
                        // Before it is sent: the answer may be here before the writer returns.
                        if offset == chunk.size { sending.end() }
                        do { try await outbound.send(piece, isEnd: offset == chunk.size) } catch { return nil }
                        await stream.untilTaken()
                    }
                    return nil
                }
                group.addTask {
                    // Official routers end the connection when they have answered a request before they had all of it.
                    defer { if !sending.isOver, !Task.isCancelled { usage.retire() } }
                    var body = HTTP2Body(inbound)
                    return try await read(&body)
                }
                while let result = try await group.next() {
                    guard let value = result else { continue }
                    group.cancelAll()
                    return value
                }
                throw CancellationError()
            }
        }
    }
}

/// The state of handing over the end of a request.
private final class Sending: Sendable {
    private let hasEnded: Atomic<Bool>

    init(isOver: Bool) { hasEnded = Atomic(isOver) }

    var isOver: Bool { hasEnded.load(ordering: .acquiring) }

    func end() { hasEnded.store(true, ordering: .releasing) }
}

/// The requests that are under way on a connection, and whether there may be others.
private final class ConnectionUsage: Sendable {
    private struct State {
        var requests = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// True if the connection takes no more requests.
    var isOver: Bool { state.withLock(\.isOver) }

    /// Begins a request, which must end.
    ///
    /// - Returns: false if the connection takes no more.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.requests += 1
            return true
        }
    }

    /// Ends a request.
    ///
    /// - Returns: true if nobody uses the connection any more.
    func end() -> Bool {
        state.withLock { state in
            state.requests -= 1
            return state.isOver && state.requests == 0
        }
    }

    /// From now on the connection takes no more requests. Those that are under way continue.
    func retire() { state.withLock { $0.isOver = true } }
}
