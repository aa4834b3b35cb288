public import ChatProtocol

/// State of a connection in the agent.
public struct ConnectionStats: JSONObjectConvertible, Hashable {
    /// Agent protocol version that both sides speak.
    public var agentVersion: Int
    /// Queues that messages come by.
    public var receiveQueues: [ReceiveQueueInfo]
    /// Queues that messages go by.
    public var sendQueues: [SendQueueInfo]
    /// Whether the ratchets agree.
    public var ratchetSyncState: RatchetSyncState
    /// Whether the other side can synchronise them.
    public var ratchetSyncSupported: Bool
    /// Whether messages can come.
    public var subscriptionStatus: SubscriptionStatus?

    /// Makes the value from its parts.
    public init(
        agentVersion: Int, receiveQueues: [ReceiveQueueInfo], sendQueues: [SendQueueInfo], ratchetSyncState: RatchetSyncState,
        ratchetSyncSupported: Bool, subscriptionStatus: SubscriptionStatus? = nil
    ) {
        self.agentVersion = agentVersion
        self.receiveQueues = receiveQueues
        self.sendQueues = sendQueues
        self.ratchetSyncState = ratchetSyncState
        self.ratchetSyncSupported = ratchetSyncSupported
        self.subscriptionStatus = subscriptionStatus
    }
}

extension ConnectionStats {
    public init(object: JSONObject) throws(JSONError) {
        agentVersion = try object.required("connAgentVersion")
        receiveQueues = try object.required("rcvQueuesInfo")
        sendQueues = try object.required("sndQueuesInfo")
        ratchetSyncState = try object.required("ratchetSyncState")
        ratchetSyncSupported = try object.required("ratchetSyncSupported")
        subscriptionStatus = try object.optional("subStatus")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["connAgentVersion"] = agentVersion
        object["rcvQueuesInfo"] = receiveQueues
        object["sndQueuesInfo"] = sendQueues
        object["ratchetSyncState"] = ratchetSyncState
        object["ratchetSyncSupported"] = ratchetSyncSupported
        object["subStatus"] = subscriptionStatus
    }
}

/// A queue that messages come by.
public struct ReceiveQueueInfo: JSONObjectConvertible, Hashable {
    /// Its router.
    public var server: String
    /// How far its handshake is.
    public var status: String?
    /// How far a move to it is.
    public var switchStatus: String?
    /// Whether the move can be given up.
    public var canAbortSwitch: Bool
    /// Whether messages can come.
    public var subscriptionStatus: SubscriptionStatus?

    /// Makes the value from its parts.
    public init(
        server: String, status: String? = nil, switchStatus: String? = nil, canAbortSwitch: Bool,
        subscriptionStatus: SubscriptionStatus? = nil
    ) {
        self.server = server
        self.status = status
        self.switchStatus = switchStatus
        self.canAbortSwitch = canAbortSwitch
        self.subscriptionStatus = subscriptionStatus
    }
}

extension ReceiveQueueInfo {
    public init(object: JSONObject) throws(JSONError) {
        server = try object.required("rcvServer")
        status = try object.optional("status")
        switchStatus = try object.optional("rcvSwitchStatus")
        canAbortSwitch = try object.required("canAbortSwitch")
        subscriptionStatus = try object.optional("subStatus")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["rcvServer"] = server
        object["status"] = status
        object["rcvSwitchStatus"] = switchStatus
        object["canAbortSwitch"] = canAbortSwitch
        object["subStatus"] = subscriptionStatus
    }
}

/// A queue that messages go by.
public struct SendQueueInfo: JSONObjectConvertible, Hashable {
    /// Its router.
    public var server: String
    /// How far its handshake is.
    public var status: String?
    /// How far a move to it is.
    public var switchStatus: String?

    /// Makes the value from its parts.
    public init(server: String, status: String? = nil, switchStatus: String? = nil) {
        self.server = server
        self.status = status
        self.switchStatus = switchStatus
    }
}

extension SendQueueInfo {
    public init(object: JSONObject) throws(JSONError) {
        server = try object.required("sndServer")
        status = try object.optional("status")
        switchStatus = try object.optional("sndSwitchStatus")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["sndServer"] = server
        object["status"] = status
        object["sndSwitchStatus"] = switchStatus
    }
}

/// Whether messages of a connection can come.
public enum SubscriptionStatus: JSONTagged, Hashable {
    /// They can.
    case active
    /// The router is being asked.
    case pending
    /// The router refused.
    case removed(error: String)
    /// The router was not asked.
    case noSubscription
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension SubscriptionStatus {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "active": self = .active
        case "pending": self = .pending
        case "removed": self = .removed(error: try object.required("subError"))
        case "noSub": self = .noSubscription
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .active: object.write("active")
        case .pending: object.write("pending")
        case .removed(let error): object.write("removed", ["subError": error])
        case .noSubscription: object.write("noSub")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// How far the move to another address is.
public struct SwitchProgress: JSONObjectConvertible, Hashable {
    /// Which way its messages go.
    public var queueDirection: MessageDirection
    /// How far.
    public var phase: SwitchPhase
    /// State of the connection.
    public var connectionStats: ConnectionStats

    /// Makes the value from its parts.
    public init(queueDirection: MessageDirection, phase: SwitchPhase, connectionStats: ConnectionStats) {
        self.queueDirection = queueDirection
        self.phase = phase
        self.connectionStats = connectionStats
    }
}

extension SwitchProgress {
    public init(object: JSONObject) throws(JSONError) {
        queueDirection = try object.required("queueDirection")
        phase = try object.required("switchPhase")
        connectionStats = try object.required("connectionStats")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["queueDirection"] = queueDirection
        object["switchPhase"] = phase
        object["connectionStats"] = connectionStats
    }
}

/// How far synchronising ratchets is.
public struct RatchetSyncProgress: JSONObjectConvertible, Hashable {
    /// How far.
    public var status: RatchetSyncState
    /// State of the connection.
    public var connectionStats: ConnectionStats

    /// Makes the value from its parts.
    public init(status: RatchetSyncState, connectionStats: ConnectionStats) {
        self.status = status
        self.connectionStats = connectionStats
    }
}

extension RatchetSyncProgress {
    public init(object: JSONObject) throws(JSONError) {
        status = try object.required("ratchetSyncStatus")
        connectionStats = try object.required("connectionStats")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["ratchetSyncStatus"] = status
        object["connectionStats"] = connectionStats
    }
}
