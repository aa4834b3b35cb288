public import ChatProtocol

/// Why the messaging agent failed.
public indirect enum AgentError: JSONTagged, Hashable {
    /// It does not take the command.
    case command(error: AgentCommandError, context: String)
    /// The connection does not allow it.
    case connection(error: AgentConnectionError, context: String)
    /// It does not know the profile.
    case noUser
    /// The router refused.
    case smp(server: String, error: RouterError)
    /// The notification server refused.
    case ntf(server: String, error: RouterError)
    /// The file router refused.
    case xftp(server: String, error: FileRouterError)
    /// The file does not allow it.
    case file(error: AgentFileError)
    /// The proxy failed.
    case proxy(proxyServer: String, relayServer: String, error: ProxyClientError)
    /// Controlling between devices failed.
    case remoteControl(error: JSONValue)
    /// The router cannot be used.
    case broker(server: String, error: BrokerError)
    /// The other agent did something unexpected.
    case agent(error: AgentProtocolError)
    /// The router shows a notice.
    case notice(server: String, isPreset: Bool, expiresAt: UTCTimestamp?)
    /// The agent is in an unexpected state.
    case `internal`(message: String)
    /// The agent cannot go on.
    case critical(offerRestart: Bool, message: String)
    /// The agent is suspended.
    case inactive
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension AgentError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "CMD": self = .command(error: try object.required("cmdErr"), context: try object.required("errContext"))
        case "CONN": self = .connection(error: try object.required("connErr"), context: try object.required("errContext"))
        case "NO_USER": self = .noUser
        case "SMP": self = .smp(server: try object.required("serverAddress"), error: try object.required("smpErr"))
        case "NTF": self = .ntf(server: try object.required("serverAddress"), error: try object.required("ntfErr"))
        case "XFTP": self = .xftp(server: try object.required("serverAddress"), error: try object.required("xftpErr"))
        case "FILE": self = .file(error: try object.required("fileErr"))
        case "PROXY":
            self = .proxy(
                proxyServer: try object.required("proxyServer"), relayServer: try object.required("relayServer"),
                error: try object.required("proxyErr"))
        case "RCP": self = .remoteControl(error: try object.required("rcpErr"))
        case "BROKER": self = .broker(server: try object.required("brokerAddress"), error: try object.required("brokerErr"))
        case "AGENT": self = .agent(error: try object.required("agentErr"))
        case "NOTICE":
            self = .notice(
                server: try object.required("server"), isPreset: try object.required("preset"),
                expiresAt: try object.optional("expiresAt"))
        case "INTERNAL": self = .`internal`(message: try object.required("internalErr"))
        case "CRITICAL":
            self = .critical(offerRestart: try object.required("offerRestart"), message: try object.required("criticalErr"))
        case "INACTIVE": self = .inactive
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .command(let error, let context): object.write("CMD", ["cmdErr": error, "errContext": context])
        case .connection(let error, let context): object.write("CONN", ["connErr": error, "errContext": context])
        case .noUser: object.write("NO_USER")
        case .smp(let server, let error): object.write("SMP", ["serverAddress": server, "smpErr": error])
        case .ntf(let server, let error): object.write("NTF", ["serverAddress": server, "ntfErr": error])
        case .xftp(let server, let error): object.write("XFTP", ["serverAddress": server, "xftpErr": error])
        case .file(let error): object.write("FILE", ["fileErr": error])
        case .proxy(let proxyServer, let relayServer, let error):
            object.write("PROXY", ["proxyServer": proxyServer, "relayServer": relayServer, "proxyErr": error])
        case .remoteControl(let error): object.write("RCP", ["rcpErr": error])
        case .broker(let server, let error): object.write("BROKER", ["brokerAddress": server, "brokerErr": error])
        case .agent(let error): object.write("AGENT", ["agentErr": error])
        case .notice(let server, let isPreset, let expiresAt):
            object.write("NOTICE", ["server": server, "preset": isPreset, "expiresAt": expiresAt])
        case .internal(let message): object.write("INTERNAL", ["internalErr": message])
        case .critical(let offerRestart, let message):
            object.write("CRITICAL", ["offerRestart": offerRestart, "criticalErr": message])
        case .inactive: object.write("INACTIVE")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Why the agent does not take a command.
public enum AgentCommandError: JSONTagged, Hashable {
    /// Not in this state.
    case prohibited
    /// Not understood.
    case syntax
    /// No such connection.
    case noConnection
    /// Wrong size.
    case size
    /// Too large.
    case large
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension AgentCommandError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "PROHIBITED": self = .prohibited
        case "SYNTAX": self = .syntax
        case "NO_CONN": self = .noConnection
        case "SIZE": self = .size
        case "LARGE": self = .large
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .prohibited: object.write("PROHIBITED")
        case .syntax: object.write("SYNTAX")
        case .noConnection: object.write("NO_CONN")
        case .size: object.write("SIZE")
        case .large: object.write("LARGE")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Why a connection does not allow something.
public enum AgentConnectionError: JSONTagged, Hashable {
    /// No such connection.
    case notFound
    /// The connection exists.
    case duplicate
    /// The connection has one direction only.
    case simplex
    /// The other side has not accepted.
    case notAccepted
    /// The other side is not available.
    case notAvailable
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension AgentConnectionError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "NOT_FOUND": self = .notFound
        case "DUPLICATE": self = .duplicate
        case "SIMPLEX": self = .simplex
        case "NOT_ACCEPTED": self = .notAccepted
        case "NOT_AVAILABLE": self = .notAvailable
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .notFound: object.write("NOT_FOUND")
        case .duplicate: object.write("DUPLICATE")
        case .simplex: object.write("SIMPLEX")
        case .notAccepted: object.write("NOT_ACCEPTED")
        case .notAvailable: object.write("NOT_AVAILABLE")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Why a file does not allow something.
public enum AgentFileError: JSONTagged, Hashable {
    /// Its servers were not approved.
    case notApproved
    /// Wrong size.
    case size
    /// It leads to something else.
    case redirect(message: String)
    /// It cannot be read or written.
    case inputOutput(message: String)
    /// It is gone.
    case noFile
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension AgentFileError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "NOT_APPROVED": self = .notApproved
        case "SIZE": self = .size
        case "REDIRECT": self = .redirect(message: try object.required("redirectError"))
        case "FILE_IO": self = .inputOutput(message: try object.required("fileIOError"))
        case "NO_FILE": self = .noFile
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .notApproved: object.write("NOT_APPROVED")
        case .size: object.write("SIZE")
        case .redirect(let message): object.write("REDIRECT", ["redirectError": message])
        case .inputOutput(let message): object.write("FILE_IO", ["fileIOError": message])
        case .noFile: object.write("NO_FILE")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What the other agent did.
public enum AgentProtocolError: JSONTagged, Hashable {
    /// Sent something that is no message.
    case message
    /// Sent something that may not come now.
    case prohibited(message: String)
    /// Speaks other versions.
    case version
    /// Put something wrong in a link.
    case link(message: String)
    /// Sent something that cannot be decrypted.
    case crypto(error: AgentCryptoError)
    /// Sent something twice.
    case duplicate(dropped: DroppedMessage?)
    /// Has a queue in an unexpected state.
    case queue(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension AgentProtocolError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "A_MESSAGE": self = .message
        case "A_PROHIBITED": self = .prohibited(message: try object.required("prohibitedErr"))
        case "A_VERSION": self = .version
        case "A_LINK": self = .link(message: try object.required("linkErr"))
        case "A_CRYPTO": self = .crypto(error: try object.required("cryptoErr"))
        case "A_DUPLICATE": self = .duplicate(dropped: try object.optional("droppedMsg_"))
        case "A_QUEUE": self = .queue(message: try object.required("queueErr"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .message: object.write("A_MESSAGE")
        case .prohibited(let message): object.write("A_PROHIBITED", ["prohibitedErr": message])
        case .version: object.write("A_VERSION")
        case .link(let message): object.write("A_LINK", ["linkErr": message])
        case .crypto(let error): object.write("A_CRYPTO", ["cryptoErr": error])
        case .duplicate(let dropped): object.write("A_DUPLICATE", ["droppedMsg_": dropped])
        case .queue(let message): object.write("A_QUEUE", ["queueErr": message])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Why something cannot be decrypted.
public enum AgentCryptoError: JSONTagged, Hashable {
    /// By the ratchet.
    case decryptAES
    /// By the queue.
    case decryptBox
    /// The header fits no key.
    case ratchetHeader
    /// It was decrypted before.
    case ratchetEarlier(count: Int)
    /// Too many messages were skipped.
    case ratchetSkipped(count: Int)
    /// The ratchets must be synchronised.
    case ratchetSync
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension AgentCryptoError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "DECRYPT_AES": self = .decryptAES
        case "DECRYPT_CB": self = .decryptBox
        case "RATCHET_HEADER": self = .ratchetHeader
        case "RATCHET_EARLIER": self = .ratchetEarlier(count: try object.required("n"))
        case "RATCHET_SKIPPED": self = .ratchetSkipped(count: try object.required("n"))
        case "RATCHET_SYNC": self = .ratchetSync
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .decryptAES: object.write("DECRYPT_AES")
        case .decryptBox: object.write("DECRYPT_CB")
        case .ratchetHeader: object.write("RATCHET_HEADER")
        case .ratchetEarlier(let count): object.write("RATCHET_EARLIER", ["n": count])
        case .ratchetSkipped(let count): object.write("RATCHET_SKIPPED", ["n": count])
        case .ratchetSync: object.write("RATCHET_SYNC")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// A message that was given up.
public struct DroppedMessage: JSONObjectConvertible, Hashable {
    /// When the router got it.
    public var brokerTimestamp: UTCTimestamp
    /// How often it was tried.
    public var attempts: Int

    /// Makes the value from its parts.
    public init(brokerTimestamp: UTCTimestamp, attempts: Int) {
        self.brokerTimestamp = brokerTimestamp
        self.attempts = attempts
    }
}

extension DroppedMessage {
    public init(object: JSONObject) throws(JSONError) {
        brokerTimestamp = try object.required("brokerTs")
        attempts = try object.required("attempts")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["brokerTs"] = brokerTimestamp
        object["attempts"] = attempts
    }
}
