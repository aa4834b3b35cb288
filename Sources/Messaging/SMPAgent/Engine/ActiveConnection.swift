import AsyncPrimitives
import SMPProtocol
import Synchronization

/// A message that a router delivered and that waits for its turn.
struct IncomingMessage: Sendable {
    let queue: QueueKey
    let row: RowID
    let message: ReceivedMessage
}

/// A message that came before its turn, and is neither stored nor acknowledged.
struct EarlyMessage: Sendable {
    let message: IncomingMessage
    /// The peer's number of it.
    let number: Int64
}

/// A connection in use: a lock under which its events are processed one after another, and its state in memory.
final class ActiveConnection: Sendable {
    private struct Inner {
        var incoming: [IncomingMessage] = []
        var isDraining = false
        /// Calls that use the connection; without any it can be evicted.
        var users = 0
        var state: ConnectionState?
        var unacknowledged: [AgentMessageID: [ReceivedMessageRecord]] = [:]
        /// The one with the lowest number first; one of each queue.
        var early: [EarlyMessage] = []
        var isWaitingForMissing = false
        var allowance = IdleWorkAllowance()
        /// Requests to a contact address that wait for an answer, at most so many; nil: not counted yet.
        var requests: Int?
        /// Queues whose message waits for room for another request.
        var postponed: Set<RowID> = []
    }

    let id: ConnectionID
    private let lock = AsyncLock()
    private let inner = Mutex(Inner())

    init(_ id: ConnectionID) { self.id = id }

    /// Waits for exclusive use, which is granted in the order of the requests. ``release()`` must follow.
    func hold() async { await lock.acquire() }

    func release() { lock.release() }

    func enter() { inner.withLock { $0.users += 1 } }
    func leave() { inner.withLock { $0.users -= 1 } }

    /// True if no call uses the connection and nothing waits in it. A message that came through two queues is acknowledged to both, which only this
    /// knows: without the other acknowledgement, that queue would stop.
    var isIdle: Bool {
        inner.withLock { $0.users == 0 && $0.incoming.isEmpty && $0.early.isEmpty && $0.unacknowledged.isEmpty && $0.postponed.isEmpty }
    }

    /// The state in memory; nil if it is not loaded, or the connection is gone. Only for the holder of the connection.
    var state: ConnectionState? {
        get { inner.withLock { $0.state } }
        set { inner.withLock { $0.state = newValue } }
    }

    /// Notes that a message waits for the user, as it was delivered by one queue: while queues move, it can come through two.
    func setUnacknowledged(_ record: ReceivedMessageRecord) {
        inner.withLock { inner in
            let others = inner.unacknowledged[record.messageID, default: []].filter { $0.queue != record.queue }
            inner.unacknowledged[record.messageID] = others + [record]
        }
    }

    /// All deliveries of a message that waits for the user.
    func unacknowledged(_ messageID: AgentMessageID) -> [ReceivedMessageRecord] { inner.withLock { $0.unacknowledged[messageID] ?? [] } }

    /// A message does not wait for the user any more, which is in the store or on its way there.
    func forgetUnacknowledged(_ messageID: AgentMessageID) { inner.withLock { $0.unacknowledged[messageID] = nil } }

    func isUnacknowledged(_ messageID: AgentMessageID) -> Bool { inner.withLock { $0.unacknowledged[messageID] != nil } }

    /// Checks whether a message waits for the user that another queue than this one has delivered first.
    func isUnacknowledged(_ messageID: AgentMessageID, notThrough row: RowID) -> Bool {
        inner.withLock { inner in inner.unacknowledged[messageID]?.first.map { $0.queue != row } ?? false }
    }

    /// Counts messages that were of no use to the user; see ``IdleWorkAllowance``.
    func countIdleWork(now: Int64, weight: Int = 1, interval: Int64 = IdleWorkAllowance.interval) -> Duration {
        inner.withLock { $0.allowance.take(now: now, weight: weight, interval: interval) }
    }

    // MARK: Requests

    /// Counts a request to a contact address.
    ///
    /// - Returns: false, and counts nothing, if there may be as many as allowed: the store must be asked.
    func countRequest(upTo limit: Int) -> Bool {
        inner.withLock { inner in
            guard let requests = inner.requests, requests < limit else { return false }
            inner.requests = requests + 1
            return true
        }
    }

    /// Sets the number of requests that wait for an answer, as the store has it.
    func setRequests(_ count: Int) { inner.withLock { $0.requests = count } }

    /// Notes that a queue's message waits for room.
    ///
    /// - Returns: true if the caller must see to it; false if somebody does.
    func postpone(_ row: RowID) -> Bool { inner.withLock { $0.postponed.insert(row).inserted } }

    var isPostponed: Bool { inner.withLock { !$0.postponed.isEmpty } }

    func endPostponement(_ row: RowID) { _ = inner.withLock { $0.postponed.remove(row) } }

    // MARK: Messages before their turn

    /// The queues' messages that came before their turn, in the order of their numbers.
    var early: [EarlyMessage] { inner.withLock { $0.early } }

    /// Puts a message aside. The queue's router delivers no other before it is acknowledged, but may deliver this one again.
    ///
    /// - Returns: true if the caller must see to its turn.
    func putAside(_ early: EarlyMessage) -> Bool {
        inner.withLock { inner in
            inner.early.removeAll { $0.message.row == early.message.row }
            inner.early.insert(early, at: inner.early.firstIndex { $0.number > early.number } ?? inner.early.endIndex)
            defer { inner.isWaitingForMissing = true }
            return !inner.isWaitingForMissing
        }
    }

    /// The queue's message is stored, or of no more use.
    func forgetEarly(_ row: RowID) { inner.withLock { $0.early.removeAll { $0.message.row == row } } }

    /// The connection is gone.
    func forgetEarly() { inner.withLock { $0.early = [] } }

    /// Checks whether messages still wait for their turn; if not, the next one that is put aside needs somebody new.
    func keepsWaiting() -> Bool {
        inner.withLock { inner in
            inner.isWaitingForMissing = !inner.early.isEmpty
            return inner.isWaitingForMissing
        }
    }

    /// Deliveries of one queue that wait at most. A router delivers nothing more before it has an acknowledgement, but it does over each new
    /// connection, while this may wait for the disk.
    static let waitingPerQueue = 4

    /// Appends a message, in place of the same one of an earlier delivery. Of more than ``waitingPerQueue`` of one queue the oldest is passed
    /// over: it is not acknowledged, so that a router that still has it delivers it again.
    ///
    /// - Returns: true if the caller must drain the waiting messages.
    func append(_ message: IncomingMessage) -> Bool {
        inner.withLock { inner in
            inner.incoming.removeAll { $0.row == message.row && $0.message.id == message.message.id }
            if inner.incoming.count(where: { $0.row == message.row }) >= Self.waitingPerQueue,
                let oldest = inner.incoming.firstIndex(where: { $0.row == message.row })
            {
                inner.incoming.remove(at: oldest)
            }
            inner.incoming.append(message)
            defer { inner.isDraining = true }
            return !inner.isDraining
        }
    }

    /// The next message; nil ends the draining.
    func nextIncoming() -> IncomingMessage? {
        inner.withLock { inner in
            guard !inner.incoming.isEmpty else {
                inner.isDraining = false
                return nil
            }
            return inner.incoming.removeFirst()
        }
    }
}
