public import ChatProtocol

/// State of a connection in the agent.
@JSONMembers
public struct ConnectionStats: JSONObjectConvertible, Hashable {
    /// Agent protocol version that both sides speak.
    @JSONName("connAgentVersion") public var agentVersion: Int
    /// Queues that messages come by.
    @JSONName("rcvQueuesInfo") public var receiveQueues: [ReceiveQueueInfo]
    /// Queues that messages go by.
    @JSONName("sndQueuesInfo") public var sendQueues: [SendQueueInfo]
    /// The state of the ratchets' synchronisation.
    public var ratchetSyncState: RatchetSyncState
    /// True if the other side can synchronise them.
    public var ratchetSyncSupported: Bool
    /// The state of its subscription.
    @JSONName("subStatus") public var subscriptionStatus: SubscriptionStatus?
}

/// A queue that messages come by.
@JSONMembers
public struct ReceiveQueueInfo: JSONObjectConvertible, Hashable {
    /// Its router.
    @JSONName("rcvServer") public var server: String
    /// The progress of its handshake.
    public var status: String?
    /// The progress of a move to it.
    @JSONName("rcvSwitchStatus") public var switchStatus: String?
    /// True if the move can be given up.
    public var canAbortSwitch: Bool
    /// The state of its subscription.
    @JSONName("subStatus") public var subscriptionStatus: SubscriptionStatus?
}

/// A queue that messages go by.
@JSONMembers
public struct SendQueueInfo: JSONObjectConvertible, Hashable {
    /// Its router.
    @JSONName("sndServer") public var server: String
    /// The progress of its handshake.
    public var status: String?
    /// The progress of a move to it.
    @JSONName("sndSwitchStatus") public var switchStatus: String?
}

/// The state of a connection's subscription: whether messages can come.
@JSONForms
public enum SubscriptionStatus: JSONTagged, Hashable {
    /// They can.
    case active
    /// The router is being asked.
    case pending
    /// The router refused.
    @JSONName(["error": "subError"])
    case removed(error: String)
    /// The router was not asked.
    @JSONName("noSub") case noSubscription
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// The progress of the move to another address.
@JSONMembers
public struct SwitchProgress: JSONObjectConvertible, Hashable {
    /// Which way its messages go.
    public var queueDirection: MessageDirection
    /// The progress.
    @JSONName("switchPhase") public var phase: SwitchPhase
    /// State of the connection.
    public var connectionStats: ConnectionStats
}

/// The progress of synchronising ratchets.
@JSONMembers
public struct RatchetSyncProgress: JSONObjectConvertible, Hashable {
    /// The progress.
    @JSONName("ratchetSyncStatus") public var status: RatchetSyncState
    /// State of the connection.
    public var connectionStats: ConnectionStats
}
