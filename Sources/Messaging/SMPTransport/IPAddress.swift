package import NIOCore
package import SMPWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The address of a machine, without a port.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 bytes of IPv4 or 16 of IPv6. An IPv4 address that is mapped into IPv6 (`::ffff:a.b.c.d`) has its 4.
    package let bytes: Bytes

    /// - Returns: nil unless there are 4 or 16 bytes.
    package init?(_ bytes: Bytes) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let isMapped = bytes.count == 16 && bytes.starts(with: Self.mappedPrefix)
        self.bytes = isMapped ? Bytes(bytes.suffix(4)) : bytes
    }

    /// - Returns: nil for anything but an IP address, such as a path.
    package init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        self.init(parsing: text)
    }

    /// Reads an address as people write it; nil for a name.
    package init?(parsing text: String) {
        // The interface of a link-local address follows a %.
        let digits = text.prefix { $0 != "%" }
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = Bytes(repeating: 0, count: count)
            guard inet_pton(family, String(digits), &bytes) == 1 else { continue }
            self.init(bytes)
            return
        }
        return nil
    }

    private static let mappedPrefix: Bytes = Bytes(repeating: 0, count: 10) + [0xFF, 0xFF]

    /// The address as a socket call takes it.
    package var description: String {
        var text = [CChar](repeating: 0, count: 46)
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        let written = bytes.withUnsafeBytes { inet_ntop(family, $0.baseAddress, &text, socklen_t(text.count)) }
        return written == nil ? "?" : String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// True for addresses of this machine itself: 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == Bytes(repeating: 0, count: 15) + [1]
    }
}

// MARK: Scope

extension IPAddress {
    /// True if the address belongs to the public internet: not to this machine, a private network, a link, a group, a documentation
    /// range or anything that is not assigned (the special-purpose registries of RFC 6890).
    package var isPublic: Bool {
        if bytes.count == 4 { return Self.isPublic(ipv4: bytes) }
        // An IPv4 address that a gateway takes out of an IPv6 one is what counts: NAT64 (RFC 6052) and 6to4 (RFC 3056).
        if Self.hasPrefix(bytes, [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96) { return Self.isPublic(ipv4: Bytes(bytes.suffix(4))) }
        if Self.hasPrefix(bytes, [0x20, 0x02], 16) { return Self.isPublic(ipv4: Bytes(bytes[2..<6])) }
        // Only 2000::/3 is assigned to machines of the internet: ::1, fc00::/7, fe80::/10 and ff00::/8 are outside of it.
        guard Self.hasPrefix(bytes, [0x20], 3) else { return false }
        return !Self.specialIPv6.contains { Self.hasPrefix(bytes, $0.prefix, $0.length) }
    }

    private static func isPublic(ipv4 bytes: Bytes) -> Bool { !specialIPv4.contains { hasPrefix(bytes, $0.prefix, $0.length) } }

    private typealias Block = (prefix: Bytes, length: Int)

    private static let specialIPv4: [Block] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24), ([192, 0, 2], 24),
        ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24), ([203, 0, 113], 24), ([224], 4), ([240], 4),
    ]

    // Protocol assignments with Teredo, which reaches hosts behind address translators; documentation.
    private static let specialIPv6: [Block] = [([0x20, 0x01, 0], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x3F, 0xFF, 0], 20)]

    private static func hasPrefix(_ bytes: Bytes, _ prefix: Bytes, _ length: Int) -> Bool {
        for bit in 0..<length {
            let (index, mask) = (bit / 8, UInt8(0x80) >> UInt8(bit % 8))
            guard index < bytes.count else { return false }
            let wanted = index < prefix.count ? prefix[index] : 0
            if bytes[index] & mask != wanted & mask { return false }
        }
        return true
    }
}

/// The key that limits for one network address count by: an IPv4 address, or the 64 bits of IPv6 that one customer has at least.
package struct NetworkPrefix: Hashable, Sendable {
    private let bits: UInt64
    private let isIPv6: Bool

    package init(_ address: IPAddress) {
        isIPv6 = address.bytes.count == 16
        bits = address.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension IPAddress {
    /// By what limits for one address count the machine; nil for this machine itself, which they do not concern.
    package var limitedPrefix: NetworkPrefix? { isLoopback ? nil : NetworkPrefix(self) }
}
