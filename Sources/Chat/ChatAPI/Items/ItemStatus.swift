public import ChatProtocol

/// How far delivery or reading of an item is.
public enum ItemStatus: JSONTagged, Hashable {
    /// Stored, not yet sent.
    case sendNew
    /// Accepted by the router.
    case sent(progress: SendProgress)
    /// The recipient's client has it.
    case sendReceived(receipt: ReceiptStatus, progress: SendProgress)
    /// The queue of the recipient is gone.
    case sendErrorAuth
    /// Could not be sent; no more attempts are made.
    case sendError(error: SendError)
    /// Could not be sent for now; attempts go on.
    case sendWarning(error: SendError)
    /// Received and unread.
    case receivedNew
    /// Received and read.
    case receivedRead
    /// Stored in a form that the core does not know.
    case invalid(text: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ItemStatus {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "sndNew": self = .sendNew
        case "sndSent": self = .sent(progress: try object.required("sndProgress"))
        case "sndRcvd":
            self = .sendReceived(receipt: try object.required("msgRcptStatus"), progress: try object.required("sndProgress"))
        case "sndErrorAuth": self = .sendErrorAuth
        case "sndError": self = .sendError(error: try object.required("agentError"))
        case "sndWarning": self = .sendWarning(error: try object.required("agentError"))
        case "rcvNew": self = .receivedNew
        case "rcvRead": self = .receivedRead
        case "invalid": self = .invalid(text: try object.required("text"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .sendNew: object.write("sndNew")
        case .sent(let progress): object.write("sndSent", ["sndProgress": progress])
        case .sendReceived(let receipt, let progress):
            object.write("sndRcvd", ["msgRcptStatus": receipt, "sndProgress": progress])
        case .sendErrorAuth: object.write("sndErrorAuth")
        case .sendError(let error): object.write("sndError", ["agentError": error])
        case .sendWarning(let error): object.write("sndWarning", ["agentError": error])
        case .receivedNew: object.write("rcvNew")
        case .receivedRead: object.write("rcvRead")
        case .invalid(let text): object.write("invalid", ["text": text])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Whether all recipients are meant.
public struct SendProgress: OpenEnumeration {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Some of them.
    public static let partial = SendProgress(rawValue: "partial")
    /// All of them.
    public static let complete = SendProgress(rawValue: "complete")

    /// The words that this version knows.
    public static let allCases: [SendProgress] = [.partial, .complete]
}

/// What the recipient says about a message.
public struct ReceiptStatus: OpenEnumeration {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Received.
    public static let ok = ReceiptStatus(rawValue: "ok")
    /// Received, but not following the one before.
    public static let badMessageHash = ReceiptStatus(rawValue: "badMsgHash")

    /// The words that this version knows.
    public static let allCases: [ReceiptStatus] = [.ok, .badMessageHash]
}

/// Why a message was not sent.
public enum SendError: JSONTagged, Hashable {
    /// The queue of the recipient is gone.
    case auth
    /// The queue of the recipient is full.
    case quota
    /// Attempts went on for too long.
    case expired
    /// The router of the recipient failed.
    case relay(serverError: ServerError)
    /// The proxy failed.
    case proxy(proxyServer: String, serverError: ServerError)
    /// The router of the recipient failed behind the proxy.
    case proxyRelay(proxyServer: String, serverError: ServerError)
    /// Anything else.
    case unexpected(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension SendError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "auth": self = .auth
        case "quota": self = .quota
        case "expired": self = .expired
        case "relay": self = .relay(serverError: try object.required("srvError"))
        case "proxy": self = .proxy(proxyServer: try object.required("proxyServer"), serverError: try object.required("srvError"))
        case "proxyRelay":
            self = .proxyRelay(proxyServer: try object.required("proxyServer"), serverError: try object.required("srvError"))
        case "other": self = .unexpected(message: try object.required("sndError"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .auth: object.write("auth")
        case .quota: object.write("quota")
        case .expired: object.write("expired")
        case .relay(let serverError): object.write("relay", ["srvError": serverError])
        case .proxy(let proxyServer, let serverError):
            object.write("proxy", ["proxyServer": proxyServer, "srvError": serverError])
        case .proxyRelay(let proxyServer, let serverError):
            object.write("proxyRelay", ["proxyServer": proxyServer, "srvError": serverError])
        case .unexpected(let message): object.write("other", ["sndError": message])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What is wrong with a router.
public enum ServerError: JSONTagged, Hashable {
    /// It cannot be reached by any of its names.
    case host
    /// It speaks other versions.
    case version
    /// Anything else.
    case unexpected(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ServerError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "host": self = .host
        case "version": self = .version
        case "other": self = .unexpected(message: try object.required("srvError"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .host: object.write("host")
        case .version: object.write("version")
        case .unexpected(let message): object.write("other", ["srvError": message])
        case .other(_, let json): object.replace(with: json)
        }
    }
}
