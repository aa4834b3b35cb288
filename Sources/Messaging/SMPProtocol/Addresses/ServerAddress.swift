import SMPCrypto
public import SMPWire

/// The kind of server that an address names, known at compile time so that a file router cannot be used as a message router.
public protocol ServerScheme: Sendable {
    /// `smp`, `xftp` or `ntf`: the part before `://`.
    static var name: StaticString { get }
}

/// Message routers: `smp://…`.
/// The scheme of SMP routers.
public enum SMPScheme: ServerScheme {
    /// The scheme of the address.
    public static let name: StaticString = "smp"
}
/// File routers: `xftp://…`.
package enum XFTPScheme: ServerScheme { package static let name: StaticString = "xftp" }
/// Notification servers: `ntf://…`.
package enum NotificationScheme: ServerScheme { package static let name: StaticString = "ntf" }

/// Where a server is and which certificate authority it must prove: `smp://<fingerprint>@<host>[,<host>…][:<port>]`.
///
/// All hosts are names of one server, the first being preferred and later ones usually onion services.
public struct ServerAddress<Scheme: ServerScheme>: WireCodable, StringCodable, Hashable, Sendable, CustomStringConvertible {
    /// At least one, at most 255.
    public let hosts: [TransportHost]
    /// nil means the scheme's default port.
    public let port: UInt16?
    /// SHA-256 of the certificate authority of the server.
    public let keyHash: KeyHash

    /// - Returns: nil without hosts or with more than 255.
    public init?(hosts: [TransportHost], port: UInt16? = nil, keyHash: KeyHash) {
        guard !hosts.isEmpty, hosts.count <= 255 else { return nil }
        self.hosts = hosts
        self.port = port
        self.keyHash = keyHash
    }

    /// Creates the value from its parts.
    public init(host: TransportHost, port: UInt16? = nil, keyHash: KeyHash) {
        hosts = [host]
        self.port = port
        self.keyHash = keyHash
    }

    /// A server named by its host only, as in shortened links.
    init(onlyHost host: TransportHost) { self.init(host: host, keyHash: .none) }

    var isOnlyHost: Bool { hosts.count == 1 && port == nil && keyHash.isNone }

    /// Checks whether both name the same place, whatever the fingerprint.
    public func isSameAddress(as other: ServerAddress) -> Bool { hosts == other.hosts && port == other.port }

    /// Appends the binary encoding.
    public func encode(to writer: inout WireWriter) {
        writer.write(list: hosts)
        encodePortAndKeyHash(to: &writer)
    }

    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) {
        hosts = try parser.nonEmptyList()
        (port, keyHash) = try Self.readPortAndKeyHash(&parser)
    }

    /// The encoding of SMP client version 1: the first host without a count.
    func encodeLegacy(to writer: inout WireWriter) {
        writer.write(hosts[0])
        encodePortAndKeyHash(to: &writer)
    }

    init(legacyFrom parser: inout WireParser) throws(WireError) {
        hosts = [try parser.read()]
        (port, keyHash) = try Self.readPortAndKeyHash(&parser)
    }

    private func encodePortAndKeyHash(to writer: inout WireWriter) {
        writer.write(short: Bytes((port.map(String.init) ?? "").utf8))
        writer.write(keyHash)
    }

    private static func readPortAndKeyHash(_ parser: inout WireParser) throws(WireError) -> (UInt16?, KeyHash) {
        let start = parser.offset
        var text = WireParser(try parser.short())
        var port: UInt16?
        do {
            if !text.isAtEnd { port = try text.read(string: UInt16.self) }
            try text.finish()
        } catch {
            throw WireError(.invalidValue, "a port is a number below 65536", at: start)
        }
        return (port, try parser.read())
    }

    /// Appends the textual encoding.
    public func encodeString(to writer: inout WireWriter) { encodeString(to: &writer, hosts: hosts, basicAuth: nil) }

    func encodeString(to writer: inout WireWriter, hosts: [TransportHost], basicAuth: BasicAuth?) {
        writer.write(text: String(describing: Scheme.name))
        writer.write(text: "://")
        writer.write(string: keyHash)
        if let basicAuth {
            writer.write(byte: UInt8(ascii: ":"))
            writer.write(string: basicAuth)
        }
        writer.write(byte: UInt8(ascii: "@"))
        writer.write(stringList: hosts)
        if let port {
            writer.write(byte: UInt8(ascii: ":"))
            writer.write(string: port)
        }
    }

    /// Reads the textual encoding.
    public init(fromString parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        let server = try ServerWithAuth<Scheme>(fromString: &parser)
        guard server.basicAuth == nil else { throw WireError(.invalidValue, "an address without a password", at: start) }
        self = server.server
    }

    /// A textual form, for messages and logs.
    public var description: String { wireString }
}

