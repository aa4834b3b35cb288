public import SMPWire

/// Flags of a message that the router sees. Unknown flags up to the next space are passed over.
public struct MessageFlags: WireCodable, StringCodable, Hashable, Sendable {
    /// Notify the recipient of this message.
    public var notification: Bool

    public init(notification: Bool = false) { self.notification = notification }

    public func encode(to writer: inout WireWriter) { writer.write(notification) }

    public init(from parser: inout WireParser) throws(WireError) {
        notification = try parser.read()
        _ = parser.take(until: UInt8(ascii: " "))
    }

    public func encodeString(to writer: inout WireWriter) { encode(to: &writer) }
    public init(fromString parser: inout WireParser) throws(WireError) { try self.init(from: &parser) }
}
