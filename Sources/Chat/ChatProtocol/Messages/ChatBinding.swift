public import SMPWire

/// The kind of chat that a signature is bound to.
public enum ChatBindingTag: Hashable, Sendable, WireCodable {
    case group
    case direct
    case channel

    /// Appends the binary encoding.
    public func encode(to writer: inout WireWriter) {
        switch self {
        case .group: writer.write(byte: UInt8(ascii: "G"))
        case .direct: writer.write(byte: UInt8(ascii: "D"))
        case .channel: writer.write(byte: UInt8(ascii: "C"))
        }
    }

    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) {
        switch try parser.byte() {
        case UInt8(ascii: "G"): self = .group
        case UInt8(ascii: "D"): self = .direct
        case UInt8(ascii: "C"): self = .channel
        default: throw WireError(.invalidValue, "the binding of a signature is G, D or C", at: parser.offset - 1)
        }
    }
}

/// The chat in which something is signed. It is signed together with the message, and so cannot be shown elsewhere.
public enum ChatBinding: Hashable, Sendable {
    /// A member's message in a group with relays.
    case group(publicGroupID: Bytes, member: MemberID)
    /// A channel, by its public identity.
    case channel(publicGroupID: Bytes)
    /// A message in a direct chat, by the hash that both sides compare as the security code.
    case direct(securityCodeHash: Bytes)

    /// The kind of chat.
    public var tag: ChatBindingTag {
        switch self {
        case .group: .group
        case .channel: .channel
        case .direct: .direct
        }
    }

    /// The bytes that are signed before the message. Identifiers are at most 255 bytes; longer ones are cut, which no
    /// identifier of a valid group is.
    public var bytes: Bytes {
        var writer = WireWriter()
        writer.write(tag)
        switch self {
        case .group(let groupID, let member):
            writer.write(short: groupID.prefix(255))
            writer.write(short: member.bytes.prefix(255))
        case .channel(let groupID): writer.write(short: groupID.prefix(255))
        case .direct(let hash): writer.write(raw: hash)
        }
        return writer.bytes
    }
}
