public import SMPWire

/// The subject of a command or response: a queue as its recipient, sender or notifier knows it, the data of a link, a client
/// service, or a proxied session.
///
/// Queue ids are 24 random bytes; up to 255 bytes are allowed. Commands about nothing have the empty id ``none``.
public struct EntityID: WireCodable, StringCodable, Hashable, Sendable, CustomStringConvertible {
    /// Bytes of ids that a router makes.
    public static let length = 24
    /// The id of nothing.
    public static let none = EntityID([])

    public let bytes: Bytes

    /// - Precondition: at most 255 bytes; ids that are read from outside are checked by the decoders.
    public init(_ bytes: Bytes) { self.bytes = bytes }

    public var isNone: Bool { bytes.isEmpty }

    public func encode(to writer: inout WireWriter) { writer.write(short: bytes) }
    public init(from parser: inout WireParser) throws(WireError) { bytes = try parser.short() }

    /// Padded base64url.
    public func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes)) }

    public init(fromString parser: inout WireParser) throws(WireError) { bytes = try parser.base64URL(atMost: 255) }

    public var description: String { Base64URL.encode(bytes, padded: false) }
}

/// A queue as its recipient knows it.
public typealias RecipientID = EntityID
/// A queue as its sender knows it.
public typealias SenderID = EntityID
/// A queue as its notification server knows it.
public typealias NotifierID = EntityID
/// The data of a short link.
public typealias LinkID = EntityID
/// A client service of a router.
public typealias ServiceID = EntityID

extension WireParser {
    /// Reads base64url text of limited length.
    mutating func base64URL(atMost limit: Int) throws(WireError) -> Bytes {
        let start = offset
        let bytes = try base64URL()
        guard bytes.count <= limit else { throw WireError(.tooLong, "at most \(limit) bytes in base64url", at: start) }
        return bytes
    }
}
