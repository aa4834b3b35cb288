import FoundationEssentials
public import SMPWire

// One grammar, two dialects: on the wire, free text follows a one-byte length, in the textual form (that people and logs
// see) it is the rest of the line.

extension SMPErrorType: WireCodable, StringCodable, CustomStringConvertible {
    /// Appends the binary encoding.
    public func encode(to writer: inout WireWriter) { encode(to: &writer, textual: false) }
    /// Appends the textual encoding.
    public func encodeString(to writer: inout WireWriter) { encode(to: &writer, textual: true) }
    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) { try self.init(&parser, textual: false) }
    /// Reads the textual encoding.
    public init(fromString parser: inout WireParser) throws(WireError) { try self.init(&parser, textual: true) }

    /// A textual form, for messages and logs.
    public var description: String { wireString }

    /// The error as a router of this version sends it: older clients do not know `BLOCKED` or its notice.
    public func adapted(to version: UInt16) -> SMPErrorType {
        guard case .blocked(var info) = self, version < SMPVersion.clientNotices else { return self }
        guard version >= SMPVersion.blockedEntity else { return .auth }
        info.notice = nil
        return .blocked(info)
    }

    private var word: String {
        switch self {
        case .block: "BLOCK"
        case .session: "SESSION"
        case .command: "CMD"
        case .proxy: "PROXY"
        case .auth: "AUTH"
        case .blocked: "BLOCKED"
        case .service: "SERVICE"
        case .crypto: "CRYPTO"
        case .quota: "QUOTA"
        case .store: "STORE"
        case .noMessage: "NO_MSG"
        case .largeMessage: "LARGE_MSG"
        case .expired: "EXPIRED"
        case .internal: "INTERNAL"
        case .name: "NAME"
        case .duplicate: "DUPLICATE_"
        }
    }

    fileprivate func encode(to writer: inout WireWriter, textual: Bool) {
        writer.write(text: word)
        switch self {
        case .command(let error): writer.write(word: error.rawValue)
        case .proxy(let error):
            writer.write(byte: UInt8(ascii: " "))
            error.encode(to: &writer, textual: textual)
        case .blocked(let info):
            writer.write(byte: UInt8(ascii: " "))
            info.encode(to: &writer)
        case .store(let text): writer.write(word: text)
        case .name(let error): writer.write(word: error.text)
        default: break
        }
    }

    fileprivate init(_ parser: inout WireParser, textual: Bool, depth: Int = 0) throws(WireError) {
        let start = parser.offset
        switch parser.word() {
        case "BLOCK": self = .block
        case "SESSION": self = .session
        case "CMD": self = .command(try SMPCommandError(parameter: &parser))
        case "PROXY":
            // Errors of proxies nest; what nests deeper than any real chain of routers is hostile.
            guard depth < 8 else { throw WireError(.tooLong, "a proxy error inside 8 others", at: start) }
            try parser.expect(UInt8(ascii: " "))
            self = .proxy(try SMPProxyError(&parser, textual: textual, depth: depth + 1))
        case "AUTH": self = .auth
        case "BLOCKED":
            try parser.expect(UInt8(ascii: " "))
            self = .blocked(try BlockingInfo(&parser))
        case "SERVICE": self = .service
        case "CRYPTO": self = .crypto
        case "QUOTA": self = .quota
        case "STORE":
            try parser.expect(UInt8(ascii: " "))
            self = .store(String(decoding: parser.rest(), as: UTF8.self))
        case "NO_MSG": self = .noMessage
        case "LARGE_MSG": self = .largeMessage
        case "EXPIRED": self = .expired
        case "INTERNAL": self = .internal
        case "NAME":
            try parser.expect(UInt8(ascii: " "))
            self = .name(try NameResolutionError(&parser))
        case "DUPLICATE_": self = .duplicate
        default: throw WireError(.invalidValue, "a known error", at: start)
        }
    }
}

