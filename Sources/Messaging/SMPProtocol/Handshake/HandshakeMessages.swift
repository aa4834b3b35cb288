package import SMPCrypto
package import SMPWire

// The first blocks in each direction (simplex-messaging.md, "Transport handshake"). What follows a message in its block is
// passed over: later versions may append to it.

/// The router's first block.
package struct SMPServerHello: WireCodable, Hashable, Sendable {
    package var versions: VersionRange
    /// The TLS channel binding as the router sees it; the client must see the same.
    package var sessionID: Bytes
    /// The router's session key for authorisation and block encryption; from version 7.
    package var key: CertifiedKey?

    package init(versions: VersionRange, sessionID: Bytes, key: CertifiedKey?) {
        self.versions = versions
        self.sessionID = sessionID
        self.key = key
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(versions)
        writer.write(short: sessionID)
        if versions.max >= SMPVersion.authenticatedCommands, let key { writer.write(key) }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        versions = try parser.read()
        sessionID = try parser.short()
        key = versions.max >= SMPVersion.authenticatedCommands && !parser.isAtEnd ? try parser.read() : nil
        _ = parser.rest()
    }
}

/// The client's first block.
package struct SMPClientHello: WireCodable, Hashable, Sendable {
    /// The version that the client chose.
    package var version: UInt16
    /// Whom the client takes the router for.
    package var keyHash: KeyHash
    /// The client's session key; without it blocks are not encrypted.
    package var key: X25519.PublicKey?
    /// Proxies do without block encryption: what they forward is encrypted already.
    package var isProxy: Bool
    package var service: SMPClientService?

    package init(
        version: UInt16, keyHash: KeyHash, key: X25519.PublicKey?, isProxy: Bool = false, service: SMPClientService? = nil
    ) {
        self.version = version
        self.keyHash = keyHash
        self.key = key
        self.isProxy = isProxy
        self.service = service
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(version)
        writer.write(keyHash)
        if version >= SMPVersion.authenticatedCommands, let key { writer.write(key) }
        if version >= SMPVersion.proxyHandshake { writer.write(isProxy) }
        if version >= SMPVersion.serviceCertificates { writer.write(optional: service) }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        version = try parser.read()
        keyHash = try parser.read()
        // The key has no tag of its own; no other field begins with the length of one.
        let hasKey = version >= SMPVersion.authenticatedCommands && parser.next == UInt8(Self.keyLength)
        key = hasKey ? try parser.read() : nil
        isProxy = version >= SMPVersion.proxyHandshake ? try parser.read() : false
        service = version >= SMPVersion.serviceCertificates ? try parser.optional() : nil
        _ = parser.rest()
    }

    private static let keyLength = 44
}

/// The identity of a client that serves many users. It signs with a certificate so that all its queues can be subscribed to at once.
package struct SMPClientService: WireCodable, Hashable, Sendable {
    package enum Role: UInt8, WireCodable, Hashable, Sendable, CaseIterable {
        case messaging = 0x4D
        case notifier = 0x4E
        case proxy = 0x50

        package func encode(to writer: inout WireWriter) { writer.write(byte: rawValue) }

        package init(from parser: inout WireParser) throws(WireError) {
            guard let role = Role(rawValue: try parser.byte()) else {
                throw WireError(.invalidValue, "a service role is M, N or P", at: parser.offset - 1)
            }
            self = role
        }
    }

    package var role: Role
    /// The service's Ed25519 key for this session.
    package var key: CertifiedKey

    package init(role: Role, key: CertifiedKey) {
        self.role = role
        self.key = key
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(role)
        writer.write(key)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        role = try parser.read()
        key = try parser.read()
    }
}

/// The router's second block, only to a client that named its service.
package enum SMPServiceResponse: WireCodable, Hashable, Sendable {
    case service(ServiceID)
    case error(TransportError)

    package func encode(to writer: inout WireWriter) {
        switch self {
        case .service(let id):
            writer.write(byte: UInt8(ascii: "R"))
            writer.write(id)
        case .error(let error):
            writer.write(byte: UInt8(ascii: "E"))
            writer.write(error)
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        switch try parser.byte() {
        case UInt8(ascii: "R"): self = .service(try parser.read())
        case UInt8(ascii: "E"): self = .error(try parser.read())
        default: throw WireError(.invalidValue, "a service response is R or E", at: parser.offset - 1)
        }
        _ = parser.rest()
    }
}
