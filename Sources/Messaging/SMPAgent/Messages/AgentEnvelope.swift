package import SMPProtocol
package import SMPRatchet
package import SMPWire

/// The content of the encryption between a queue's sender and recipient (agent-protocol.md, "Communication between SMP agents").
package enum AgentEnvelope: Sendable, Equatable {
    /// Confirms a queue; from the party that joins with its ratchet parameters.
    case confirmation(version: UInt16, parameters: RatchetParameters?, encryptedInfo: Bytes)
    /// A message inside the ratchet.
    case message(version: UInt16, encrypted: Bytes)
    /// Asks to connect, sent to a contact address. Only the queue's own encryption protects it.
    case invitation(version: UInt16, request: ConnectionRequestURI, info: Bytes)
    /// New keys for a ratchet that is out of step. Only the queue's own encryption protects it.
    case ratchetKey(version: UInt16, parameters: RatchetParameters, info: Bytes)

    /// The agent version of the sender.
    package var version: UInt16 {
        switch self {
        case .confirmation(let version, _, _), .message(let version, _), .invitation(let version, _, _),
            .ratchetKey(let version, _, _):
            version
        }
    }
}

extension AgentEnvelope: WireCodable {
    package func encode(to writer: inout WireWriter) {
        writer.write(version)
        switch self {
        case .confirmation(_, let parameters, let encryptedInfo):
            writer.write(byte: UInt8(ascii: "C"))
            writer.write(optional: parameters)
            writer.write(raw: encryptedInfo)
        case .message(_, let encrypted):
            writer.write(byte: UInt8(ascii: "M"))
            writer.write(raw: encrypted)
        case .invitation(_, let request, let info):
            writer.write(byte: UInt8(ascii: "I"))
            writer.write(large: Bytes(request.wireString.utf8))
            writer.write(raw: info)
        case .ratchetKey(_, let parameters, let info):
            writer.write(byte: UInt8(ascii: "R"))
            writer.write(parameters)
            writer.write(raw: info)
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        let version = try parser.read(UInt16.self)
        let start = parser.offset
        switch try parser.byte() {
        case UInt8(ascii: "C"):
            self = .confirmation(version: version, parameters: try parser.optional(), encryptedInfo: parser.rest())
        case UInt8(ascii: "M"): self = .message(version: version, encrypted: parser.rest())
        case UInt8(ascii: "I"):
            var text = WireParser(try parser.large())
            let request = try text.read(string: ConnectionRequestURI.self)
            try text.finish()
            self = .invitation(version: version, request: request, info: parser.rest())
        case UInt8(ascii: "R"):
            self = .ratchetKey(version: version, parameters: try parser.read(), info: parser.rest())
        default: throw WireError(.invalidValue, "an agent envelope is C, M, I or R", at: start)
        }
    }
}