/// The address of an SMP router.
public typealias SMPServerAddress = ServerAddress<SMPScheme>
package typealias XFTPServerAddress = ServerAddress<XFTPScheme>
package typealias NotificationServerAddress = ServerAddress<NotificationScheme>

/// A server's address with the password that it asks of those who create queues or upload files:
/// `smp://<fingerprint>[:<password>]@<host>…`. The password is for the client's own use and never put into links.
package struct ServerWithAuth<Scheme: ServerScheme>: StringCodable, Hashable, Sendable {
    package let server: ServerAddress<Scheme>
    package let basicAuth: BasicAuth?

    package init(_ server: ServerAddress<Scheme>, basicAuth: BasicAuth? = nil) {
        self.server = server
        self.basicAuth = basicAuth
    }

    package func encodeString(to writer: inout WireWriter) {
        server.encodeString(to: &writer, hosts: server.hosts, basicAuth: basicAuth)
    }

    package init(fromString parser: inout WireParser) throws(WireError) {
        try parser.expect(Scheme.name)
        try parser.expect("://")
        let keyHash = try parser.read(string: KeyHash.self)
        basicAuth = parser.skip(UInt8(ascii: ":")) ? try parser.read(string: BasicAuth.self) : nil
        try parser.expect(UInt8(ascii: "@"))
        let start = parser.offset
        let hosts = try [TransportHost].read(&parser)
        let port = parser.skip(UInt8(ascii: ":")) ? try parser.read(string: UInt16.self) : nil
        guard let server = ServerAddress<Scheme>(hosts: hosts, port: port, keyHash: keyHash) else {
            throw WireError(.invalidValue, "a server has a host", at: start)
        }
        self.server = server
    }
}

package typealias SMPServerWithAuth = ServerWithAuth<SMPScheme>
package typealias XFTPServerWithAuth = ServerWithAuth<XFTPScheme>

/// The password that a server may ask for: printable, without spaces, `@`, `:` and `/`; at most 255 bytes.
package struct BasicAuth: WireCodable, StringCodable, Hashable, Sendable, CustomStringConvertible {
    package let bytes: Bytes

    /// Compares in time that depends on the sizes only: a router compares its password with what strangers guess.
    package static func == (left: BasicAuth, right: BasicAuth) -> Bool { SecretBytes.areEqual(left.bytes, right.bytes) }

    /// - Returns: nil if a character is not allowed or there are more than 255 bytes.
    package init?(_ bytes: Bytes) {
        guard bytes.count <= 255, bytes.allSatisfy(Self.isAllowed) else { return nil }
        self.bytes = bytes
    }

    /// A password of any bytes, for tests of the comparison.
    init(unchecked bytes: Bytes) { self.bytes = bytes }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "@") && byte != UInt8(ascii: ":") && byte != UInt8(ascii: "/")
    }

    package func encode(to writer: inout WireWriter) { writer.write(short: bytes) }

    package init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        guard let auth = BasicAuth(try parser.short()) else {
            throw WireError(.invalidValue, "a password without spaces, @, : and /", at: start)
        }
        self = auth
    }

    package func encodeString(to writer: inout WireWriter) { writer.write(raw: bytes) }

    package init(fromString parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        let text = parser.take(until: UInt8(ascii: "@"))
        guard !text.isEmpty, let auth = BasicAuth(text) else {
            throw WireError(.invalidValue, "a password without spaces, @, : and /", at: start)
        }
        self = auth
    }

    /// Hidden: addresses are logged.
    package var description: String { "(password)" }
}