extension SMPCommandError {
    fileprivate init(parameter parser: inout WireParser) throws(WireError) {
        try parser.expect(UInt8(ascii: " "))
        let start = parser.offset
        let word = parser.word()
        // The name that version 6 routers gave it.
        guard let error = word == "NO_QUEUE" ? .noEntity : SMPCommandError(rawValue: word) else {
            throw WireError(.invalidValue, "a known command error", at: start)
        }
        self = error
    }
}

extension NameResolutionError {
    /// The word in errors.
    var word: String {
        switch self {
        case .noResolver: "NO_RESOLVER"
        case .notFound: "NOT_FOUND"
        case .resolver: "RESOLVER"
        }
    }

    fileprivate var text: String { if case .resolver(let detail) = self { word + " " + detail } else { word } }

    fileprivate init(_ parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        switch parser.word() {
        case "NO_RESOLVER": self = .noResolver
        case "NOT_FOUND": self = .notFound
        case "RESOLVER":
            try parser.expect(UInt8(ascii: " "))
            self = .resolver(String(decoding: parser.rest(), as: UTF8.self))
        default: throw WireError(.invalidValue, "a known error of name resolution", at: start)
        }
    }
}

extension SMPProxyError {
    fileprivate func encode(to writer: inout WireWriter, textual: Bool) {
        switch self {
        case .protocol(let error):
            writer.write(text: "PROTOCOL ")
            error.encode(to: &writer, textual: textual)
        case .broker(let error):
            writer.write(text: "BROKER ")
            error.encode(to: &writer, textual: textual)
        case .basicAuth: writer.write(text: "BASIC_AUTH")
        case .noSession: writer.write(text: "NO_SESSION")
        }
    }

    fileprivate init(_ parser: inout WireParser, textual: Bool, depth: Int) throws(WireError) {
        let start = parser.offset
        switch parser.word() {
        case "PROTOCOL":
            try parser.expect(UInt8(ascii: " "))
            self = .protocol(try SMPErrorType(&parser, textual: textual, depth: depth))
        case "BROKER":
            try parser.expect(UInt8(ascii: " "))
            self = .broker(try BrokerErrorType(&parser, textual: textual))
        case "BASIC_AUTH": self = .basicAuth
        case "NO_SESSION": self = .noSession
        default: throw WireError(.invalidValue, "a known proxy error", at: start)
        }
    }
}

extension BrokerErrorType: StringCodable {
    /// Appends the textual encoding.
    public func encodeString(to writer: inout WireWriter) { encode(to: &writer, textual: true) }
    /// Reads the textual encoding.
    public init(fromString parser: inout WireParser) throws(WireError) { try self.init(&parser, textual: true) }

    fileprivate func encode(to writer: inout WireWriter, textual: Bool) {
        switch self {
        case .response(let text): writer.write(text: "RESPONSE ", freeText: text, textual: textual)
        case .unexpected(let text): writer.write(text: "UNEXPECTED ", freeText: text, textual: textual)
        // The detail is read but not yet sent: peers of the present version would refuse it.
        case .network: writer.write(text: "NETWORK")
        case .host: writer.write(text: "HOST")
        case .noService: writer.write(text: "NO_SERVICE")
        case .transport(let error):
            writer.write(text: "TRANSPORT ")
            writer.write(error)
        case .timeout: writer.write(text: "TIMEOUT")
        }
    }

    fileprivate init(_ parser: inout WireParser, textual: Bool) throws(WireError) {
        let start = parser.offset
        switch parser.word() {
        case "RESPONSE": self = .response(try parser.freeText(textual: textual))
        case "UNEXPECTED": self = .unexpected(try parser.freeText(textual: textual))
        case "NETWORK": self = .network(parser.isAtEnd ? .failed : try NetworkError(parameter: &parser, textual: textual))
        case "HOST": self = .host
        case "NO_SERVICE": self = .noService
        case "TRANSPORT":
            try parser.expect(UInt8(ascii: " "))
            self = .transport(try parser.read())
        case "TIMEOUT": self = .timeout
        default: throw WireError(.invalidValue, "a known broker error", at: start)
        }
    }
}

