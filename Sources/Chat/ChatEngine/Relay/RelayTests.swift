import ChatProtocol
import SMPWire
import Synchronization

/// The tests of relays that commands of this process wait for.
final class RelayTests: Sendable {
    private let waiting = Mutex<[Bytes: AsyncStream<ChatMessageEvent>.Continuation]>([:])

    /// Begins to wait for the answer of a relay over a connection.
    ///
    /// - Returns: The answers; the stream ends with ``end(_:)``.
    func begin(_ connection: Bytes) -> AsyncStream<ChatMessageEvent> {
        let (stream, continuation) = AsyncStream<ChatMessageEvent>.makeStream(bufferingPolicy: .bufferingOldest(1))
        waiting.withLock { $0[connection] = continuation }
        return stream
    }

    /// Stops waiting.
    func end(_ connection: Bytes) { waiting.withLock { $0.removeValue(forKey: connection) }?.finish() }

    /// Passes an answer to the task that waits for it, if it still waits.
    func receive(_ answer: ChatMessageEvent, over connection: Bytes) { _ = waiting.withLock { $0[connection] }?.yield(answer) }
}
