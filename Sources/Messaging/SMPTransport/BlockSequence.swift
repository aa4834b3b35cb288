import AsyncPrimitives
package import SMPWire
import Synchronization

extension SMPConnection {
    /// The blocks from the peer, in order, each of ``blockSize`` bytes. Can be iterated once, by one task.
    ///
    /// The sequence ends when the connection is closed cleanly and throws when it breaks. The peer is slowed down when
    /// ``BlockSequence/capacity`` blocks wait to be taken.
    package var blocks: BlockSequence { BlockSequence(self) }
}

/// The blocks that arrive on a connection; see ``SMPConnection/blocks``.
package struct BlockSequence: AsyncSequence, Sendable {
    /// Blocks that wait to be taken before reading stops. What the socket had ready comes on top: at most four blocks.
    package static let capacity = 8

    private let connection: SMPConnection

    init(_ connection: SMPConnection) { self.connection = connection }

    package func makeAsyncIterator() -> Iterator {
        let buffer = BlockBuffer(connection)
        do {
            try connection.start(buffer)
        } catch {
            buffer.connection(connection, ended: error)
        }
        return Iterator(buffer: buffer)
    }

    package struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let buffer: BlockBuffer

        /// The next block; nil after a clean close, or when the task is cancelled.
        package mutating func next() async throws(ConnectionError) -> Bytes? {
            try await buffer.next()
        }
    }
}

/// Holds blocks between the event loop and the task that takes them.
private final class BlockBuffer: SMPConnectionDelegate {
    typealias Answer = Result<Bytes?, ConnectionError>

    private struct State {
        var blocks: [Bytes] = []
        var taken = 0
        var isPaused = false
        var end: ConnectionError?
        /// The answer to a reader that found no block.
        var answer: Promise<Answer>?

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

        /// The answer to a reader that finds no block, or nil while it must wait.
        var ending: Answer? {
            end.map { $0.code == .closed ? .success(nil) : .failure($0) }
        }
    }

    private let connection: SMPConnection
    private let state = Mutex(State())

    init(_ connection: SMPConnection) { self.connection = connection }

    func next() async throws(ConnectionError) -> Bytes? {
        enum Step {
            case block(Bytes, resumes: Bool)
            case ending(Answer)
            case wait(Promise<Answer>)
        }
        let step = state.withLock { state -> Step in
            if let block = state.take() {
                let resumes = state.isPaused && state.count <= BlockSequence.capacity / 2
                if resumes { state.isPaused = false }
                return .block(block, resumes: resumes)
            }
            if let ending = state.ending { return .ending(ending) }
            let answer = Promise<Answer>()
            state.answer = answer
            return .wait(answer)
        }
        switch step {
        case .block(let block, let resumes):
            if resumes { connection.setReading(true) }
            return block
        case .ending(let ending): return try ending.get()
        case .wait(let answer):
            return try await withTaskCancellationHandler {
                await answer.value()
            } onCancel: {
                state.withLock { $0.answer.take() }?.resolve(.success(nil))
            }.get()
        }
    }

    func connection(_ connection: SMPConnection, received block: Bytes) {
        let (answer, pause) = state.withLock { state -> (Promise<Answer>?, Bool) in
            if let answer = state.answer.take() { return (answer, false) }
            state.blocks.append(block)
            guard !state.isPaused, state.count >= BlockSequence.capacity else { return (nil, false) }
            state.isPaused = true
            return (nil, true)
        }
        answer?.resolve(.success(block))
        if pause { connection.setReading(false) }
    }

    func connectionReceivedAllForNow(_: SMPConnection) {}

    func connection(_: SMPConnection, isWritable _: Bool) {}

    func connection(_: SMPConnection, ended reason: ConnectionError) {
        let (answer, ending) = state.withLock { state in
            state.end = state.end ?? reason
            return (state.answer.take(), state.ending)
        }
        guard let answer, let ending else { return }
        answer.resolve(ending)
    }
}
