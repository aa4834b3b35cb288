package import SMPProtocol
package import SMPWire

/// Something that happened, with the connection that it happened to.
package struct AgentNotification: Sendable {
    /// The connection; nil for events that name their connections or concern none.
    package let connection: ConnectionID?
    package let event: AgentEvent
    /// Set for events that are repeated, with the same id, after every restart until ``SMPAgent/confirm(_:)`` is called with it:
    /// call it once the effects of the event are durable. The event may so be seen twice; the id is the same then.
    package let durableID: DurableEventID?

    package init(connection: ConnectionID?, event: AgentEvent, durableID: DurableEventID? = nil) {
        self.connection = connection
        self.event = event
        self.durableID = durableID
    }
}

/// An event that the agent reports to its user (agent-protocol.md, Appendix A; with the official name in capitals).
package enum AgentEvent: Sendable, Equatable {
    // MARK: Making connections

    /// CONF: the party that joined our invitation sent its information. Answer with `allowConnection`. Durable.
    ///
    /// `pqSupport`: both sides support post-quantum encryption. `servers`: the routers of the reply queues.
    case confirmation(ConfirmationID, pqSupport: Bool, servers: [SMPServerAddress], info: Bytes)
    /// REQ: somebody asks to connect by our contact address. Answer with `accept` or `reject`, or leave it. Durable.
    case request(InvitationID, pqSupport: Bool, servers: [SMPServerAddress], info: Bytes)
    /// INFO: the party that we joined sent its information. Durable.
    case information(pqSupport: Bool, info: Bytes)
    /// CON: both directions work. Durable.
    case connected(pqEncryption: Bool)
    /// INV: a connection that was to be made in the background has its queue; this is the link to it. Durable.
    case created(ConnectionRequestURI)
    /// JOINED: a `join` that a crash interrupted has been completed after the restart, or one in the background. Durable.
    case joined(senderQueueSecured: Bool)

    // MARK: Messages

    /// MSG: a message. It is delivered again, with the same id, until `acknowledge` is called for it; the router holds back the
    /// next message of the connection until then.
    case message(MessageMetadata, MessageFlags, Bytes)
    /// SENT: the router accepted the message; `proxy`: the router that it went through, if it was not sent directly. Durable.
    case sent(AgentMessageID, proxy: SMPServerAddress?)
    /// MWARN: the message was not accepted yet and is tried again (quota exceeded, router unreachable).
    case messageDelayed(AgentMessageID, AgentError)
    /// MERR: the message was given up. Durable.
    case messageFailed(AgentMessageID, AgentError)
    /// MERRS: messages were given up together because they waited too long. Durable.
    case messagesFailed([AgentMessageID], AgentError)
    /// RCVD: the peer's agent reports what became of messages of ours. Acknowledge it like a message, with no receipt.
    case receipts(MessageMetadata, [MessageReceipt])
    /// QCONT: the peer took its messages, sending goes on after its quota was exceeded. Durable.
    case sendingContinued

    // MARK: State

    /// DOWN: the subscriptions of these connections are lost until `up`. A connection with an active queue on another router is not among them.
    case down(SMPServerAddress, [ConnectionID])
    /// UP: these connections receive messages again.
    case up(SMPServerAddress, [ConnectionID])
    /// CONNECT and DISCONNECT: a session with a router was made or lost.
    case serverConnected(SMPServerAddress)
    case serverDisconnected(SMPServerAddress)
    /// The outcome of subscribing to all of a user's queues on a router at once, where that is enabled.
    case serviceSubscription(SMPServerAddress, ServiceSubscriptionState)
    /// END: another client subscribed to the connection's queue; this one receives nothing more.
    case subscriptionEnded
    /// DELD: the router says that the connection's queue was deleted.
    case queueDeleted
    /// SWITCH: a step of moving a queue to another router. Durable; the state is that of the time when it is reported.
    case queueSwitch(QueueDirection, AgentSwitchPhase, AgentConnectionStats)
    /// A queue besides others came into use, or is used no longer; not an event of official agents. Not durable: the state is there to be asked.
    case queuesChanged(QueueDirection, AgentConnectionStats)
    /// RSYNC: encryption is out of step, or a step of putting it right again. Durable, as `queueSwitch`.
    case ratchetSync(AgentRatchetSyncState, AgentError.Crypto?, AgentConnectionStats)

    // MARK: Deletion

    /// DEL_RCVQS: these queues are deleted on their routers, or given up with an error.
    case receiveQueuesDeleted([DeletedQueue])
    /// DEL_CONNS: these connections are gone.
    case connectionsDeleted([ConnectionID])
    /// DEL_USER: the user is gone with all connections.
    case userDeleted(AgentUserID)

    // MARK: Errors

    /// ERR: something failed that no call waits for. Durable if it follows from something that was stored.
    case failed(AgentError)
    /// Work of the connection on which several processes crashed is quarantined; not an event of official agents. Durable.
    case commandQuarantined(QuarantinedCommand)
    /// ERRS: what failed that no call waits for, for several connections.
    case connectionsFailed([ConnectionFailure])
    /// SUSPENDED: `suspend` has stopped all operations.
    case suspended
}

