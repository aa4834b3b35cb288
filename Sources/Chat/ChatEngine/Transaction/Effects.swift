import ChatAPI
import ChatProtocol
import SMPWire

/// What must happen once a transaction is on disk.
struct Effects: Sendable {
    /// What subscribers are told, in order.
    var events: [ChatEvent] = []
    /// Messages that the agent must be given.
    var deliveries: [Delivery] = []
    /// Other work that the agent must be given.
    var work: [AgentWork] = []
    /// Whether an item was given a time at which it disappears.
    var hasNewExpiry = false
    /// Whether the message that was received is answered with a delivery receipt.
    var sendsReceipt = false
    /// The event is about a message that the courier may still be handing over: it must be looked at again after that.
    var isPremature = false
}
