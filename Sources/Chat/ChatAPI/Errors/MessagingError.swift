public import ChatProtocol

/// Why the messaging agent failed.
@JSONForms
public indirect enum MessagingError: JSONTagged, Hashable {
    /// It does not take the command.
    @JSONName("CMD", ["error": "cmdErr", "context": "errContext"])
    case command(error: AgentCommandError, context: String)
    /// The connection does not allow it.
    @JSONName("CONN", ["error": "connErr", "context": "errContext"])
    case connection(error: AgentConnectionError, context: String)
    /// It does not know the profile.
    @JSONName("NO_USER") case noUser
    /// The router refused.
    @JSONName("SMP", ["server": "serverAddress", "error": "smpErr"])
    case smp(server: String, error: SMPRouterError)
    /// The notification server refused.
    @JSONName("NTF", ["server": "serverAddress", "error": "ntfErr"])
    case ntf(server: String, error: SMPRouterError)
    /// The file router refused.
    @JSONName("XFTP", ["server": "serverAddress", "error": "xftpErr"])
    case xftp(server: String, error: FileRouterError)
    /// The file does not allow it.
    @JSONName("FILE", ["error": "fileErr"])
    case file(error: AgentFileError)
    /// The proxy failed.
    @JSONName("PROXY", ["error": "proxyErr"])
    case proxy(proxyServer: String, relayServer: String, error: ProxyClientError)
    /// Controlling between devices failed.
    @JSONName("RCP", ["error": "rcpErr"])
    case remoteControl(error: JSONValue)
    /// The router cannot be used.
    @JSONName("BROKER", ["server": "brokerAddress", "error": "brokerErr"])
    case broker(server: String, error: BrokerError)
    /// The other agent did something unexpected.
    @JSONName("AGENT", ["error": "agentErr"])
    case agent(error: AgentProtocolError)
    /// The router shows a notice.
    @JSONName("NOTICE", ["isPreset": "preset"])
    case notice(server: String, isPreset: Bool, expiresAt: UTCTimestamp?)
    /// The agent is in an unexpected state.
    @JSONName("INTERNAL", ["message": "internalErr"])
    case `internal`(message: String)
    /// The agent cannot continue.
    @JSONName("CRITICAL", ["message": "criticalErr"])
    case critical(offerRestart: Bool, message: String)
    /// The agent is suspended.
    @JSONName("INACTIVE") case inactive
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Why the agent does not take a command.
@JSONForms
public enum AgentCommandError: JSONTagged, Hashable {
    /// Not in this state.
    @JSONName("PROHIBITED") case prohibited
    /// Not understood.
    @JSONName("SYNTAX") case syntax
    /// No such connection.
    @JSONName("NO_CONN") case noConnection
    /// Wrong size.
    @JSONName("SIZE") case size
    /// Too large.
    @JSONName("LARGE") case large
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Why a connection does not allow something.
@JSONForms
public enum AgentConnectionError: JSONTagged, Hashable {
    /// No such connection.
    @JSONName("NOT_FOUND") case notFound
    /// The connection exists.
    @JSONName("DUPLICATE") case duplicate
    /// The connection has one direction only.
    @JSONName("SIMPLEX") case simplex
    /// The other side has not accepted.
    @JSONName("NOT_ACCEPTED") case notAccepted
    /// The other side is not available.
    @JSONName("NOT_AVAILABLE") case notAvailable
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Why a file does not allow something.
@JSONForms
public enum AgentFileError: JSONTagged, Hashable {
    /// Its servers were not approved.
    @JSONName("NOT_APPROVED") case notApproved
    /// Wrong size.
    @JSONName("SIZE") case size
    /// It leads to something else.
    @JSONName("REDIRECT", ["message": "redirectError"])
    case redirect(message: String)
    /// It cannot be read or written.
    @JSONName("FILE_IO", ["message": "fileIOError"])
    case inputOutput(message: String)
    /// It is gone.
    @JSONName("NO_FILE") case noFile
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A fault of the other agent.
@JSONForms
public enum AgentProtocolError: JSONTagged, Hashable {
    /// Sent something that is no message.
    @JSONName("A_MESSAGE") case message
    /// Sent something that may not come now.
    @JSONName("A_PROHIBITED", ["message": "prohibitedErr"])
    case prohibited(message: String)
    /// Speaks other versions.
    @JSONName("A_VERSION") case version
    /// Put something wrong in a link.
    @JSONName("A_LINK", ["message": "linkErr"])
    case link(message: String)
    /// Sent something that cannot be decrypted.
    @JSONName("A_CRYPTO", ["error": "cryptoErr"])
    case crypto(error: AgentCryptoError)
    /// Sent something twice.
    @JSONName("A_DUPLICATE", ["dropped": "droppedMsg_"])
    case duplicate(dropped: DroppedMessage?)
    /// A queue is in an unexpected state.
    @JSONName("A_QUEUE", ["message": "queueErr"])
    case queue(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Why something cannot be decrypted.
@JSONForms
public enum AgentCryptoError: JSONTagged, Hashable {
    /// By the ratchet.
    @JSONName("DECRYPT_AES") case decryptAES
    /// By the queue.
    @JSONName("DECRYPT_CB") case decryptBox
    /// The header fits no key.
    @JSONName("RATCHET_HEADER") case ratchetHeader
    /// It was decrypted before.
    @JSONName("RATCHET_EARLIER", ["count": "data"])
    case ratchetEarlier(count: Int)
    /// Too many messages were skipped.
    @JSONName("RATCHET_SKIPPED", ["count": "data"])
    case ratchetSkipped(count: Int)
    /// The ratchets must be synchronised.
    @JSONName("RATCHET_SYNC") case ratchetSync
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A message that was given up.
@JSONMembers
public struct DroppedMessage: JSONObjectConvertible, Hashable {
    /// When the router got it.
    @JSONName("brokerTs") public var brokerTimestamp: UTCTimestamp
    /// The number of attempts.
    public var attempts: Int
}
