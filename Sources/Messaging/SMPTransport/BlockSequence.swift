public import SMPWire
import Synchronization

extension SMPConnection {
    /// The blocks from the peer, in order, each of ``blockSize`` bytes. Can be iterated once, by one task.
    ///
    /// The sequence ends when the connection is closed in good order and throws when it breaks. The peer is slowed down when
    /// ``BlockSequence/capacity`` blocks wait to be taken.
    public var blocks: BlockSequence { BlockSequence(self) }
}

/// The blocks that arrive on a connection; see ``SMPConnection/blocks``.
public struct BlockSequence: AsyncSequence, Sendable {
    /// Blocks that wait to be taken before reading stops. What the socket had ready comes on top: at most four blocks.
    public static let capacity = 8

    private let connection: SMPConnection

    init(_ connection: SMPConnection) { self.connection = connection }

    public func makeAsyncIterator() -> Iterator {
        let buffer = BlockBuffer(connection)
        do {
            try connection.start(buffer)
        } catch {
            buffer.connection(connection, ended: error)
        }
        return Iterator(buffer: buffer)
    }

    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let buffer: BlockBuffer

        /// The next block; nil after a close in good order, or when the task is cancelled.
        public mutating func next() async throws(ConnectionError) -> Bytes? {
            try await buffer.next()
        }
    }
}

/// Holds blocks between the event loop and the task that takes them.
private final class BlockBuffer: SMPConnectionDelegate {
    private struct State {
        var blocks: [Bytes] = []
        var taken = 0
        var isPaused = false
        var end: ConnectionError?
        var waiter: CheckedContinuation<Result<Bytes?, ConnectionError>, Never>?

        var count: Int { blocks.count - taken }

        mutating func take() -> Bytes? {
            guard taken < blocks.count else { return nil }
            let block = blocks[taken]
            taken += 1
            if taken == blocks.count {
                blocks.removeAll(keepingCapacity: false)
                taken = 0
            }
            return block
        }

        /// How a reader that finds no block is answered, or nil while it must wait.
        var ending: Result<Bytes?, ConnectionError>? {
            end.map { $0.code == .closed ? .success(nil) : .failure($0) }
        }
    }

    private let connection: SMPConnection
    private let state = Mutex(State())

    init(_ connection: SMPConnection) { self.connection = connection }

    func next() async throws(ConnectionError) -> Bytes? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> (Result<Bytes?, ConnectionError>, resume: Bool)? in
                    if let block = state.take() {
                        let resume = state.isPaused && state.count <= BlockSequence.capacity / 2
                        if resume { state.isPaused = false }
                        return (.success(block), resume)
                    }
                    if let ending = state.ending { return (ending, false) }
                    if Task.isCancelled { return (.success(nil), false) }
                    state.waiter = continuation
                    return nil
                }
                guard let answer else { return }
                if answer.resume { connection.setReading(true) }
                continuation.resume(returning: answer.0)
            }
        } onCancel: {
            takeWaiter()?.resume(returning: .success(nil))
        }
        return try result.get()
    }

    private func takeWaiter() -> CheckedContinuation<Result<Bytes?, ConnectionError>, Never>? {
        state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
    }

    func connection(_ connection: SMPConnection, received block: Bytes) {
        let (waiter, pause) = state.withLock { state -> (CheckedContinuation<Result<Bytes?, ConnectionError>, Never>?, Bool) in
            if let waiter = state.waiter {
                state.waiter = nil
                return (waiter, false)
            }
            state.blocks.append(block)
            guard !state.isPaused, state.count >= BlockSequence.capacity else { return (nil, false) }
            state.isPaused = true
            return (nil, true)
        }
        waiter?.resume(returning: .success(block))
        if pause { connection.setReading(false) }
    }

    func connectionReceivedAllForNow(_: SMPConnection) {}

    func connection(_: SMPConnection, isWritable _: Bool) {}

    func connection(_: SMPConnection, ended reason: ConnectionError) {
        let (waiter, ending) = state.withLock { state in
            state.end = state.end ?? reason
            defer { state.waiter = nil }
            return (state.waiter, state.ending)
        }
        guard let waiter, let ending else { return }
        waiter.resume(returning: ending)
    }
}
