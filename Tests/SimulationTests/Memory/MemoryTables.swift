import SMPProtocol
import SMPRatchet
import SMPTransport
import SMPWire

@testable import SMPAgent

/// The agent's tables in memory: what `AgentSchema` says, without SQL.
///
/// Rows are the agent's own values. Every change of a row is remembered until the transaction ends, so that one that fails can be undone.
struct MemoryTables {
    struct User {
        var servers: [AgentServer]
        var isDeleted = false
    }

    struct MessageKey: Hashable {
        let connection: RowID
        /// The agent's number of a received message, the peer's of a sent one, or the user's own.
        let number: Int64
    }

    struct CiphertextKey: Hashable {
        let connection: RowID
        let hash: Bytes
    }

    struct LinkKey: Hashable {
        let server: SMPServerAddress
        let linkID: EntityID
    }

    struct Queue<Value> {
        var queue: Value
        let connection: RowID
    }

    /// What is remembered of a message once it is sent.
    struct Sent {
        let messageID: AgentMessageID
        let kind: AgentMessageKind
        let hash: Bytes
        let pqEncryption: Bool
        let createdAt: Int64
        let requestKey: Int64?
        var receipt: MessageReceipt.Status?
        /// Whether one of several queues has it.
        var isSent = false
    }

    struct Delivery {
        let message: SentMessage
        var retry: DeliveryRetryState?

        var body: RowID? { if case .sealed(.shared(let row, _), _, _) = message.content { row } else { nil } }
    }

    struct SentEvent {
        let proxy: SMPServerAddress?
    }

    struct Invitation {
        var record: InvitationRecord
        let createdAt: Int64
    }

    /// A row that has a place among the others.
    struct Positioned<Value> {
        let position: Int
        let value: Value
    }

    var users: [AgentUserID: User] = [:]
    var lastUser: AgentUserID = 0
    var statistics: (servers: [AgentServerKey: ServerStatistics], startedAt: Int64)?

    var connections: [RowID: ConnectionRecord] = [:]
    var rows: [ConnectionID: RowID] = [:]
    var ratchets: [RowID: Ratchet] = [:]
    /// The oldest first.
    var skippedKeys: [RowID: [SkippedMessageKey]] = [:]
    var agreementKeys: [RowID: AgreementKeys] = [:]
    var sentParameters: [RowID: RatchetParameters] = [:]
    /// When each was processed.
    var processedKeys: [RowID: [Bytes: Int64]] = [:]

    var receiveQueues: [RowID: Queue<ReceiveQueue>] = [:]
    var sendQueues: [RowID: Queue<SendQueue>] = [:]

    var confirmations: [ConfirmationID: ConfirmationRecord] = [:]
    var invitations: [InvitationID: Invitation] = [:]
    var links: [LinkKey: InvitationLinkRecord] = [:]

    var bodies: [RowID: Bytes] = [:]
    var sent: [MessageKey: Sent] = [:]
    /// The numbers that the peer knows the messages of the user's own numbers by; the latest if there are several.
    var sentByRequest: [MessageKey: Int64] = [:]
    /// The message with the last of the user's own numbers.
    var lastRequests: [RowID: MessageKey] = [:]
    /// By queue, in the order of their numbers.
    var deliveries: [RowID: [Delivery]] = [:]
    var received: [MessageKey: ReceivedMessageRecord] = [:]
    var receivedByHash: [CiphertextKey: AgentMessageID] = [:]
    /// No message is older, in milliseconds since 1970: what looks for old ones need not look at all.
    var oldestMessage = Int64.max

    var commands: [RowID: Positioned<CommandRecord>] = [:]
    var events: [RowID: Positioned<EventRecord>] = [:]
    var sentEvents: [MessageKey: SentEvent] = [:]
    /// The services that routers take queues for.
    var services: [QueueKey: ServiceID] = [:]
    var notifiers: [RowID: QueueNotifier] = [:]
    var credentials: [AgentServerKey: ServerCredential] = [:]
    var lastPosition = 0

    /// What undoes the changes of the transaction, the last one first to be undone.
    private var undo: [(inout MemoryTables) -> Void] = []

    /// A row that does not fit those that are there.
    struct Violation: Error {
        let what: String
    }

    static func require(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
        if !isTrue { throw Violation(what: what()) }
    }

    // MARK: Transactions

    /// Runs `body`; a throw leaves everything as it was.
    mutating func transaction<Value>(_ body: (inout MemoryTables) throws -> Value) throws -> Value {
        defer { undo.removeAll(keepingCapacity: true) }
        do {
            return try body(&self)
        } catch {
            let steps = undo
            for step in steps.reversed() { step(&self) }
            throw error
        }
    }

    /// Puts a row in its place, or takes it away.
    mutating func set<Key: Hashable, Value>(_ table: WritableKeyPath<MemoryTables, [Key: Value]>, _ key: Key, _ value: Value?) {
        let old =
            if let value { self[keyPath: table].updateValue(value, forKey: key) } else { self[keyPath: table].removeValue(forKey: key) }
        undo.append { $0[keyPath: table][key] = old }
    }

    /// Changes a row, if it is there.
    mutating func change<Key: Hashable, Value>(
        _ table: WritableKeyPath<MemoryTables, [Key: Value]>, _ key: Key, _ body: (inout Value) -> Void
    ) {
        guard var value = self[keyPath: table][key] else { return }
        body(&value)
        set(table, key, value)
    }

    mutating func set<Value>(_ variable: WritableKeyPath<MemoryTables, Value>, _ value: Value) {
        let old = self[keyPath: variable]
        undo.append { $0[keyPath: variable] = old }
        self[keyPath: variable] = value
    }
}