extension NetworkError {
    fileprivate init(parameter parser: inout WireParser, textual: Bool) throws(WireError) {
        try parser.expect(UInt8(ascii: " "))
        let start = parser.offset
        switch parser.word() {
        case "CONNECT": self = .connect(try parser.freeText(textual: textual))
        case "TLS": self = .tls(try parser.freeText(textual: textual))
        case "UNKNOWNCA": self = .unknownCA
        case "FAILED": self = .failed
        case "TIMEOUT": self = .timeout
        case "SUBSCRIBE": self = .subscribe(try parser.freeText(textual: textual))
        default: throw WireError(.invalidValue, "a known network error", at: start)
        }
    }
}

extension TransportError: WireCodable {
    /// Appends the binary encoding.
    public func encode(to writer: inout WireWriter) {
        switch self {
        case .badBlock: writer.write(text: "BLOCK")
        case .version: writer.write(text: "VERSION")
        case .largeMessage: writer.write(text: "LARGE_MSG")
        case .badSession: writer.write(text: "SESSION")
        case .noServerAuth: writer.write(text: "NO_AUTH")
        case .handshake(let error): writer.write(text: "HANDSHAKE " + error.rawValue)
        }
    }

    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        switch parser.word() {
        case "BLOCK": self = .badBlock
        case "VERSION": self = .version
        case "LARGE_MSG": self = .largeMessage
        case "SESSION": self = .badSession
        case "NO_AUTH": self = .noServerAuth
        case "HANDSHAKE":
            try parser.expect(UInt8(ascii: " "))
            guard let error = HandshakeError(rawValue: parser.word()) else {
                throw WireError(.invalidValue, "a known handshake error", at: start)
            }
            self = .handshake(error)
        default: throw WireError(.invalidValue, "a known transport error", at: start)
        }
    }
}

extension BlockingInfo {
    /// Appends `reason=…` and the notice, if there is one.
    package func encode(to writer: inout WireWriter) {
        writer.write(text: "reason=" + reason.rawValue)
        guard let notice else { return }
        writer.write(text: notice.ttl.map { ",notice={\"ttl\":\($0)}" } ?? ",notice={}")
    }

    /// Reads what ``encode(to:)`` writes; it takes all that is left.
    package init(_ parser: inout WireParser) throws(WireError) {
        try parser.expect("reason=")
        let start = parser.offset
        guard let reason = Reason(rawValue: String(decoding: parser.take(until: UInt8(ascii: ",")), as: UTF8.self)) else {
            throw WireError(.invalidValue, "a known reason", at: start)
        }
        guard parser.skip(",notice=") else {
            self.init(reason: reason)
            return
        }
        let json = parser.offset
        guard let notice = try? JSONDecoder().decode(ClientNotice.self, from: Data(parser.rest())) else {
            throw WireError(.invalidValue, "a notice in JSON", at: json)
        }
        self.init(reason: reason, notice: notice)
    }
}

extension WireParser {
    /// Reads up to a space or the end.
    package mutating func word() -> String { String(decoding: take(until: UInt8(ascii: " ")), as: UTF8.self) }

    fileprivate mutating func freeText(textual: Bool) throws(WireError) -> String {
        try expect(UInt8(ascii: " "))
        guard !textual else { return String(decoding: rest(), as: UTF8.self) }
        // Bytes that are no text become longer by being read as such.
        return String(decoding: shortText(String(decoding: try short(), as: UTF8.self)), as: UTF8.self)
    }
}

extension WireWriter {
    fileprivate mutating func write(word: String) {
        write(byte: UInt8(ascii: " "))
        write(text: word)
    }

    fileprivate mutating func write(text: String, freeText: String, textual: Bool) {
        write(text: text)
        if textual { return write(text: freeText) }
        write(short: shortText(freeText))
    }
}

/// As much of a text as a length of one byte allows, in whole scalars, so that what is read is what was written.
private func shortText(_ text: String) -> Bytes {
    var bytes = Bytes()
    for scalar in text.unicodeScalars {
        guard let encoded = UTF8.encode(scalar), bytes.count + encoded.count <= 255 else { break }
        bytes += encoded
    }
    return bytes
}
