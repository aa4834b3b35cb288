public import SMPProtocol
public import SMPWire

/// A file router's refusal of a command: `ERR …` (xftp.md, "Error responses").
public enum XFTPErrorType: Error, Hashable, Sendable {
    /// A block, its encoding or the size of an authorisation is wrong.
    case block
    /// The session id is not that of the connection.
    case session
    /// A message of the handshake is wrong.
    case handshake
    /// The command is unknown, malformed or lacks an authorisation.
    case command(SMPCommandError)
    /// Bad authorisation, or no such file: the two are not told apart.
    case auth
    /// The operator of the router has blocked the file. Older clients are answered `AUTH`.
    case blocked(BlockingInfo)
    /// A chunk has another size than was announced, or a size that the router does not take.
    case size
    /// The router's storage is full.
    case quota
    /// A chunk has another digest than was announced.
    case digest
    /// A chunk cannot be decrypted.
    case crypto
    /// The body is missing, or the chunk was never uploaded.
    case noFile
    /// There is a body where none is expected.
    case hasFile
    /// The router cannot read or write its files.
    case fileIO
    /// Sending or receiving a chunk took too long.
    case timeout
    /// The router failed.
    case `internal`
    /// Used inside official routers only.
    case duplicate

    private static let words: [(XFTPErrorType, String)] = [
        (.block, "BLOCK"), (.session, "SESSION"), (.handshake, "HANDSHAKE"), (.auth, "AUTH"), (.size, "SIZE"), (.quota, "QUOTA"),
        (.digest, "DIGEST"), (.crypto, "CRYPTO"), (.noFile, "NO_FILE"), (.hasFile, "HAS_FILE"), (.fileIO, "FILE_IO"),
        (.timeout, "TIMEOUT"), (.internal, "INTERNAL"), (.duplicate, "DUPLICATE_"),
    ]

    /// The error as a router of this version sends it: older clients do not know `BLOCKED`.
    package func adapted(to version: UInt16) -> XFTPErrorType {
        if case .blocked = self, version < XFTPVersion.blockedFiles { return .auth }
        return self
    }

    /// True if the same command may succeed later: the router or the way to it is in trouble, not the command.
    package var isTemporary: Bool {
        switch self {
        case .fileIO, .timeout, .internal: true
        default: false
        }
    }
}

extension XFTPErrorType: WireCodable, StringCodable, CustomStringConvertible {
    /// Appends the binary encoding.
    public func encode(to writer: inout WireWriter) {
        switch self {
        case .command(let error): writer.write(text: "CMD " + error.rawValue)
        case .blocked(let info):
            writer.write(text: "BLOCKED ")
            info.encode(to: &writer)
        default: writer.write(text: Self.words.first { $0.0 == self }?.1 ?? "INTERNAL")
        }
    }

    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        let word = parser.word()
        switch word {
        case "CMD":
            try parser.expect(UInt8(ascii: " "))
            guard let error = SMPCommandError(rawValue: parser.word()) else {
                throw WireError(.invalidValue, "a known command error", at: start)
            }
            self = .command(error)
        case "BLOCKED":
            try parser.expect(UInt8(ascii: " "))
            self = .blocked(try BlockingInfo(&parser))
        default:
            guard let error = Self.words.first(where: { $0.1 == word })?.0 else {
                throw WireError(.invalidValue, "a known error", at: start)
            }
            self = error
        }
    }

    /// The same as on the wire.
    public func encodeString(to writer: inout WireWriter) { encode(to: &writer) }
    /// Reads the textual encoding.
    public init(fromString parser: inout WireParser) throws(WireError) { try self.init(from: &parser) }

    /// The error as it is on the wire.
    public var description: String { wireString }
}

extension XFTPErrorType {
    /// The error as transmissions of both protocols have it when they cannot be read.
    package init(_ error: SMPErrorType) {
        switch error {
        case .block: self = .block
        case .session: self = .session
        case .command(let error): self = .command(error)
        case .auth: self = .auth
        default: self = .internal
        }
    }
}
