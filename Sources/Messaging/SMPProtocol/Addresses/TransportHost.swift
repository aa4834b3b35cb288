public import SMPWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where a router listens.
///
/// Textual only on the wire: the binary form is the text behind a one-byte length.
public enum TransportHost: WireCodable, StringCodable, Hashable, Sendable, CustomStringConvertible {
    /// Four octets.
    case ipv4(UInt8, UInt8, UInt8, UInt8)
    /// Sixteen bytes.
    case ipv6(Bytes)
    /// A Tor onion service: lowercase letters and digits, then `.onion`.
    case onion(String)
    case domain(String)

    /// The longest text of a host, in bytes.
    public static let maximumLength = 255

    /// True for an onion service.
    public var isOnion: Bool { if case .onion = self { true } else { false } }

    /// The form for resolver and socket calls: without brackets.
    public var description: String {
        switch self {
        case .ipv4(let a, let b, let c, let d): "\(a).\(b).\(c).\(d)"
        case .ipv6(let bytes): Self.ipv6Text(bytes)
        case .onion(let host), .domain(let host): host
        }
    }

    /// Recognises a whole text as a host.
    public init(parsing text: String) throws(WireError) { try self.init(wireString: text) }

    /// Appends the binary encoding.
    public func encode(to writer: inout WireWriter) { writer.write(short: Bytes(description.utf8)) }

    /// Reads the binary encoding.
    public init(from parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        var text = WireParser(try parser.short())
        do {
            try self.init(fromString: &text)
            try text.finish()
        } catch {
            throw WireError(error.code, error.subject, at: start + 1 + error.offset)
        }
    }

    /// Appends the textual encoding.
    public func encodeString(to writer: inout WireWriter) { writer.write(text: description) }

    /// An IPv6 address may be in brackets; without them, a port cannot be distinguished from its last group.
    public init(fromString parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        if parser.skip(UInt8(ascii: "[")) {
            let text = parser.take(until: UInt8(ascii: "]"))
            try parser.expect(UInt8(ascii: "]"))
            guard let address = Self.ipv6(text) else { throw WireError(.invalidValue, "an IPv6 address", at: start + 1) }
            self = .ipv6(address)
            return
        }
        var lookahead = parser
        if let address = Self.ipv6(lookahead.take(while: Self.isInIPv6)) {
            parser = lookahead
            self = .ipv6(address)
            return
        }
        let text = parser.take(while: Self.isInDomain)
        guard !text.isEmpty else { throw parser.error(parser.isAtEnd ? .truncated : .invalidValue, "a host name") }
        guard text.count <= Self.maximumLength, let host = String(validating: text, as: UTF8.self) else {
            throw WireError(.tooLong, "a host name of at most \(Self.maximumLength) bytes", at: start)
        }
        if let address = Self.ipv4(host) {
            self = address
        } else if host.hasSuffix(".onion") {
            guard text.dropLast(6).allSatisfy(Self.isInOnion) else {
                throw WireError(.invalidValue, "an onion host has lowercase letters and digits", at: start)
            }
            self = .onion(host)
        } else {
            self = .domain(host)
        }
    }

    private static func ipv4(_ text: String) -> TransportHost? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let octets = parts.compactMap { $0.utf8.allSatisfy(isDigit) ? UInt8($0) : nil }
        return octets.count == 4 ? .ipv4(octets[0], octets[1], octets[2], octets[3]) : nil
    }

    private static func ipv6(_ text: Bytes) -> Bytes? {
        guard text.count >= 2, text.count < 46, let text = String(validating: text, as: UTF8.self) else { return nil }
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        return withUnsafeBytes(of: &address) { Bytes($0) }
    }

    private static func ipv6Text(_ bytes: Bytes) -> String {
        guard bytes.count == 16 else { return "::" }
        var text = [CChar](repeating: 0, count: 46)
        let written = bytes.withUnsafeBytes { inet_ntop(AF_INET6, $0.baseAddress, &text, socklen_t(text.count)) }
        return written == nil ? "::" : String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isInOnion(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
    }

    private static func isInIPv6(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: ":") || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f")
    }

    private static func isInDomain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "#"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "/"), UInt8(ascii: " "),
            UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
            false
        default: true
        }
    }
}

extension [TransportHost] {
    /// Reads hosts separated by commas, at least one.
    static func read(_ parser: inout WireParser) throws(WireError) -> [TransportHost] {
        let start = parser.offset
        var hosts: [TransportHost] = []
        repeat { hosts.append(try parser.read(string: TransportHost.self)) } while parser.skip(UInt8(ascii: ","))
        guard hosts.count <= 255 else { throw WireError(.tooLong, "at most 255 hosts", at: start) }
        return hosts
    }
}
