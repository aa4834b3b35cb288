package import SMPWire

/// Flags of a message that the router sees. Unknown flags up to the next space are passed over.
package struct MessageFlags: WireCodable, StringCodable, Hashable, Sendable {
    /// Notify the recipient of this message.
    package var notification: Bool

    package init(notification: Bool = false) { self.notification = notification }

    package func encode(to writer: inout WireWriter) { writer.write(notification) }

    package init(from parser: inout WireParser) throws(WireError) {
        notification = try parser.read()
        _ = parser.take(until: UInt8(ascii: " "))
    }

    package func encodeString(to writer: inout WireWriter) { encode(to: &writer) }
    package init(fromString parser: inout WireParser) throws(WireError) { try self.init(from: &parser) }
}
