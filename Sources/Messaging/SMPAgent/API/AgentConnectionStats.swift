public import SMPProtocol

/// The state of a connection's queues and encryption, for display.
public struct AgentConnectionStats: Sendable, Equatable {
    /// The agent version that both sides use, 2 to 7.
    public var agentVersion: UInt16
    /// The queues that messages are received from.
    public var receiveQueues: [ReceiveQueueStats]
    /// The queues that messages are sent to.
    public var sendQueues: [SendQueueStats]
    /// The state of the ratchets' synchronisation.
    public var ratchetSyncState: AgentRatchetSyncState
    /// True if the peer can put the ratchet right again (agent version 3 and later).
    public var ratchetSyncSupported: Bool
    /// nil if the connection has no queue to receive from.
    public var subscription: AgentSubscriptionStatus?

    package init(
        agentVersion: UInt16, receiveQueues: [ReceiveQueueStats], sendQueues: [SendQueueStats], ratchetSyncState: AgentRatchetSyncState,
        ratchetSyncSupported: Bool, subscription: AgentSubscriptionStatus?
    ) {
        self.agentVersion = agentVersion
        self.receiveQueues = receiveQueues
        self.sendQueues = sendQueues
        self.ratchetSyncState = ratchetSyncState
        self.ratchetSyncSupported = ratchetSyncSupported
        self.subscription = subscription
    }
}

/// The state of a queue that we receive from.
public struct ReceiveQueueStats: Sendable, Equatable {
    /// The store's number of the queue.
    let row: RowID
    /// The address of the router.
    public var server: SMPServerAddress
    /// The progress of the queue's set-up.
    public var status: QueueStatus
    /// The progress of moving the queue; nil if it is not moved.
    public var switchStatus: ReceiveSwitchStatus?
    /// True if moving can be given up.
    public var canAbortSwitch: Bool
    /// The state of the subscription.
    public var subscription: AgentSubscriptionStatus

    init(
        row: RowID, server: SMPServerAddress, status: QueueStatus, switchStatus: ReceiveSwitchStatus?, canAbortSwitch: Bool,
        subscription: AgentSubscriptionStatus
    ) {
        self.row = row
        self.server = server
        self.status = status
        self.switchStatus = switchStatus
        self.canAbortSwitch = canAbortSwitch
        self.subscription = subscription
    }

    /// A queue that no store has, and that is not moved.
    package init(server: SMPServerAddress, status: QueueStatus, subscription: AgentSubscriptionStatus) {
        self.init(row: 0, server: server, status: status, switchStatus: nil, canAbortSwitch: false, subscription: subscription)
    }
}

/// The state of a queue that we send to.
public struct SendQueueStats: Sendable, Equatable {
    /// The address of the router.
    public var server: SMPServerAddress
    /// The progress of the queue's set-up.
    public var status: QueueStatus
    /// The progress of moving the queue; nil if it is not moved.
    public var switchStatus: SendSwitchStatus?

    package init(server: SMPServerAddress, status: QueueStatus, switchStatus: SendSwitchStatus? = nil) {
        self.server = server
        self.status = status
        self.switchStatus = switchStatus
    }
}

/// A queue that we receive from, as we have it and as its router tells.
package struct AgentQueueState: Sendable, Equatable {
    /// The address of the router.
    package let server: SMPServerAddress
    /// The router's id of the queue for us.
    package let recipientID: EntityID
    /// The router's id of the queue for its sender.
    package let senderID: EntityID
    /// The progress of the queue's set-up.
    package let status: QueueStatus
    /// The report of the router.
    package let atRouter: QueueState

    package init(server: SMPServerAddress, recipientID: EntityID, senderID: EntityID, status: QueueStatus, atRouter: QueueState) {
        self.server = server
        self.recipientID = recipientID
        self.senderID = senderID
        self.status = status
        self.atRouter = atRouter
    }
}

/// The progress of a queue's set-up (agent-protocol.md, "Duplex connection procedure").
public enum QueueStatus: String, Sendable, Hashable, CaseIterable {
    case new, confirmed, secured, active, disabled
}

/// The state of a queue's subscription.
public enum AgentSubscriptionStatus: Sendable, Hashable {
    case active
    /// Being subscribed, or waiting for the network.
    case pending
    /// Refused by the router.
    case removed(error: String)
    case noSubscription
}

/// Which of a connection's queues moves.
package enum QueueDirection: String, Sendable, Hashable, Codable {
    case receive = "rcv"
    case send = "snd"
}

/// The progress of moving a queue, as the user sees it.
public enum AgentSwitchPhase: String, Sendable, Hashable, Codable {
    case started, confirmed, secured, completed
}

/// The recipient's progress in moving its queue.
public enum ReceiveSwitchStatus: String, Sendable, Hashable {
    case started = "switch_started"
    case sendingQADD = "sending_qadd"
    case sendingQUSE = "sending_quse"
    case receivedMessage = "received_message"
}

/// The sender's progress in following a moved queue.
public enum SendSwitchStatus: String, Sendable, Hashable {
    case sendingQKEY = "sending_qkey"
    case sendingQTEST = "sending_qtest"
}

/// The synchronization of both sides' ratchets (agent-protocol.md, "Ratchet re-synchronization").
public enum AgentRatchetSyncState: String, Sendable, Hashable, Codable {
    case ok
    /// Some messages could not be decrypted: agreeing on new keys is possible.
    case allowed
    /// No message can be decrypted: agreeing on new keys is needed before messages can be sent.
    case required
    /// We sent new keys.
    case started
    /// New keys are agreed; the first message with them ends it.
    case agreed

    /// True if the user may ask for new keys.
    public var isAllowed: Bool { self == .allowed || self == .required }
    /// True if messages may not be sent.
    public var prohibitsSending: Bool { self == .required || self == .started || self == .agreed }
}
