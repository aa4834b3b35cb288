import SMPCrypto
import SMPProtocol
import SMPWire

/// What a router tells on a connection without having been asked.
enum SMPSessionEvent: Sendable {
    case message(RecipientID, ReceivedMessage)
    case ended(RecipientID)
    case deleted(RecipientID)
    /// There is a message in the queue of a notifier.
    case notification(NotifierID, BoxNonce, Bytes)
    /// Another connection has subscribed to the queues of the client's service.
    case serviceEnded
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
    /// Blocks that are encrypted and handed to the socket in one turn.
    var blocksAtOnce = 16

    init(_ configuration: SMPClientConfiguration) {
        pingInterval = configuration.network.pingInterval
        pingCount = configuration.network.pingCount
        silenceLimit = configuration.silenceLimit
        maximumPendingRequests = configuration.maximumPendingRequests
        maximumOutgoingBytes = configuration.maximumOutgoingBytes
    }
}
