/// A router's refusal of a command: `ERR …` (simplex-messaging.md, "Error responses").
///
/// The JSON form is that of the client API.
public indirect enum SMPErrorType: Error, Hashable, Sendable {
    /// A block, its encoding or the size of an authorisation is wrong.
    case block
    /// The session id is not that of the connection.
    case session
    /// The command is unknown, malformed or may not be sent here.
    case command(SMPCommandError)
    /// A proxy's error about a forwarded command.
    case proxy(SMPProxyError)
    /// Bad authorisation, or no such queue: the two are not told apart.
    case auth
    /// The operator of the router has blocked the queue.
    case blocked(BlockingInfo)
    /// A service signature that the command or session does not allow, or a service command outside a service session.
    case service
    /// Encryption or decryption failed in proxying.
    case crypto
    /// The queue is full.
    case quota
    /// The router's storage failed.
    case store(String)
    /// `ACK` without a message to acknowledge.
    case noMessage
    /// The message is longer than the router takes.
    case largeMessage
    /// The proxied session's key has expired.
    case expired
    /// The router failed.
    case `internal`
    /// The router cannot say what a name stands for. From version 20.
    case name(NameResolutionError)
    /// Used inside clients only.
    case duplicate
}

/// The error in a command.
public enum SMPCommandError: String, Error, Hashable, Sendable, CaseIterable {
    case unknown = "UNKNOWN"
    case syntax = "SYNTAX"
    /// Not allowed in this session: a wrong service role, or `SUB` and `GET` for one queue.
    case prohibited = "PROHIBITED"
    /// The authorisation or the entity is missing.
    case noAuth = "NO_AUTH"
    /// There is an authorisation or entity where none is allowed.
    case hasAuth = "HAS_AUTH"
    /// The entity is missing.
    case noEntity = "NO_ENTITY"
}

/// Why a proxy could not forward a command.
public enum SMPProxyError: Error, Hashable, Sendable {
    /// The destination router answered with an error.
    case `protocol`(SMPErrorType)
    /// The destination router could not be used.
    case broker(BrokerErrorType)
    /// The proxy asks for another password.
    case basicAuth
    /// The proxy has no session with the destination.
    case noSession
}

/// Why a router could not be used, as seen by its client.
public enum BrokerErrorType: Error, Hashable, Sendable {
    /// The response could not be parsed.
    case response(String)
    /// The response is not one to the command.
    case unexpected(String)
    case network(NetworkError)
    /// None of the router's hosts may be used with the present network settings.
    case host
    /// The client's service is not available.
    case noService
    case transport(TransportError)
    case timeout
}

/// Why a connection could not be made.
public enum NetworkError: Error, Hashable, Sendable {
    case connect(String)
    case tls(String)
    /// The router's certificate authority is not the pinned one.
    case unknownCA
    case failed
    case timeout
    case subscribe(String)
}

/// An error of the connection between client and router.
public enum TransportError: Error, Hashable, Sendable {
    case badBlock
    /// No common version.
    case version
    /// A message does not fit into a block.
    case largeMessage
    case badSession
    /// The router gave no key to authorise commands with.
    case noServerAuth
    case handshake(HandshakeError)
}

/// The error in a handshake.
public enum HandshakeError: String, Error, Hashable, Sendable, CaseIterable, Codable {
    case parse = "PARSE"
    /// The router is not the one that the address names.
    case identity = "IDENTITY"
    case badAuth = "BAD_AUTH"
    case badService = "BAD_SERVICE"
}

/// Why a router cannot say what a name stands for.
public enum NameResolutionError: Error, Hashable, Sendable {
    /// The router resolves no names: another may.
    case noResolver
    /// The name is not registered: no other router need be asked.
    case notFound
    /// The resolver behind the router failed; the name may exist.
    case resolver(String)
}

/// Why an operator blocked a queue.
public struct BlockingInfo: Hashable, Sendable {
    /// The reason of a block.
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable { case spam, content }

    /// The reason.
    public var reason: Reason
    /// nil: the client gets no notice (and none is sent below version 18).
    public var notice: ClientNotice?

    /// Creates the value from its parts.
    public init(reason: Reason, notice: ClientNotice? = nil) {
        self.reason = reason
        self.notice = notice
    }
}

/// A notice for the user about a blocked queue's router.
public struct ClientNotice: Hashable, Sendable, Codable {
    /// Seconds for which the notice holds; nil: indefinitely.
    public var ttl: Int64?

    /// Creates the value from its parts.
    public init(ttl: Int64? = nil) { self.ttl = ttl }
}
