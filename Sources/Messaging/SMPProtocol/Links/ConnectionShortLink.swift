import SMPCrypto
package import SMPWire

/// The key to a short link's data: SHA3-256 of the fixed data, so that the router cannot replace it.
package struct LinkKey: StringCodable, Hashable, Sendable, CustomStringConvertible {
    package static let length = 32

    package let bytes: Bytes

    /// - Precondition: at most 255 bytes.
    package init(_ bytes: Bytes) { self.bytes = bytes }

    package init(hashing fixedData: Bytes) { bytes = Hash.sha3_256(fixedData) }

    /// Unpadded base64url.
    package func encodeString(to writer: inout WireWriter) { writer.write(text: Base64URL.encode(bytes, padded: false)) }
    package init(fromString parser: inout WireParser) throws(WireError) { bytes = try parser.base64URL(atMost: 255) }

    /// Hidden, because the key gives access to the link.
    package var description: String { "(link key)" }
}

/// The scheme of a short link.
package enum ShortLinkScheme: Hashable, Sendable {
    /// `simplex:/`: the hosts are all in the query.
    case simplex
    /// `https://` and the router's first host, which serves a page for people without an app.
    case server
}

/// The purpose of a contact link.
package enum ContactLinkType: UInt8, Hashable, Sendable, CaseIterable {
    case contact = 0x41
    case channel = 0x43
    case group = 0x47
    case relay = 0x52

    /// Accepts both cases.
    fileprivate init?(letter: UInt8) { self.init(rawValue: letter & 0xDF) }
}

/// A link that names a router and a key; the rest is encrypted on the router.
///
/// Textual form: `https://<host>/<type>#[<link id>/]<key>[?h=<more hosts>&p=<port>&c=<fingerprint>]`, or `simplex:/…` with all
/// hosts in `h`. The types are `i` (one-time invitation), `a` (contact), `g` (group), `c` (channel) and `r` (relay).
package enum ConnectionShortLink: WireCodable, StringCodable, Hashable, Sendable {
    case invitation(scheme: ShortLinkScheme, server: SMPServerAddress, linkID: LinkID, key: LinkKey)
    case contact(scheme: ShortLinkScheme, type: ContactLinkType, server: SMPServerAddress, key: LinkKey)

    package var mode: ConnectionMode {
        switch self {
        case .invitation: .invitation
        case .contact: .contact
        }
    }

    package var scheme: ShortLinkScheme {
        switch self {
        case .invitation(let scheme, _, _, _), .contact(let scheme, _, _, _): scheme
        }
    }

    package var server: SMPServerAddress {
        switch self {
        case .invitation(_, let server, _, _), .contact(_, _, let server, _): server
        }
    }

    package var key: LinkKey {
        switch self {
        case .invitation(_, _, _, let key), .contact(_, _, _, let key): key
        }
    }

    /// The same link with another scheme.
    package func with(scheme: ShortLinkScheme) -> ConnectionShortLink {
        switch self {
        case .invitation(_, let server, let linkID, let key):
            .invitation(scheme: scheme, server: server, linkID: linkID, key: key)
        case .contact(_, let type, let server, let key): .contact(scheme: scheme, type: type, server: server, key: key)
        }
    }

    /// The same link on another address of its router.
    package func with(server: SMPServerAddress) -> ConnectionShortLink {
        switch self {
        case .invitation(let scheme, _, let linkID, let key):
            .invitation(scheme: scheme, server: server, linkID: linkID, key: key)
        case .contact(let scheme, let type, _, let key): .contact(scheme: scheme, type: type, server: server, key: key)
        }
    }

    /// Checks whether both are one contact link, whatever scheme and fingerprint.
    package func isSameContact(as other: ConnectionShortLink) -> Bool {
        guard case .contact(_, let type, let server, let key) = self,
            case .contact(_, let otherType, let otherServer, let otherKey) = other
        else { return false }
        return type == otherType && key == otherKey && server.isSameAddress(as: otherServer)
    }
}

// Leaving out what every client knows: only for routers that all clients come with, never for a user's own.
extension ConnectionShortLink {
    /// The link with the router's first host only, if that names it.
    ///
    /// - Parameter servers: the routers that clients come with.
    package func shortened(for servers: [SMPServerAddress]) -> ConnectionShortLink {
        let server = server
        guard let known = servers.first(where: { $0.hosts[0] == server.hosts[0] }), known.keyHash == server.keyHash,
            server.hosts.allSatisfy(known.hosts.contains),
            known.port == server.port || known.port == nil && (server.port == 443 || server.port == 5223)
        else { return self }
        return with(server: SMPServerAddress(onlyHost: server.hosts[0]))
    }

    /// The link with the full address of a router that it names by host only.
    package func restored(for servers: [SMPServerAddress]) -> ConnectionShortLink {
        let server = server
        guard server.isOnlyHost, let known = servers.first(where: { $0.hosts[0] == server.hosts[0] }) else { return self }
        return with(server: known)
    }
}

