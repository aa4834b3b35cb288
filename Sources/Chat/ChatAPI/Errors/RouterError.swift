public import ChatProtocol

/// What an SMP router says.
public indirect enum RouterError: JSONTagged, Hashable {
    /// The block is not one.
    case block
    /// The session is another.
    case session
    /// The command is wrong.
    case command(error: RouterCommandError)
    /// It failed as a proxy.
    case proxy(error: ProxyError)
    /// Not authorised, or the queue is gone.
    case auth
    /// Its operator blocked the queue.
    case blocked(info: BlockingInfo)
    /// The service is not accepted.
    case service
    /// Decryption failed.
    case crypto
    /// The queue is full.
    case quota
    /// Its database failed.
    case store(message: String)
    /// There is no such message.
    case noMessage
    /// The message is too large.
    case largeMessage
    /// It is too late.
    case expired
    /// It is in an unexpected state.
    case `internal`
    /// It came twice.
    case duplicate
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension RouterError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "BLOCK": self = .block
        case "SESSION": self = .session
        case "CMD": self = .command(error: try object.required("cmdErr"))
        case "PROXY": self = .proxy(error: try object.required("proxyErr"))
        case "AUTH": self = .auth
        case "BLOCKED": self = .blocked(info: try object.required("blockInfo"))
        case "SERVICE": self = .service
        case "CRYPTO": self = .crypto
        case "QUOTA": self = .quota
        case "STORE": self = .store(message: try object.required("storeErr"))
        case "NO_MSG": self = .noMessage
        case "LARGE_MSG": self = .largeMessage
        case "EXPIRED": self = .expired
        case "INTERNAL": self = .internal
        case "DUPLICATE_": self = .duplicate
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .block: object.write("BLOCK")
        case .session: object.write("SESSION")
        case .command(let error): object.write("CMD", ["cmdErr": error])
        case .proxy(let error): object.write("PROXY", ["proxyErr": error])
        case .auth: object.write("AUTH")
        case .blocked(let info): object.write("BLOCKED", ["blockInfo": info])
        case .service: object.write("SERVICE")
        case .crypto: object.write("CRYPTO")
        case .quota: object.write("QUOTA")
        case .store(let message): object.write("STORE", ["storeErr": message])
        case .noMessage: object.write("NO_MSG")
        case .largeMessage: object.write("LARGE_MSG")
        case .expired: object.write("EXPIRED")
        case .internal: object.write("INTERNAL")
        case .duplicate: object.write("DUPLICATE_")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What is wrong with a command.
public enum RouterCommandError: JSONTagged, Hashable {
    /// It is not known.
    case unknown
    /// It is not understood.
    case syntax
    /// It is not allowed now.
    case prohibited
    /// It lacks the authorisation.
    case noAuth
    /// It may not be authorised.
    case hasAuth
    /// It lacks the queue.
    case noEntity
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension RouterCommandError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "UNKNOWN": self = .unknown
        case "SYNTAX": self = .syntax
        case "PROHIBITED": self = .prohibited
        case "NO_AUTH": self = .noAuth
        case "HAS_AUTH": self = .hasAuth
        case "NO_ENTITY": self = .noEntity
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .unknown: object.write("UNKNOWN")
        case .syntax: object.write("SYNTAX")
        case .prohibited: object.write("PROHIBITED")
        case .noAuth: object.write("NO_AUTH")
        case .hasAuth: object.write("HAS_AUTH")
        case .noEntity: object.write("NO_ENTITY")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What an XFTP router says.
public enum FileRouterError: JSONTagged, Hashable {
    /// The block is not one.
    case block
    /// The session is another.
    case session
    /// The handshake failed.
    case handshake
    /// The command is wrong.
    case command(error: RouterCommandError)
    /// Not authorised, or the file is gone.
    case auth
    /// Its operator blocked the file.
    case blocked(info: BlockingInfo)
    /// Wrong size.
    case size
    /// It is full.
    case quota
    /// The content is another.
    case digest
    /// Decryption failed.
    case crypto
    /// There is no content.
    case noFile
    /// There is content already.
    case hasFile
    /// It cannot read or write.
    case inputOutput
    /// It took too long.
    case timeout
    /// The file leads elsewhere.
    case redirect(message: String)
    /// It is in an unexpected state.
    case `internal`
    /// It came twice.
    case duplicate
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension FileRouterError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "BLOCK": self = .block
        case "SESSION": self = .session
        case "HANDSHAKE": self = .handshake
        case "CMD": self = .command(error: try object.required("cmdErr"))
        case "AUTH": self = .auth
        case "BLOCKED": self = .blocked(info: try object.required("blockInfo"))
        case "SIZE": self = .size
        case "QUOTA": self = .quota
        case "DIGEST": self = .digest
        case "CRYPTO": self = .crypto
        case "NO_FILE": self = .noFile
        case "HAS_FILE": self = .hasFile
        case "FILE_IO": self = .inputOutput
        case "TIMEOUT": self = .timeout
        case "REDIRECT": self = .redirect(message: try object.required("redirectError"))
        case "INTERNAL": self = .internal
        case "DUPLICATE_": self = .duplicate
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .block: object.write("BLOCK")
        case .session: object.write("SESSION")
        case .handshake: object.write("HANDSHAKE")
        case .command(let error): object.write("CMD", ["cmdErr": error])
        case .auth: object.write("AUTH")
        case .blocked(let info): object.write("BLOCKED", ["blockInfo": info])
        case .size: object.write("SIZE")
        case .quota: object.write("QUOTA")
        case .digest: object.write("DIGEST")
        case .crypto: object.write("CRYPTO")
        case .noFile: object.write("NO_FILE")
        case .hasFile: object.write("HAS_FILE")
        case .inputOutput: object.write("FILE_IO")
        case .timeout: object.write("TIMEOUT")
        case .redirect(let message): object.write("REDIRECT", ["redirectError": message])
        case .internal: object.write("INTERNAL")
        case .duplicate: object.write("DUPLICATE_")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What failed at a proxy.
public enum ProxyError: JSONTagged, Hashable {
    /// The router behind it refused.
    case protocolError(error: RouterError)
    /// The router behind it cannot be used.
    case broker(error: BrokerError)
    /// It asks for a password.
    case basicAuth
    /// The session with it is gone.
    case noSession
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ProxyError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "PROTOCOL": self = .protocolError(error: try object.required("protocolErr"))
        case "BROKER": self = .broker(error: try object.required("brokerErr"))
        case "BASIC_AUTH": self = .basicAuth
        case "NO_SESSION": self = .noSession
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .protocolError(let error): object.write("PROTOCOL", ["protocolErr": error])
        case .broker(let error): object.write("BROKER", ["brokerErr": error])
        case .basicAuth: object.write("BASIC_AUTH")
        case .noSession: object.write("NO_SESSION")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What a proxy said to the client.
public enum ProxyClientError: JSONTagged, Hashable {
    /// It refused.
    case protocolError(error: RouterError)
    /// Something unexpected.
    case unexpectedResponse(response: String)
    /// Something that is not understood.
    case responseError(error: RouterError)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ProxyClientError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "protocolError": self = .protocolError(error: try object.required("protocolErr"))
        case "unexpectedResponse": self = .unexpectedResponse(response: try object.required("responseStr"))
        case "responseError": self = .responseError(error: try object.required("responseErr"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .protocolError(let error): object.write("protocolError", ["protocolErr": error])
        case .unexpectedResponse(let response): object.write("unexpectedResponse", ["responseStr": response])
        case .responseError(let error): object.write("responseError", ["responseErr": error])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Why a router cannot be used.
public indirect enum BrokerError: JSONTagged, Hashable {
    /// It said something that is not understood.
    case response(message: String)
    /// It said something unexpected.
    case unexpected(message: String)
    /// It cannot be reached.
    case network(error: NetworkError)
    /// It has no host that may be used.
    case host
    /// It has no such service.
    case noService
    /// The transport failed.
    case transport(error: TransportError)
    /// It did not answer in time.
    case timeout
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension BrokerError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "RESPONSE": self = .response(message: try object.required("respErr"))
        case "UNEXPECTED": self = .unexpected(message: try object.required("respErr"))
        case "NETWORK": self = .network(error: try object.required("networkError"))
        case "HOST": self = .host
        case "NO_SERVICE": self = .noService
        case "TRANSPORT": self = .transport(error: try object.required("transportErr"))
        case "TIMEOUT": self = .timeout
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .response(let message): object.write("RESPONSE", ["respErr": message])
        case .unexpected(let message): object.write("UNEXPECTED", ["respErr": message])
        case .network(let error): object.write("NETWORK", ["networkError": error])
        case .host: object.write("HOST")
        case .noService: object.write("NO_SERVICE")
        case .transport(let error): object.write("TRANSPORT", ["transportErr": error])
        case .timeout: object.write("TIMEOUT")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Why a server cannot be reached.
public enum NetworkError: JSONTagged, Hashable {
    /// No connection.
    case connect(message: String)
    /// No TLS session.
    case tls(message: String)
    /// Its certificate is another.
    case unknownCA
    /// Failed.
    case failed
    /// Took too long.
    case timeout
    /// Subscribing failed.
    case subscribe(message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension NetworkError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "connectError": self = .connect(message: try object.required("connectError"))
        case "tLSError": self = .tls(message: try object.required("tlsError"))
        case "unknownCAError": self = .unknownCA
        case "failedError": self = .failed
        case "timeoutError": self = .timeout
        case "subscribeError": self = .subscribe(message: try object.required("subscribeError"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .connect(let message): object.write("connectError", ["connectError": message])
        case .tls(let message): object.write("tLSError", ["tlsError": message])
        case .unknownCA: object.write("unknownCAError")
        case .failed: object.write("failedError")
        case .timeout: object.write("timeoutError")
        case .subscribe(let message): object.write("subscribeError", ["subscribeError": message])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Why the transport failed.
public enum TransportError: JSONTagged, Hashable {
    /// A block is not one.
    case badBlock
    /// No common version.
    case version
    /// A message is too large.
    case largeMessage
    /// The session is another.
    case badSession
    /// The server did not prove who it is.
    case noServerAuth
    /// The handshake failed.
    case handshake(error: HandshakeError)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension TransportError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "badBlock": self = .badBlock
        case "version": self = .version
        case "largeMsg": self = .largeMessage
        case "badSession": self = .badSession
        case "noServerAuth": self = .noServerAuth
        case "handshake": self = .handshake(error: try object.required("handshakeErr"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .badBlock: object.write("badBlock")
        case .version: object.write("version")
        case .largeMessage: object.write("largeMsg")
        case .badSession: object.write("badSession")
        case .noServerAuth: object.write("noServerAuth")
        case .handshake(let error): object.write("handshake", ["handshakeErr": error])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Why a handshake failed.
public struct HandshakeError: OpenEnumeration {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not understood.
    public static let parse = HandshakeError(rawValue: "PARSE")
    /// Another identity.
    public static let identity = HandshakeError(rawValue: "IDENTITY")
    /// Wrong key.
    public static let badAuth = HandshakeError(rawValue: "BAD_AUTH")
    /// Wrong service.
    public static let badService = HandshakeError(rawValue: "BAD_SERVICE")

    /// The words that this version knows.
    public static let allCases: [HandshakeError] = [.parse, .identity, .badAuth, .badService]
}
