import SMPProtocol
import SMPRatchet
import SMPWire

/// One change of the store. A decision returns the changes that one transaction makes.
enum StoreChange: Sendable {
    // Connections and their keys.
    case insertConnection(ConnectionRecord)
    /// All that can change in the record.
    case updateConnection(ConnectionRecord)
    /// `moved`: The ratchet, as in ``moveRatchet``, if it has moved as well: both are in one row.
    case sentCounters(RowID, lastMessageID: AgentMessageID, sentID: Int64, hash: Bytes, moved: Ratchet?)
    /// `moved`: The ratchet, as in ``moveRatchet``, if it has moved as well: both are in one row.
    case receivedCounters(RowID, lastMessageID: AgentMessageID, receivedID: Int64, hash: Bytes, moved: Ratchet?)
    case deleteConnection(RowID)
    /// A ratchet that is new, or has made a step.
    case setRatchet(RowID, Ratchet)
    /// A ratchet that was stored and has moved on by messages only, without a step.
    case moveRatchet(RowID, Ratchet)
    case deleteRatchet(RowID)
    case addSkippedKeys(RowID, [SkippedMessageKey])
    case removeSkippedKeys(RowID, [SkippedMessageKey])
    case setAgreementKeys(RowID, AgreementKeys)
    case setSentParameters(RowID, RatchetParameters)
    case addProcessedRatchetKey(RowID, hash: Bytes, at: Int64)

    // Queues.
    case insertReceiveQueue(ReceiveQueue, connection: RowID)
    case updateReceiveQueue(ReceiveQueue)
    case deleteReceiveQueue(RowID)
    case insertSendQueue(SendQueue, connection: RowID)
    case updateSendQueue(SendQueue)
    case deleteSendQueue(RowID)
    case setNotifier(QueueNotifier, queue: RowID)
    case deleteNotifier(queue: RowID)
    /// A router takes queues for those of a service, or of none.
    case setServices(SMPServerAddress, [RecipientID], ServiceID?)

    // Handshake.
    case insertConfirmation(ConfirmationRecord)
    case acceptConfirmation(ConfirmationID, ownInfo: Bytes)
    case deleteConfirmations(RowID)
    /// Nothing happens if the message's invitation is there already.
    case insertInvitation(InvitationRecord, at: Int64)
    /// Replaces the earlier request with the record's id by the content of the record.
    case replaceInvitation(InvitationRecord)
    case acceptInvitation(InvitationID)
    case deleteInvitation(InvitationID)
    case setInvitationLink(InvitationLinkRecord)
    case deleteInvitationLink(server: SMPServerAddress, linkID: EntityID)

    // Messages.
    case insertBody(RowID, Bytes)
    case insertSentMessage(SentMessage, connection: RowID, queues: [RowID])
    /// The queue has the message or will not get it. Unless another queue waits for it, its content is deleted, and without
    /// `keepRecord` the message.
    case deliveryDone(queue: RowID, connection: RowID, AgentMessageID, keepRecord: Bool)
    /// The queue has a message of which the record stays, because the user has a number for it. Unless another queue waits for it, its content is
    /// deleted.
    case deliverySent(queue: RowID, AgentMessageID)
    case deleteDeliveries(queue: RowID)
    /// One of the queues that wait for a message has it; by the number that the peer knows it by.
    case setSent(connection: RowID, sentID: Int64)
    /// Of the messages that a queue has and another in its place shall get, only the last `keeping` can be unread by its recipient.
    case forgetCopies(queue: RowID, of: RowID, keeping: Int64)
    case setRetry(queue: RowID, AgentMessageID, DeliveryRetryState)
    /// By the number that the peer knows the message by.
    case setReceipt(connection: RowID, sentID: Int64, MessageReceipt.Status)
    /// Deletes a message whose receipt was good, by the number that the peer knows it by.
    case deleteReceipted(connection: RowID, sentID: Int64)
    case insertReceivedMessage(ReceivedMessageRecord, connection: RowID)
    case acknowledge(connection: RowID, AgentMessageID)
    case countAttempt(connection: RowID, AgentMessageID)

    // Work that goes on after a restart.
    case insertCommand(CommandRecord)
    case deleteCommand(RowID)
    /// The connection's joining is finished, or given up.
    case deleteJoinCommands(RowID)
    /// The peer has sent another key for a queue: the commands to secure it with one before are of no use.
    case deleteSecuringCommands(connection: RowID, queue: RowID)
    /// The suspicion of a command after ends of processes; see ``CrashSuspects``.
    case setCrashWeight(command: RowID, Int)
    /// Keeps a command from being tried.
    case quarantineCommand(RowID)
    /// Resets the attempts of a command, so that it is tried as a new one.
    case releaseCommand(RowID, at: Int64)
    case insertEvent(EventRecord)
    case deleteEvent(RowID)
    /// A router has a message of the user's, which was not told yet. Kept apart from other events, since there is one for each message.
    case insertSentEvent(connection: RowID, AgentMessageID, proxy: SMPServerAddress?)
    case deleteSentEvent(connection: RowID, AgentMessageID)
}

/// The message that an event about a sent message is about.
private struct SentEventKey: Hashable {
    let connection: RowID
    let number: AgentMessageID
}

extension [StoreChange] {
    /// Changes that lead to the same, without the events about sent messages that later ones of them confirm: nobody would read these.
    var withoutConfirmedEvents: [StoreChange] {
        var confirmed: Set<SentEventKey> = []
        var kept: [StoreChange] = []
        for change in reversed() {
            switch change {
            case .deleteSentEvent(let connection, let number): confirmed.insert(SentEventKey(connection: connection, number: number))
            case .insertSentEvent(let connection, let number, _):
                if confirmed.contains(SentEventKey(connection: connection, number: number)) { continue }
            default: break
            }
            kept.append(change)
        }
        return kept.reversed()
    }
}

/// Work that must be done even if the process ends before it is.
struct CommandRecord: Sendable {
    enum Kind: Sendable {
        /// Make the connection's queue.
        case create(PQInitialKeys, subscribe: Bool)
        /// Go on joining by the link.
        case join(ConnectionRequestURI, info: Bytes, pqSupport: Bool, subscribe: Bool)
        /// Secure our queue, connect to the peer's reply queue and confirm.
        case allow(ConfirmationID)
        /// Secure our queue with the peer's key and say hello (agent versions below 6).
        case secureReplyQueue(queue: RowID, key: PublicAuthKeyBytes)
        /// Secure the new queue of a rotation and tell the peer to use it.
        case secureNewQueue(queue: RowID, key: PublicAuthKeyBytes)
        /// Delete the old queue after a rotation.
        case deleteReplacedQueue(queue: RowID)
        /// Delete a queue that a rotation gave up.
        case deleteQueue(queue: RowID)
        /// Make a queue on another router and offer it to the peer.
        case switchQueue(queue: RowID)
    }

    let row: RowID
    let connection: RowID
    let kind: Kind
    /// When it was stored, in milliseconds since 1970.
    var createdAt: Int64 = 0
    /// The suspicion after ends of processes; see ``CrashSuspects``.
    var crashWeight = 0
}

/// A public key's SPKI bytes.
typealias PublicAuthKeyBytes = Bytes

/// An event that is repeated until it is confirmed.
struct EventRecord: Sendable, Equatable {
    let number: RowID
    let connection: RowID
    let event: AgentEvent
}
