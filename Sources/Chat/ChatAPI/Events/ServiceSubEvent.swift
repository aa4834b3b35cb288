public import ChatProtocol

/// The outcome of a subscription to all queues of a profile at a router.
@JSONForms
public enum ServiceSubEvent: JSONTagged, Hashable {
    /// They are taken up. With an error, the router counted other queues than the agent, and each queue was taken up by itself.
    case up(serviceError: String?, queueCount: Int64)
    /// The connection to the router is lost.
    case down(queueCount: Int64)
    /// All messages that had waited in these queues have come.
    case all
    /// Another client with the same certificate has taken them up.
    case end(queueCount: Int64)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}
