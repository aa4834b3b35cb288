package import SMPCrypto
package import SMPProtocol
package import SMPWire

/// A file router's answer to a command (xftp.md, "File router responses").
package enum XFTPResponse: Hashable, Sendable {
    /// To `FNEW`: the chunk's id for its sender, and one for each recipient in the order of their keys.
    case senderIDs(SenderID, recipients: [RecipientID])
    /// To `FADD`, in the order of the keys.
    case recipientIDs([RecipientID])
    /// To `FGET`: the bytes of the chunk follow the block, sealed with the secret on which the keys agree, with 16 bytes of tag at the end.
    case file(X25519.PublicKey, BoxNonce)
    case ok
    case error(XFTPErrorType)
    case pong
}

extension XFTPResponse: SMPMessage {
    /// The word that the answer begins with: for logs and errors.
    package var name: String {
        switch self {
        case .senderIDs: "SIDS"
        case .recipientIDs: "RIDS"
        case .file: "FILE"
        case .ok: "OK"
        case .error: "ERR"
        case .pong: "PONG"
        }
    }

    package func encode(to writer: inout WireWriter, version: UInt16) {
        writer.write(text: name)
        switch self {
        case .senderIDs(let sender, let recipients):
            writer.write(byte: UInt8(ascii: " "))
            writer.write(sender)
            writer.write(list: recipients)
        case .recipientIDs(let recipients):
            writer.write(byte: UInt8(ascii: " "))
            writer.write(list: recipients)
        case .file(let key, let nonce):
            writer.write(byte: UInt8(ascii: " "))
            writer.write(key)
            writer.write(nonce)
        case .error(let error):
            writer.write(byte: UInt8(ascii: " "))
            writer.write(error.adapted(to: version))
        case .ok, .pong: break
        }
    }

    package init(parsing parser: inout WireParser, version _: UInt16) throws(SMPErrorType) {
        let word = parser.word()
        do {
            switch word {
            case "OK": self = .ok
            case "PONG": self = .pong
            case "SIDS":
                try parser.expect(UInt8(ascii: " "))
                self = .senderIDs(try parser.read(), recipients: try parser.nonEmptyList())
            case "RIDS":
                try parser.expect(UInt8(ascii: " "))
                self = .recipientIDs(try parser.nonEmptyList())
            case "FILE":
                try parser.expect(UInt8(ascii: " "))
                self = .file(try parser.read(), try parser.read())
            case "ERR":
                try parser.expect(UInt8(ascii: " "))
                self = .error(try parser.read())
            default: throw SMPErrorType.command(.unknown)
            }
            try parser.finish()
        } catch let error as SMPErrorType {
            throw error
        } catch {
            throw .command(.syntax)
        }
    }

    package var sizeHint: Int {
        switch self {
        case .senderIDs(_, let recipients), .recipientIDs(let recipients): 48 + recipients.count * 25
        default: 96
        }
    }

    package func checkCredentials(_: TransmissionAuthorization, entity: EntityID) throws(SMPErrorType) {
        switch self {
        case .senderIDs, .pong: if !entity.isNone { throw .command(.hasAuth) }
        case .error: break
        case .recipientIDs, .file, .ok: if entity.isNone { throw .command(.noEntity) }
        }
    }
}
