public import SMPWire

/// Whose message a host or relay forwards, and when its router took it.
public struct MessageForward: Hashable, Sendable {
    /// The author of the message that is forwarded.
    public enum Sender: Hashable, Sendable {
        /// A member, with the name that the one who forwards has for it.
        case member(MemberID, name: String)
        /// The channel itself.
        case channel
    }

    /// The author of the message.
    public var sender: Sender
    /// Binary forms keep whole seconds only.
    public var brokerTimestamp: UTCTimestamp

    /// Creates the value from its parts.
    public init(sender: Sender, brokerTimestamp: UTCTimestamp) {
        self.sender = sender
        self.brokerTimestamp = brokerTimestamp
    }
}

extension MessageForward: WireCodable {
    /// `M`, the identifier and the name, or `C`; then seconds since 1970. Names are cut at 255 bytes.
    public func encode(to writer: inout WireWriter) {
        switch sender {
        case .member(let id, let name):
            writer.write(byte: UInt8(ascii: "M"))
            writer.write(short: id.bytes.prefix(255))
            writer.write(short: Self.cut(name))
        case .channel: writer.write(byte: UInt8(ascii: "C"))
        }
        writer.write(brokerTimestamp.seconds)
    }

    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) {
        switch try parser.byte() {
        case UInt8(ascii: "M"): sender = .member(MemberID(try parser.short()), name: try parser.read(String.self))
        case UInt8(ascii: "C"): sender = .channel
        default: throw WireError(.invalidValue, "a forwarded message is from a member or the channel", at: parser.offset - 1)
        }
        let start = parser.offset
        guard let timestamp = UTCTimestamp(exactly: try parser.read()) else {
            throw WireError(.invalidValue, "a time in the years 0 to 9999", at: start)
        }
        brokerTimestamp = timestamp
    }

    /// The longest beginning of whole characters that a one-byte length can tell.
    private static func cut(_ name: String) -> Bytes {
        var name = name
        while name.utf8.count > 255 { name.unicodeScalars.removeLast() }
        return Bytes(name.utf8)
    }
}
