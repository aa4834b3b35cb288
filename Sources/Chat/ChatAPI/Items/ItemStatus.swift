public import ChatProtocol

/// The progress of delivery or reading of an item.
@JSONForms
public enum ItemStatus: JSONTagged, Hashable {
    /// Stored, not yet sent.
    @JSONName("sndNew") case sendNew
    /// Accepted by the router.
    @JSONName("sndSent", ["progress": "sndProgress"])
    case sent(progress: SendProgress)
    /// The recipient's client has it.
    @JSONName("sndRcvd", ["receipt": "msgRcptStatus", "progress": "sndProgress"])
    case sendReceived(receipt: ReceiptStatus, progress: SendProgress)
    /// The queue of the recipient is gone.
    @JSONName("sndErrorAuth") case sendErrorAuth
    /// Could not be sent; no more attempts are made.
    @JSONName("sndError", ["error": "agentError"])
    case sendError(error: SendError)
    /// Could not be sent for now; attempts continue.
    @JSONName("sndWarning", ["error": "agentError"])
    case sendWarning(error: SendError)
    /// Received and unread.
    @JSONName("rcvNew") case receivedNew
    /// Received and read.
    @JSONName("rcvRead") case receivedRead
    /// Stored in a form that the core does not know.
    case invalid(text: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// The share of the recipients that is meant.
public struct SendProgress: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Some of them.
    public static let partial = SendProgress(rawValue: "partial")
    /// All of them.
    public static let complete = SendProgress(rawValue: "complete")

    /// The words that this version knows.
    public static let allCases: [SendProgress] = [.partial, .complete]
}

/// The recipient's finding about a message.
public struct ReceiptStatus: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Received.
    public static let ok = ReceiptStatus(rawValue: "ok")
    /// Received, but not in sequence after the previous message.
    public static let badMessageHash = ReceiptStatus(rawValue: "badMsgHash")

    /// The words that this version knows.
    public static let allCases: [ReceiptStatus] = [.ok, .badMessageHash]
}

/// Why a message was not sent.
@JSONForms
public enum SendError: JSONTagged, Hashable {
    /// The queue of the recipient is gone.
    case auth
    /// The queue of the recipient is full.
    case quota
    /// Attempts went on for too long.
    case expired
    /// The router of the recipient failed.
    @JSONName(["serverError": "srvError"])
    case relay(serverError: ServerError)
    /// The proxy failed.
    @JSONName(["serverError": "srvError"])
    case proxy(proxyServer: String, serverError: ServerError)
    /// The router of the recipient, behind the proxy, failed.
    @JSONName(["serverError": "srvError"])
    case proxyRelay(proxyServer: String, serverError: ServerError)
    /// Anything else.
    @JSONName("other", ["message": "sndError"])
    case unexpected(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// An error that a router reports.
@JSONForms
public enum ServerError: JSONTagged, Hashable {
    /// It cannot be reached by any of its names.
    case host
    /// It speaks other versions.
    case version
    /// Anything else.
    @JSONName("other", ["message": "srvError"])
    case unexpected(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}
