import AsyncPrimitives
import SMPProtocol
import SMPWire

extension Transition {
    /// The router has taken a message of ours that is not the user's.
    ///
    /// The events and the new state are stored together with the record that the message was sent, so that none of them is lost when
    /// the process ends.
    mutating func delivered(_ message: SentMessage, to queueRow: RowID, _ context: AgentContext) {
        // The other queues need not take it any more.
        if state.sendQueues.count > 1 { add(.setSent(connection: connection, sentID: message.sentID)) }
        add(.deliveryDone(queue: queueRow, connection: connection, message.messageID, keepRecord: false))
        guard let queue = state.sendQueue(queueRow) else { return }
        switch message.kind {
        case .connectionInfo:
            if queue.senderCanSecure {
                updateSendQueue(queueRow) { $0.status = .active }
                connected(pqEncryption: message.pqEncryption, context)
            } else {
                updateSendQueue(queueRow) { $0.status = .confirmed }
            }
            add(.deleteConfirmations(connection))
        case .connectionInfoReply: updateSendQueue(queueRow) { $0.status = .confirmed }
        case .hello:
            updateSendQueue(queueRow) { $0.status = .active }
            // The party that joined has sent its HELLO before: this is the answer to it.
            if state.receiveQueues.first?.status == .active {
                connected(pqEncryption: message.pqEncryption, context)
            }
        case .queueKey:
            // The keys may be for a queue besides the others, and may be sent through several.
            let isMoving = state.sendQueues.contains { $0.switchStatus != nil }
            if isMoving, queue.isPrimary { emit(.queueSwitch(.send, .confirmed, AgentConnectionStats(state))) }
        case .queueTest:
            do {
                try sentQueueTest(queue)
            } catch {
                emit(.failed(error))
            }
        case .message, .ratchetInfo, .receipt, .queueContinue, .queueAdd, .queueUse, .ratchetReady: break
        }
    }

    /// A message will not reach the queue.
    ///
    /// - Parameter elsewhere: messages that another queue has or waits for.
    mutating func gaveUp(_ delivery: PendingDelivery, to queueRow: RowID, because error: AgentError, elsewhere: Set<AgentMessageID>) {
        let message = delivery.message
        // The test of a queue that is to take the place of another is nothing to the other one: without it the move does not continue.
        let isTest = message.kind == .queueTest && state.sendQueue(queueRow)?.replaces != nil
        let lost = drop([message.messageID], of: queueRow, elsewhere)
        guard isTest || !lost.isEmpty && !delivery.isCopy else { return }
        emit(Self.failure(of: message, error, isInitiator: state.receiveQueues.first != nil))
    }

    /// Messages that waited too long together with one that was given up, or for a queue that is gone.
    ///
    /// - Parameter elsewhere: messages that another queue has or waits for.
    mutating func gaveUp(_ messages: [AgentMessageID], to queueRow: RowID, because error: AgentError, elsewhere: Set<AgentMessageID>) {
        let lost = drop(messages, of: queueRow, elsewhere)
        if !lost.isEmpty { emit(.messagesFailed(lost, error)) }
    }

    /// Messages that will not reach a queue do not wait for it any more, nor for one that is only offered in its place.
    ///
    /// - Returns: those that are lost; a queue that is left for another, or was just now, need not take them.
    private mutating func drop(_ messages: [AgentMessageID], of row: RowID, _ elsewhere: Set<AgentMessageID>) -> [AgentMessageID] {
        guard state.sendQueue(row) != nil else { return [] }
        let successors = state.sendQueues.filter { $0.replaces == row }
        let isLeft = successors.contains(where: \.isActive)
        for queue in [row] + successors.filter(\.isOffered).map(\.row) {
            for message in messages {
                add(.deliveryDone(queue: queue, connection: connection, message, keepRecord: isLeft || elsewhere.contains(message)))
            }
        }
        return isLeft ? [] : messages.filter { !elsewhere.contains($0) }
    }

