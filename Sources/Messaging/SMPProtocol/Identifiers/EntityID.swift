package import SMPWire

/// The subject of a command or response: a queue as its recipient, sender or notifier knows it, the data of a link, a client
/// service, or a proxied session.
///
/// Queue ids are 24 random bytes; up to 255 bytes are allowed. Commands about nothing have the empty id ``none``.
package struct EntityID: WireCodable, StringCodable, Hashable, Sendable, CustomStringConvertible {
    /// Bytes of ids that a router makes.
    package static let length = 24
    /// The id of nothing.
    package static let none = EntityID([])

    package let bytes: Bytes

    /// - Precondition: at most 255 bytes; ids that are read from outside are checked by the decoders.
    package init(_ bytes: Bytes) { self.bytes = bytes }

    package var isNone: Bool { bytes.isEmpty }

    package func hash(into hasher: inout Hasher) { hasher.combine(contentsOf: bytes) }

    package func encode(to writer: inout WireWriter) { writer.write(short: bytes) }
    package init(from parser: inout WireParser) throws(WireError) { bytes = try parser.short() }

    /// Padded base64url.
    package func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }

    package init(fromString parser: inout WireParser) throws(WireError) { bytes = try parser.base64URL(atMost: 255) }

    package var description: String { Base64URL.encode(bytes, padded: false) }
}

/// A queue as its recipient knows it.
package typealias RecipientID = EntityID
/// A queue as its sender knows it.
package typealias SenderID = EntityID
/// A queue as its notification server knows it.
package typealias NotifierID = EntityID
/// The data of a short link.
package typealias LinkID = EntityID
/// A client service of a router.
package typealias ServiceID = EntityID

extension WireParser {
    /// Reads base64url text of limited length.
    mutating func base64URL(atMost limit: Int) throws(WireError) -> Bytes {
        let start = offset
        let bytes = try base64URL()
        guard bytes.count <= limit else { throw WireError(.tooLong, "at most \(limit) bytes in base64url", at: start) }
        return bytes
    }
}
