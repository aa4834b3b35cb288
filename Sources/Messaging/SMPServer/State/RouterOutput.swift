import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPWire

/// An output of a session, and the journal position that must be durable before it is sent.
struct RouterOutput: Sendable {
    enum Content: Sendable {
        case message(SMPBrokerMessage)
        /// A stored message, to be read and encrypted when it is sent.
        case delivery(Delivery)
        /// The data of a queue's link, to be read when it is sent.
        case link(sender: Identifier, position: LogRange)
    }

    var correlationID: CorrelationID
    var entity: EntityID
    var content: Content
    /// The position up to which the journal must be synchronized before.
    var needsSynchronized: UInt64 = 0
    /// The position up to which the journal must be written before.
    var needsWritten: UInt64 = 0

    /// The approximate size in a block, in bytes.
    var sizeHint: Int {
        switch content {
        case .message(let message): 64 + message.sizeHint
        case .delivery, .link: TransmissionBatcher.blockSize
        }
    }

    init(_ message: SMPBrokerMessage, to correlationID: CorrelationID, entity: EntityID) {
        self.correlationID = correlationID
        self.entity = entity
        content = .message(message)
    }

    init(linkOf sender: Identifier, at position: LogRange, to correlationID: CorrelationID, entity: EntityID) {
        self.correlationID = correlationID
        self.entity = entity
        content = .link(sender: sender, position: position)
        needsSynchronized = position.end
    }

    init(_ delivery: Delivery, to correlationID: CorrelationID, entity: EntityID) {
        self.correlationID = correlationID
        self.entity = entity
        content = .delivery(delivery)
        needsSynchronized = delivery.message.position.end
    }
}

/// A message on its way to a recipient.
struct Delivery: Sendable {
    var queue: Identifier
    var sequence: UInt64
    var message: StoredMessage
    var secret: StoredSecret
    /// The body if it is in memory; nil: it is read from the journal.
    var body: Bytes?
}

/// An output with its session.
struct RoutedOutput: Sendable {
    var session: SessionID
    var output: RouterOutput
}

/// The receiver of records while the state changes, so that their order is the order of the changes.
protocol RecordSink {
    mutating func append(_ record: JournalRecord, body: Bytes) -> LogRange
}

extension RecordSink {
    mutating func append(_ record: JournalRecord) -> LogRange { append(record, body: []) }
}
