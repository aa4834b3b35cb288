package import SMPCrypto
package import SMPProtocol
package import SMPWire

/// A command of a client to a file router (xftp.md, "File router commands").
package enum XFTPCommand: Hashable, Sendable {
    /// Announces a chunk and its recipients. Authorised by the sender's key that is in it.
    case new(FileInfo, recipients: [PublicAuthKey], basicAuth: BasicAuth?)
    /// Adds recipients to a chunk. By its sender.
    case add(recipients: [PublicAuthKey])
    /// Uploads the chunk: its bytes follow the block. By its sender.
    case put
    /// Deletes the chunk. By its sender.
    case delete
    /// Downloads the chunk: its bytes follow the block of the answer, encrypted for the key. By a recipient.
    case get(X25519.PublicKey)
    /// Gives up the right to download the chunk. By a recipient.
    case acknowledge
    case ping
}

/// The attributes of a chunk.
package struct FileInfo: WireCodable, Hashable, Sendable {
    /// Authorises the sender's commands.
    package var senderKey: PublicAuthKey
    /// Bytes.
    package var size: UInt32
    /// SHA-256 of the chunk's bytes.
    package var digest: Bytes

    /// - Precondition: the digest has at most 255 bytes.
    package init(senderKey: PublicAuthKey, size: UInt32, digest: Bytes) {
        self.senderKey = senderKey
        self.size = size
        self.digest = digest
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(senderKey)
        writer.write(size)
        writer.write(short: digest)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        senderKey = try parser.read()
        size = try parser.read()
        digest = try parser.short()
    }
}

extension XFTPCommand: SMPMessage {
    private enum Tag: String {
        case new = "FNEW"
        case add = "FADD"
        case put = "FPUT"
        case delete = "FDEL"
        case get = "FGET"
        case acknowledge = "FACK"
        case ping = "PING"
    }

    private var tag: Tag {
        switch self {
        case .new: .new
        case .add: .add
        case .put: .put
        case .delete: .delete
        case .get: .get
        case .acknowledge: .acknowledge
        case .ping: .ping
        }
    }

    /// The word that the command begins with: for logs and errors.
    package var name: String { tag.rawValue }

    package func encode(to writer: inout WireWriter, version _: UInt16) {
        writer.write(text: tag.rawValue)
        switch self {
        case .new(let info, let recipients, let basicAuth):
            writer.write(byte: UInt8(ascii: " "))
            writer.write(info)
            writer.write(list: recipients)
            writer.write(optional: basicAuth)
        case .add(let recipients):
            writer.write(byte: UInt8(ascii: " "))
            writer.write(list: recipients)
        case .get(let key):
            writer.write(byte: UInt8(ascii: " "))
            writer.write(key)
        case .put, .delete, .acknowledge, .ping: break
        }
    }

    package init(parsing parser: inout WireParser, version _: UInt16) throws(SMPErrorType) {
        guard let tag = Tag(rawValue: parser.word()) else { throw .command(.unknown) }
        do {
            self = try Self.parse(tag, &parser)
            try parser.finish()
        } catch {
            throw .command(.syntax)
        }
    }

    private static func parse(_ tag: Tag, _ parser: inout WireParser) throws(WireError) -> XFTPCommand {
        switch tag {
        case .put: return .put
        case .delete: return .delete
        case .acknowledge: return .acknowledge
        case .ping: return .ping
        case .new:
            try parser.expect(UInt8(ascii: " "))
            return .new(try parser.read(), recipients: try parser.nonEmptyList(), basicAuth: try parser.optional())
        case .add:
            try parser.expect(UInt8(ascii: " "))
            return .add(recipients: try parser.nonEmptyList())
        case .get:
            try parser.expect(UInt8(ascii: " "))
            return .get(try parser.read())
        }
    }

    package var sizeHint: Int {
        switch self {
        case .new(_, let recipients, _): 160 + recipients.count * 48
        case .add(let recipients): 16 + recipients.count * 48
        default: 64
        }
    }

    package func checkCredentials(_ authorization: TransmissionAuthorization, entity: EntityID) throws(SMPErrorType) {
        switch self {
        case .new:
            if authorization.isNone { throw .command(.noAuth) }
            if !entity.isNone { throw .command(.hasAuth) }
        case .ping:
            if !authorization.isNone || !entity.isNone { throw .command(.hasAuth) }
        case .add, .put, .delete, .get, .acknowledge:
            if authorization.isNone || entity.isNone { throw .command(.noAuth) }
        }
    }
}
