import SMPWire

// Sums are objects with a `type`; a constructor's only field is next to it (client API, bots/api/TYPES.md).

private enum ErrorKey: String, CodingKey {
    case type, cmdErr, proxyErr, blockInfo, storeErr, protocolErr, brokerErr, respErr, networkError, transportErr
    case nameErr, resolverErr, connectError, tlsError, subscribeError, handshakeErr, reason, notice
}

extension KeyedDecodingContainer<ErrorKey> {
    fileprivate func unknownType(_ type: String) -> DecodingError {
        DecodingError.dataCorruptedError(forKey: .type, in: self, debugDescription: "unknown error type \(type)")
    }
}

extension SMPErrorType: Codable {
    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ErrorKey.self)
        let word = String(wireString.prefix { $0 != " " })
        try container.encode(word, forKey: .type)
        switch self {
        case .command(let error): try container.encode(error, forKey: .cmdErr)
        case .proxy(let error): try container.encode(error, forKey: .proxyErr)
        case .blocked(let info): try container.encode(info, forKey: .blockInfo)
        case .store(let text): try container.encode(text, forKey: .storeErr)
        case .name(let error): try container.encode(error, forKey: .nameErr)
        default: break
        }
    }

    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ErrorKey.self)
        let type = try container.decode(String.self, forKey: .type)
        switch type {
        case "CMD": self = .command(try container.decode(SMPCommandError.self, forKey: .cmdErr))
        case "PROXY": self = .proxy(try container.decode(SMPProxyError.self, forKey: .proxyErr))
        case "BLOCKED": self = .blocked(try container.decode(BlockingInfo.self, forKey: .blockInfo))
        case "NAME": self = .name(try container.decode(NameResolutionError.self, forKey: .nameErr))
        case "STORE": self = .store(try container.decode(String.self, forKey: .storeErr))
        default:
            guard let error = try? SMPErrorType(wireString: type) else { throw container.unknownType(type) }
            self = error
        }
    }
}

extension SMPCommandError: Codable {
    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ErrorKey.self)
        try container.encode(rawValue, forKey: .type)
    }

    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ErrorKey.self)
        let type = try container.decode(String.self, forKey: .type)
        guard let error = SMPCommandError(rawValue: type) else { throw container.unknownType(type) }
        self = error
    }
}

extension NameResolutionError: Codable {
    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ErrorKey.self)
        try container.encode(word, forKey: .type)
        if case .resolver(let detail) = self { try container.encode(detail, forKey: .resolverErr) }
    }

    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ErrorKey.self)
        let type = try container.decode(String.self, forKey: .type)
        switch type {
        case "NO_RESOLVER": self = .noResolver
        case "NOT_FOUND": self = .notFound
        case "RESOLVER": self = .resolver(try container.decode(String.self, forKey: .resolverErr))
        default: throw container.unknownType(type)
        }
    }
}

extension SMPProxyError: Codable {
    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ErrorKey.self)
        switch self {
        case .protocol(let error):
            try container.encode("PROTOCOL", forKey: .type)
            try container.encode(error, forKey: .protocolErr)
        case .broker(let error):
            try container.encode("BROKER", forKey: .type)
            try container.encode(error, forKey: .brokerErr)
        case .basicAuth: try container.encode("BASIC_AUTH", forKey: .type)
        case .noSession: try container.encode("NO_SESSION", forKey: .type)
        }
    }

    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ErrorKey.self)
        let type = try container.decode(String.self, forKey: .type)
        switch type {
        case "PROTOCOL": self = .protocol(try container.decode(SMPErrorType.self, forKey: .protocolErr))
        case "BROKER": self = .broker(try container.decode(BrokerErrorType.self, forKey: .brokerErr))
        case "BASIC_AUTH": self = .basicAuth
        case "NO_SESSION": self = .noSession
        default: throw container.unknownType(type)
        }
    }
}

extension BrokerErrorType: Codable {
    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ErrorKey.self)
        try container.encode(String(wireString.prefix { $0 != " " }), forKey: .type)
        switch self {
        case .response(let text), .unexpected(let text): try container.encode(text, forKey: .respErr)
        case .network(let error): try container.encode(error, forKey: .networkError)
        case .transport(let error): try container.encode(error, forKey: .transportErr)
        case .host, .noService, .timeout: break
        }
    }

    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ErrorKey.self)
        let type = try container.decode(String.self, forKey: .type)
        switch type {
        case "RESPONSE": self = .response(try container.decode(String.self, forKey: .respErr))
        case "UNEXPECTED": self = .unexpected(try container.decode(String.self, forKey: .respErr))
        // Absent in JSON of older clients.
        case "NETWORK": self = .network(try container.decodeIfPresent(NetworkError.self, forKey: .networkError) ?? .failed)
        case "HOST": self = .host
        case "NO_SERVICE": self = .noService
        case "TRANSPORT": self = .transport(try container.decode(TransportError.self, forKey: .transportErr))
        case "TIMEOUT": self = .timeout
        default: throw container.unknownType(type)
        }
    }
}

extension NetworkError: Codable {
    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ErrorKey.self)
        switch self {
        case .connect(let text):
            try container.encode("connectError", forKey: .type)
            try container.encode(text, forKey: .connectError)
        case .tls(let text):
            try container.encode("tLSError", forKey: .type)
            try container.encode(text, forKey: .tlsError)
        case .unknownCA: try container.encode("unknownCAError", forKey: .type)
        case .failed: try container.encode("failedError", forKey: .type)
        case .timeout: try container.encode("timeoutError", forKey: .type)
        case .subscribe(let text):
            try container.encode("subscribeError", forKey: .type)
            try container.encode(text, forKey: .subscribeError)
        }
    }

    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ErrorKey.self)
        let type = try container.decode(String.self, forKey: .type)
        switch type {
        case "connectError": self = .connect(try container.decode(String.self, forKey: .connectError))
        case "tLSError": self = .tls(try container.decode(String.self, forKey: .tlsError))
        case "unknownCAError": self = .unknownCA
        case "failedError": self = .failed
        case "timeoutError": self = .timeout
        case "subscribeError": self = .subscribe(try container.decode(String.self, forKey: .subscribeError))
        default: throw container.unknownType(type)
        }
    }
}

extension TransportError: Codable {
    private static let plain: [(TransportError, String)] = [
        (.badBlock, "badBlock"), (.version, "version"), (.largeMessage, "largeMsg"), (.badSession, "badSession"),
        (.noServerAuth, "noServerAuth"),
    ]

    private struct HandshakeObject: Codable { let type: HandshakeError }

    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ErrorKey.self)
        if case .handshake(let error) = self {
            try container.encode("handshake", forKey: .type)
            try container.encode(HandshakeObject(type: error), forKey: .handshakeErr)
        } else {
            try container.encode(Self.plain.first { $0.0 == self }?.1 ?? "", forKey: .type)
        }
    }

    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ErrorKey.self)
        let type = try container.decode(String.self, forKey: .type)
        if type == "handshake" {
            self = .handshake(try container.decode(HandshakeObject.self, forKey: .handshakeErr).type)
        } else if let error = Self.plain.first(where: { $0.1 == type })?.0 {
            self = error
        } else {
            throw container.unknownType(type)
        }
    }
}

extension BlockingInfo: Codable {
    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ErrorKey.self)
        try container.encode(reason, forKey: .reason)
        try container.encodeIfPresent(notice, forKey: .notice)
    }

    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ErrorKey.self)
        reason = try container.decode(Reason.self, forKey: .reason)
        notice = try container.decodeIfPresent(ClientNotice.self, forKey: .notice)
    }
}
