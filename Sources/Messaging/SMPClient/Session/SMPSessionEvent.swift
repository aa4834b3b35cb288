import SMPCrypto
import SMPProtocol
import SMPWire

/// An unsolicited event of a router on a connection.
enum SMPSessionEvent: Sendable {
    case message(RecipientID, ReceivedMessage)
    case ended(RecipientID)
    case deleted(RecipientID)
    /// There is a message in the queue of a notifier.
    case notification(NotifierID, BoxNonce, Bytes)
    /// Another connection has subscribed to the queues of the client's service.
    case serviceEnded
    /// The end of the waiting messages of the client's service: all of them were delivered.
    case serviceDelivered
    /// A subscription succeeded after its caller had given up.
    case lateSubscription(RecipientID)
    /// Something that answers nothing: its name, or why it cannot be read.
    case unexpected(Result<String, SMPErrorType>)
}

/// The bounds of one connection.
struct SMPSessionLimits: Sendable {
    var pingInterval: Duration
    var pingCount: Int
    var silenceLimit: Duration
    var maximumPendingRequests: Int
    var maximumOutgoingBytes: Int
    /// Queues whose messages a router may deliver because it takes them for the service's, without their having been subscribed to one by one.
    var maximumServiceQueues = 200_000
    /// Transmissions that answer nothing, or are about nothing of ours, between two answers of the router; more end the connection. Answers
    /// to commands that were given up are among them.
    var maximumUnexpected: Int
    /// Blocks that are encrypted and handed to the socket in one turn.
    var blocksAtOnce = 16

    init(_ configuration: SMPClientConfiguration) {
        pingInterval = configuration.network.pingInterval
        pingCount = configuration.network.pingCount
        silenceLimit = configuration.silenceLimit
        maximumPendingRequests = configuration.maximumPendingRequests
        maximumOutgoingBytes = configuration.maximumOutgoingBytes
        maximumUnexpected = 2 * configuration.maximumPendingRequests
    }
}
