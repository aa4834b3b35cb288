import SMPProtocol
import SMPRatchet
import SMPWire

/// Kinds of agent messages, with the codes that they are stored under.
enum AgentMessageKind: String, Sendable, Equatable, CaseIterable {
    case connectionInfo = "C"
    case connectionInfoReply = "D"
    case ratchetInfo = "S"
    case hello = "H"
    case message = "M"
    case receipt = "V"
    case queueContinue = "QC"
    case queueAdd = "QA"
    case queueKey = "QK"
    case queueUse = "QU"
    case queueTest = "QT"
    case ratchetReady = "E"
}

/// A message of ours.
struct SentMessage: Sendable {
    /// The plaintext that the ratchet encrypts when the message is sent, or the ciphertext if it has done so.
    enum Content: Sendable {
        /// The agent message as it is inside the ratchet, with the key for it. Encrypting it again gives the same bytes.
        case sealed(AgentMessageBody, key: RatchetMessageKey, paddedLength: Int)
        /// A whole agent envelope.
        case envelope(Bytes)
    }

    let messageID: AgentMessageID
    let sentID: Int64
    let kind: AgentMessageKind
    let flags: MessageFlags
    let content: Content
    /// SHA-256 of the agent message.
    let hash: Bytes
    let previousHash: Bytes
    let pqEncryption: Bool
    /// Milliseconds since 1970.
    let createdAt: Int64
    /// The user's own number of the message.
    var requestKey: Int64?
}

/// The inner part of an agent message: of many connections it may be the same, and is stored once.
enum AgentMessageBody: Sendable {
    case own(Bytes)
    /// The row of the shared body; its bytes if they are at hand.
    case shared(RowID, Bytes)

    var bytes: Bytes {
        switch self {
        case .own(let bytes), .shared(_, let bytes): bytes
        }
    }
}

/// A message that waits to be sent to a queue.
struct PendingDelivery: Sendable {
    let message: SentMessage
    var retry: DeliveryRetryState?
    /// True if another queue has the message already: the outcome of this copy is not reported.
    var isCopy = false
    /// True if the message waits for other queues as well: its outcome is reported once.
    var isShared = false
}

/// The delays that a message's retries have grown to.
struct DeliveryRetryState: Sendable, Equatable {
    var slow: Duration
    var fast: Duration
}

/// A message of the peer.
struct ReceivedMessageRecord: Sendable {
    let messageID: AgentMessageID
    /// The queue that it came from.
    let queue: RowID
    let kind: AgentMessageKind
    let flags: MessageFlags
    let metadata: MessageMetadata
    /// The agent message inside the ratchet; empty once it is acknowledged.
    var body: Bytes
    /// SHA-256 of the agent message.
    let hash: Bytes
    /// SHA-256 of the ratchet's ciphertext, by which a repeated delivery is known.
    let encryptedHash: Bytes
    var isAcknowledged = false
    var attempts = 0
}

/// The remains of a sent message whose receipt is awaited.
struct SentMessageReceiptRecord: Sendable {
    let messageID: AgentMessageID
    let kind: AgentMessageKind
    let hash: Bytes
    let receiptStatus: MessageReceipt.Status?
}
