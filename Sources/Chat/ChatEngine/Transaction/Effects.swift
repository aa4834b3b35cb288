import ChatAPI
import ChatProtocol
import SMPWire

/// The consequences of a transaction, dispatched once it is on disk.
struct Effects: Sendable {
    /// Events for subscribers, in order.
    var events: [ChatEvent] = []
    /// Messages for the agent.
    var deliveries: [Delivery] = []
    /// Other jobs of the agent.
    var jobs: [AgentJob] = []
    /// True if files may have been deleted: their copies and transfers are to be removed.
    var removesFiles = false
    /// Channels that this profile relays for and has something to deliver in.
    var relayedGroups: Set<GroupID> = []
    /// The number of messages that wait in channels to which the received message adds some, or a larger one.
    var relayBacklogs: [GroupID: Int64] = [:]
    /// Answers to tests of relays.
    var relayTestAnswers: [(connection: Bytes, answer: ChatMessageEvent)] = []
    /// True if an item was given a time at which it disappears.
    var hasNewExpiry = false
    /// True if the received message is answered with a delivery receipt.
    var sendsReceipt = false
    /// True if the event concerns a message that the outbox may still be handing over: it must be received again after that.
    var isPremature = false
}