extension ConnectionShortLink {
    /// The scheme is not encoded.
    package func encode(to writer: inout WireWriter) {
        writer.write(mode)
        switch self {
        case .invitation(_, let server, let linkID, let key):
            writer.write(server)
            writer.write(linkID)
            writer.write(short: key.bytes)
        case .contact(_, let type, let server, let key):
            writer.write(byte: type.rawValue)
            writer.write(server)
            writer.write(short: key.bytes)
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        switch try parser.read(ConnectionMode.self) {
        case .invitation:
            self = .invitation(
                scheme: .server, server: try parser.read(), linkID: try parser.read(), key: LinkKey(try parser.short()))
        case .contact:
            guard let type = ContactLinkType(rawValue: try parser.byte()) else {
                throw WireError(.invalidValue, "a contact link is of type A, C, G or R", at: parser.offset - 1)
            }
            self = .contact(scheme: .server, type: type, server: try parser.read(), key: LinkKey(try parser.short()))
        }
    }

    package func encodeString(to writer: inout WireWriter) {
        let server = server
        var queryHosts = server.hosts[...]
        switch scheme {
        case .simplex: writer.write(text: "simplex:")
        case .server:
            writer.write(text: "https://")
            writer.write(string: server.hosts[0])
            queryHosts = queryHosts.dropFirst()
        }
        writer.write(byte: UInt8(ascii: "/"))
        switch self {
        case .invitation(_, _, let linkID, _):
            writer.write(text: "i#")
            if !linkID.isNone { writer.write(text: linkID.description + "/") }
        case .contact(_, let type, _, _):
            writer.write(byte: type.rawValue | 0x20)
            writer.write(byte: UInt8(ascii: "#"))
        }
        writer.write(string: key)
        var query = QueryString()
        if !queryHosts.isEmpty { query.append("h", queryHosts.map(\.wireString).joined(separator: ",")) }
        if let port = server.port { query.append("p", port) }
        if !server.keyHash.isNone { query.append("c", Base64URL.encode(server.keyHash.bytes, padded: false)) }
        guard !query.isEmpty else { return }
        writer.write(byte: UInt8(ascii: "?"))
        query.encode(to: &writer)
    }

    package init(fromString parser: inout WireParser) throws(WireError) {
        var firstHost: TransportHost?
        let scheme: ShortLinkScheme
        if parser.skip("simplex:") {
            scheme = .simplex
        } else {
            guard parser.skip("https://") else { throw parser.error(.invalidValue, "a link begins with simplex: or https://") }
            scheme = .server
            firstHost = try parser.read(string: TransportHost.self)
        }
        try parser.expect(UInt8(ascii: "/"))
        let start = parser.offset
        let letter = try parser.byte()
        _ = parser.skip(UInt8(ascii: "/"))
        try parser.expect(UInt8(ascii: "#"))
        if let type = ContactLinkType(letter: letter) {
            let key = try parser.read(string: LinkKey.self)
            self = .contact(scheme: scheme, type: type, server: try Self.readServer(firstHost, &parser), key: key)
        } else if letter == UInt8(ascii: "i") {
            let linkID = try parser.read(string: LinkID.self)
            try parser.expect(UInt8(ascii: "/"))
            let key = try parser.read(string: LinkKey.self)
            self = .invitation(scheme: scheme, server: try Self.readServer(firstHost, &parser), linkID: linkID, key: key)
        } else {
            throw WireError(.invalidValue, "a short link is of type a, c, g, i or r", at: start)
        }
    }

    private static func readServer(_ firstHost: TransportHost?, _ parser: inout WireParser) throws(WireError) -> SMPServerAddress {
        let start = parser.offset
        var hosts = firstHost.map { [$0] } ?? []
        var port: UInt16?
        var keyHash: KeyHash?
        if parser.skip(UInt8(ascii: "?")) {
            let query = QueryString(from: &parser)
            hosts += try query.value("h") { parser throws(WireError) in try [TransportHost].read(&parser) } ?? []
            port = try query.value("p")
            keyHash = try query.value("c")
        }
        guard let server = SMPServerAddress(hosts: hosts, port: port, keyHash: keyHash ?? .none) else {
            throw WireError(.invalidValue, "a short link with 1 to 255 hosts", at: start)
        }
        return server
    }
}

/// Any link that a person can paste.
package enum ConnectionLink: StringCodable, Hashable, Sendable {
    case full(ConnectionRequestURI)
    case short(ConnectionShortLink)

    package var mode: ConnectionMode {
        switch self {
        case .full(let link): link.mode
        case .short(let link): link.mode
        }
    }

    package func encodeString(to writer: inout WireWriter) {
        switch self {
        case .full(let link): writer.write(string: link)
        case .short(let link): writer.write(string: link)
        }
    }

    package init(fromString parser: inout WireParser) throws(WireError) {
        var lookahead = parser
        if let link = try? lookahead.read(string: ConnectionShortLink.self) {
            parser = lookahead
            self = .short(link)
        } else {
            self = .full(try parser.read(string: ConnectionRequestURI.self))
        }
    }
}
