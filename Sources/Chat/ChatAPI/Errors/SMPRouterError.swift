public import ChatProtocol

/// An error that an SMP router reports.
@JSONForms
public indirect enum SMPRouterError: JSONTagged, Hashable {
    /// The block is not one.
    @JSONName("BLOCK") case block
    /// The session is another.
    @JSONName("SESSION") case session
    /// The command is wrong.
    @JSONName("CMD", ["error": "cmdErr"])
    case command(error: RouterCommandError)
    /// It failed as a proxy.
    @JSONName("PROXY", ["error": "proxyErr"])
    case proxy(error: ProxyError)
    /// Not authorised, or the queue is gone.
    @JSONName("AUTH") case auth
    /// Its operator blocked the queue.
    @JSONName("BLOCKED", ["info": "blockInfo"])
    case blocked(info: BlockingDetails)
    /// The service is not accepted.
    @JSONName("SERVICE") case service
    /// Decryption failed.
    @JSONName("CRYPTO") case crypto
    /// The queue is full.
    @JSONName("QUOTA") case quota
    /// Its database failed.
    @JSONName("STORE", ["message": "storeErr"])
    case store(message: String)
    /// There is no such message.
    @JSONName("NO_MSG") case noMessage
    /// The message is too large.
    @JSONName("LARGE_MSG") case largeMessage
    /// It is too late.
    @JSONName("EXPIRED") case expired
    /// It is in an unexpected state.
    @JSONName("INTERNAL") case `internal`
    /// It came twice.
    @JSONName("DUPLICATE_") case duplicate
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// An error in a command.
@JSONForms
public enum RouterCommandError: JSONTagged, Hashable {
    /// It is not known.
    @JSONName("UNKNOWN") case unknown
    /// It is not understood.
    @JSONName("SYNTAX") case syntax
    /// It is not allowed now.
    @JSONName("PROHIBITED") case prohibited
    /// It lacks the authorisation.
    @JSONName("NO_AUTH") case noAuth
    /// It may not be authorised.
    @JSONName("HAS_AUTH") case hasAuth
    /// It lacks the queue.
    @JSONName("NO_ENTITY") case noEntity
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// An error that an XFTP router reports.
@JSONForms
public enum FileRouterError: JSONTagged, Hashable {
    /// The block is not one.
    @JSONName("BLOCK") case block
    /// The session is another.
    @JSONName("SESSION") case session
    /// The handshake failed.
    @JSONName("HANDSHAKE") case handshake
    /// The command is wrong.
    @JSONName("CMD", ["error": "cmdErr"])
    case command(error: RouterCommandError)
    /// Not authorised, or the file is gone.
    @JSONName("AUTH") case auth
    /// Its operator blocked the file.
    @JSONName("BLOCKED", ["info": "blockInfo"])
    case blocked(info: BlockingDetails)
    /// Wrong size.
    @JSONName("SIZE") case size
    /// It is full.
    @JSONName("QUOTA") case quota
    /// The content is another.
    @JSONName("DIGEST") case digest
    /// Decryption failed.
    @JSONName("CRYPTO") case crypto
    /// There is no content.
    @JSONName("NO_FILE") case noFile
    /// There is content already.
    @JSONName("HAS_FILE") case hasFile
    /// It cannot read or write.
    @JSONName("FILE_IO") case inputOutput
    /// It took too long.
    @JSONName("TIMEOUT") case timeout
    /// The file leads elsewhere.
    @JSONName("REDIRECT", ["message": "redirectError"])
    case redirect(message: String)
    /// It is in an unexpected state.
    @JSONName("INTERNAL") case `internal`
    /// It came twice.
    @JSONName("DUPLICATE_") case duplicate
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A failure at a proxy.
@JSONForms
public enum ProxyError: JSONTagged, Hashable {
    /// The router behind the proxy refused.
    @JSONName("PROTOCOL", ["error": "protocolErr"])
    case protocolError(error: SMPRouterError)
    /// The router behind the proxy cannot be used.
    @JSONName("BROKER", ["error": "brokerErr"])
    case broker(error: BrokerError)
    /// It asks for a password.
    @JSONName("BASIC_AUTH") case basicAuth
    /// The session with it is gone.
    @JSONName("NO_SESSION") case noSession
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A failure that a proxy reports to the client.
@JSONForms
public enum ProxyClientError: JSONTagged, Hashable {
    /// It refused.
    @JSONName(["error": "protocolErr"])
    case protocolError(error: SMPRouterError)
    /// Something unexpected.
    @JSONName(["response": "responseStr"])
    case unexpectedResponse(response: String)
    /// Something that is not understood.
    @JSONName(["error": "responseErr"])
    case responseError(error: SMPRouterError)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Why a router cannot be used.
@JSONForms
public indirect enum BrokerError: JSONTagged, Hashable {
    /// It said something that is not understood.
    @JSONName("RESPONSE", ["message": "respErr"])
    case response(message: String)
    /// It said something unexpected.
    @JSONName("UNEXPECTED", ["message": "respErr"])
    case unexpected(message: String)
    /// It cannot be reached.
    @JSONName("NETWORK", ["error": "networkError"])
    case network(error: BrokerNetworkError)
    /// It has no host that may be used.
    @JSONName("HOST") case host
    /// It has no such service.
    @JSONName("NO_SERVICE") case noService
    /// The transport failed.
    @JSONName("TRANSPORT", ["error": "transportErr"])
    case transport(error: BrokerTransportError)
    /// It did not answer in time.
    @JSONName("TIMEOUT") case timeout
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Why a server cannot be reached.
@JSONForms
public enum BrokerNetworkError: JSONTagged, Hashable {
    /// No connection.
    @JSONName("connectError", ["message": "connectError"])
    case connect(message: String)
    /// No TLS session.
    @JSONName("tLSError", ["message": "tlsError"])
    case tls(message: String)
    /// Its certificate is another.
    @JSONName("unknownCAError") case unknownCA
    /// Failed.
    @JSONName("failedError") case failed
    /// Took too long.
    @JSONName("timeoutError") case timeout
    /// Subscribing failed.
    @JSONName("subscribeError", ["message": "subscribeError"])
    case subscribe(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Why the transport failed.
@JSONForms
public enum BrokerTransportError: JSONTagged, Hashable {
    /// A block is not one.
    case badBlock
    /// No common version.
    case version
    /// A message is too large.
    @JSONName("largeMsg") case largeMessage
    /// The session is another.
    case badSession
    /// The server did not prove who it is.
    case noServerAuth
    /// The handshake failed.
    @JSONName(["error": "handshakeErr"])
    case handshake(error: BrokerHandshakeError)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Why a handshake failed.
public struct BrokerHandshakeError: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not understood.
    public static let parse = BrokerHandshakeError(rawValue: "PARSE")
    /// Another identity.
    public static let identity = BrokerHandshakeError(rawValue: "IDENTITY")
    /// Wrong key.
    public static let badAuth = BrokerHandshakeError(rawValue: "BAD_AUTH")
    /// Wrong service.
    public static let badService = BrokerHandshakeError(rawValue: "BAD_SERVICE")

    /// The words that this version knows.
    public static let allCases: [BrokerHandshakeError] = [.parse, .identity, .badAuth, .badService]
}