    private static func failure(of message: SentMessage, _ error: AgentError, isInitiator: Bool) -> AgentEvent {
        let isRefused =
            switch error.reason {
            case .smp(_, .auth), .smp(_, .quota): true
            default: false
            }
        switch message.kind {
        case .message: return .messageFailed(message.messageID, error)
        case .connectionInfo, .connectionInfoReply, .ratchetInfo:
            return .failed(isRefused ? AgentError(.connection(.notAvailable, context: "")) : error)
        case .hello:
            return .failed(isRefused ? AgentError(.connection(isInitiator ? .notAvailable : .notAccepted, context: "")) : error)
        case .queueAdd, .queueKey, .queueUse, .queueTest:
            guard isRefused else { return .failed(error) }
            let name: String =
                switch message.kind {
                case .queueAdd: "QADD"
                case .queueKey: "QKEY"
                case .queueUse: "QUSE"
                default: "QTEST"
                }
            return .failed(.peer(.queue("\(name): AUTH")))
        case .receipt, .queueContinue, .ratchetReady: return .failed(error)
        }
    }
}

/// The decision after a message could not be sent.
enum DeliveryDecision: Sendable, Equatable {
    /// Try again after the delay; the state is stored so that a restart continues from it.
    case retry(after: Duration, DeliveryRetryState, isWarned: Bool)
    /// Give it up, and with `expireOthers` all messages of the queue that were made before that time (milliseconds since 1970).
    case giveUp(expireOthers: Int64?)
}

/// When a message is sent again (agent-protocol.md leaves that to agents; these are the official constants).
struct DeliverySchedule: Sendable, Equatable {
    private var slow: Duration
    private var fast: Duration
    private var slowElapsed = Duration.zero
    private var fastElapsed = Duration.zero
    /// Delays that were stored have grown already, and continue growing at once.
    private let isRestored: Bool
    /// The next delay while the peer's word that it has taken its messages is fresh.
    private var continued: Duration?

    init(_ configuration: AgentConfiguration, restored: DeliveryRetryState?) {
        slow = restored?.slow ?? configuration.slowRetry.initial
        fast = restored?.fast ?? configuration.fastRetry.initial
        isRestored = restored != nil
    }

    /// The peer says that it has taken its messages. That word can overtake its acknowledgement of the last of them, and until then the
    /// router refuses further messages without telling the peer again: such refusals must not be waited for as those of a full queue.
    mutating func continued(_ configuration: AgentConfiguration) { continued = configuration.continuedRetry.initial }

    /// Decides after an attempt failed.
    ///
    /// - Parameter now: milliseconds since 1970.
    mutating func failed(
        _ message: SentMessage, with error: AgentError, now: Int64, _ configuration: AgentConfiguration
    ) -> DeliveryDecision {
        if case .smp(_, .quota) = error.reason {
            if message.kind == .connectionInfo || message.kind == .connectionInfoReply { return .giveUp(expireOthers: nil) }
            let expiry = now - configuration.quotaExceededTimeout.wholeMilliseconds
            guard message.createdAt >= expiry else { return .giveUp(expireOthers: expiry) }
            if let delay = continued {
                let interval = configuration.continuedRetry
                continued = delay < interval.maximum ? interval.next(after: delay, elapsed: interval.increaseAfter) : nil
                return .retry(after: delay, DeliveryRetryState(slow: slow, fast: fast), isWarned: false)
            }
            let delay = slow
            slowElapsed += delay
            slow = next(configuration.slowRetry, slow, slowElapsed)
            return .retry(after: delay, DeliveryRetryState(slow: slow, fast: fast), isWarned: true)
        }
        guard error.isTemporary || error.isHostError else { return .giveUp(expireOthers: nil) }
        let timeout = message.kind == .hello ? configuration.helloTimeout : configuration.messageTimeout
        let expiry = now - timeout.wholeMilliseconds
        guard message.createdAt >= expiry else { return .giveUp(expireOthers: expiry) }
        let delay = fast
        fastElapsed += delay
        fast = next(configuration.fastRetry, fast, fastElapsed)
        return .retry(after: delay, DeliveryRetryState(slow: slow, fast: fast), isWarned: error.isHostError)
    }

    private func next(_ interval: RetryInterval, _ delay: Duration, _ elapsed: Duration) -> Duration {
        var interval = interval
        if isRestored { interval.increaseAfter = .zero }
        return interval.next(after: delay, elapsed: elapsed)
    }
}
