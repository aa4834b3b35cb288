package import SMPProtocol
package import SMPWire

// The two exchanges that open a session (xftp.md, "Transport handshake"). What follows a message in its block is passed over: later versions
// may append to it.

/// The client's first request, if it has a body at all: only web pages send one.
package struct XFTPClientHello: WireCodable, Hashable, Sendable {
    /// 32 random bytes that the router signs, for pages that cannot see its certificate.
    package var challenge: Bytes?

    package init(challenge: Bytes? = nil) { self.challenge = challenge }

    package func encode(to writer: inout WireWriter) { writer.write(optional: challenge.map(ShortBytes.init)) }

    package init(from parser: inout WireParser) throws(WireError) {
        challenge = try parser.optional(ShortBytes.self)?.bytes
        if let challenge, challenge.count != 32 { throw parser.error(.invalidValue, "a challenge of 32 bytes") }
        _ = parser.rest()
    }
}

/// The router's answer to the first request.
package struct XFTPServerHello: WireCodable, Hashable, Sendable {
    package var versions: VersionRange
    /// The TLS channel binding as the router sees it.
    package var sessionID: Bytes
    /// The router's session key for authenticators.
    package var key: CertifiedKey
    /// The signature of the challenge and the session id.
    package var proof: Bytes?

    package init(versions: VersionRange, sessionID: Bytes, key: CertifiedKey, proof: Bytes? = nil) {
        self.versions = versions
        self.sessionID = sessionID
        self.key = key
        self.proof = proof
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(versions)
        writer.write(short: sessionID)
        writer.write(key)
        writer.write(short: proof ?? [])
    }

    package init(from parser: inout WireParser) throws(WireError) {
        versions = try parser.read()
        sessionID = try parser.short()
        key = try parser.read()
        let bytes = parser.isAtEnd ? [] : try parser.short()
        proof = bytes.isEmpty ? nil : bytes
        _ = parser.rest()
    }
}

/// The client's second request.
package struct XFTPClientHandshake: WireCodable, Hashable, Sendable {
    /// The version that the client chose.
    package var version: UInt16
    /// The router that the client takes it for.
    package var keyHash: KeyHash

    package init(version: UInt16, keyHash: KeyHash) {
        self.version = version
        self.keyHash = keyHash
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(version)
        writer.write(keyHash)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        version = try parser.read()
        keyHash = try parser.read()
        _ = parser.rest()
    }
}