extension AgentEvent {
    /// True if it is stored with what it reports, if it reports something that is stored.
    var isDurable: Bool {
        switch self {
        case .confirmation, .request, .information, .connected, .created, .joined, .messageFailed, .messagesFailed, .sendingContinued,
            .queueSwitch, .ratchetSync, .failed, .commandQuarantined:
            true
        // Stored by the worker that sent it.
        case .sent: false
        // Delivered again by the router.
        case .message, .receipts: false
        // Followed by another one that is durable.
        case .messageDelayed: false
        // Of the moment.
        case .queuesChanged, .down, .up, .serverConnected, .serverDisconnected, .serviceSubscription, .subscriptionEnded, .queueDeleted, .connectionsFailed,
            .suspended:
            false
        // Of connections that are gone.
        case .receiveQueuesDeleted, .connectionsDeleted, .userDeleted: false
        }
    }
}

/// The state of the subscription to all of a user's queues on a router (``NetworkConfiguration/usesServices``).
package enum ServiceSubscriptionState: Sendable, Equatable {
    /// So many queues were subscribed to by one command.
    case complete(queues: Int)
    /// The router counts other queues than the agent, or as many others: each was subscribed to by itself, and belongs to the service again.
    case incomplete(counted: Int64, expected: Int)
    /// The router does not do it: each queue was subscribed to by itself.
    case unavailable(AgentError)
    /// SERVICE_ALL: all messages that had waited in these queues have been delivered.
    case allDelivered
    /// Another client with the same certificate has subscribed to them.
    case ended(queues: Int)
}

/// The metadata of a received message.
package struct MessageMetadata: Hashable, Sendable {
    /// The verdict of the hash chain.
    package let integrity: MessageIntegrity
    /// The message's number in this connection; the same when the message is delivered again.
    package let messageID: AgentMessageID
    /// When the agent got it first, in milliseconds since 1970.
    package let receivedAt: Int64
    /// The router's id of the message.
    package let brokerID: Bytes
    /// When the router got it, in milliseconds since 1970 (whole seconds on the wire).
    package let brokerTime: Int64
    /// The sender's number of the message.
    package let senderMessageID: Int64
    /// True if post-quantum encryption protects the message.
    package let pqEncryption: Bool

    package init(
        integrity: MessageIntegrity, messageID: AgentMessageID, receivedAt: Int64, brokerID: Bytes, brokerTime: Int64,
        senderMessageID: Int64, pqEncryption: Bool
    ) {
        self.integrity = integrity
        self.messageID = messageID
        self.receivedAt = receivedAt
        self.brokerID = brokerID
        self.brokerTime = brokerTime
        self.senderMessageID = senderMessageID
        self.pqEncryption = pqEncryption
    }
}

/// A delivery receipt for a message of ours.
package struct MessageReceipt: Hashable, Sendable {
    /// The verdict of the recipient's agent.
    package enum Status: String, Sendable, Hashable {
        case ok
        /// The hash in the receipt differs from that of the message.
        case badMessageHash = "badMsgHash"
    }

    /// The sent message.
    package let messageID: AgentMessageID
    package let status: Status

    package init(messageID: AgentMessageID, status: Status) {
        self.messageID = messageID
        self.status = status
    }
}

/// A queue that was deleted, or given up.
package struct DeletedQueue: Sendable, Equatable {
    package let connection: ConnectionID
    package let server: SMPServerAddress
    package let recipientID: EntityID
    /// Why the router did not delete it, if it did not.
    package let error: AgentError?
}

/// A connection with what went wrong in it.
package struct ConnectionFailure: Sendable, Equatable {
    /// nil if the fault concerns no connection.
    package let connection: ConnectionID?
    package let error: AgentError
}
