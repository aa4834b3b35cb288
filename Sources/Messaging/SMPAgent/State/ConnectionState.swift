import SMPProtocol
import SMPRatchet
import SMPWire

/// A connection with all that decisions about it need. It is a value: a decision makes a new one, which takes the place of the old one
/// once the changes that lead to it are stored.
struct ConnectionState: Sendable {
    /// The kind of a connection, by the queues that it has.
    enum Kind: String, Sendable {
        case new, receive, send, duplex, contact
    }

    var record: ConnectionRecord
    /// The primary queue is first.
    var receiveQueues: [ReceiveQueue] = []
    /// The primary queue is first.
    var sendQueues: [SendQueue] = []
    var ratchet: Ratchet?
    var skippedKeys = SkippedMessageKeys()
    /// Our keys of an agreement that waits for the peer's keys.
    var agreementKeys: AgreementKeys?
    /// The ratchet parameters of our confirmation, kept to repeat it.
    var sentParameters: RatchetParameters?
    /// Hashes of keys that the peer sent for new agreements, and when they were taken, in milliseconds since 1970.
    var processedRatchetKeys: [Bytes: Int64] = [:]
    /// The highest of the user's own numbers of messages.
    var lastRequestKey: Int64 = 0

    init(_ record: ConnectionRecord) { self.record = record }

    var kind: Kind {
        if record.mode == .contact { return receiveQueues.isEmpty ? .new : .contact }
        switch (receiveQueues.isEmpty, sendQueues.isEmpty) {
        case (true, true): return .new
        case (false, true): return .receive
        case (true, false): return .send
        case (false, false): return .duplex
        }
    }

    func receiveQueue(_ row: RowID) -> ReceiveQueue? { receiveQueues.first { $0.row == row } }
    func sendQueue(_ row: RowID) -> SendQueue? { sendQueues.first { $0.row == row } }

    func sendQueue(at address: QueueAddress) -> SendQueue? { sendQueues.first { $0.address.isSame(as: address) } }
    func receiveQueue(at address: QueueAddress) -> ReceiveQueue? { receiveQueues.first { $0.address.isSame(as: address) } }

    /// The queues that a message goes to: the primary one, others that are ready, and one that is offered in the place of another.
    var deliveryQueues: [RowID] {
        guard let first = sendQueues.first else { return [] }
        return [first.row] + sendQueues.dropFirst().filter { $0.isActive || $0.isOffered }.map(\.row)
    }

    /// Checks whether the peer may send to a queue: the primary one, others that it was told to use, and one that it was told to use in the place of
    /// another.
    func carries(_ queue: ReceiveQueue) -> Bool {
        queue.isPrimary || queue.isSecuredAddition || queue.replaces.flatMap { receiveQueue($0)?.switchStatus } == .sendingQUSE
    }

    /// The queues that the peer's messages come through side by side, because there are several or while one takes the place of another:
    /// what is not in one of them is, or was, in another. Empty if there is one.
    var parallelQueues: [ReceiveQueue] {
        let old = receiveQueues.first { $0.switchStatus == .sendingQUSE || $0.switchStatus == .receivedMessage }
        let queues = receiveQueues.filter { queue in
            queue.isPrimary || queue.isSecuredAddition || old.map { queue.row == $0.row || queue.replaces == $0.row } ?? false
        }
        return queues.count > 1 ? queues : []
    }

    /// Those of them that messages may come through before some of this queue.
    func otherParallelQueues(than row: RowID) -> [ReceiveQueue] {
        let queues = parallelQueues
        return queues.contains { $0.row == row } ? queues.filter { $0.row != row } : []
    }

    /// Checks whether a ratchet of this version between agents of this version can be post-quantum.
    static func supportsPQ(agentVersion: UInt16, ratchetVersion: UInt16?) -> Bool {
        agentVersion >= AgentVersion.pqRatchet && (ratchetVersion.map { $0 >= 3 } ?? true)
    }
}
