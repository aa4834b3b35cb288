package import SMPCrypto
package import SMPWire

/// The immutable data of a short link: its hash is the link's key.
package struct FixedLinkData: WireCodable, Hashable, Sendable {
    package var agentVersions: VersionRange
    /// Signs this data and, for its first owner, the user data.
    package var rootKey: Ed25519.PublicKey
    package var connectionRequest: ConnectionRequestURI
    /// The application's id of the link's target, at most 255 bytes: for example a group's id.
    package var linkEntityID: Bytes?

    package init(
        agentVersions: VersionRange = SMPAgentVersion.supported, rootKey: Ed25519.PublicKey,
        connectionRequest: ConnectionRequestURI,
        linkEntityID: Bytes? = nil
    ) {
        self.agentVersions = agentVersions
        self.rootKey = rootKey
        self.connectionRequest = connectionRequest
        self.linkEntityID = linkEntityID
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(agentVersions)
        writer.write(rootKey)
        writer.write(connectionRequest)
        if let linkEntityID { writer.write(short: linkEntityID) }
    }

    /// Passes over what later versions may append.
    package init(from parser: inout WireParser) throws(WireError) {
        agentVersions = try parser.read()
        rootKey = try parser.read()
        connectionRequest = try parser.read()
        linkEntityID = parser.isAtEnd ? nil : try? parser.short()
        _ = parser.rest()
    }
}

/// The data that a short link's owner shows to those who open it, without the versions.
package enum UserConnectionLinkData: WireCodable, Hashable, Sendable {
    case invitation(UserLinkData)
    case contact(UserContactData)

    package var mode: ConnectionMode {
        switch self {
        case .invitation: .invitation
        case .contact: .contact
        }
    }

    package var userData: UserLinkData {
        switch self {
        case .invitation(let data): data
        case .contact(let data): data.userData
        }
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(mode)
        encodeData(to: &writer)
    }

    fileprivate func encodeData(to writer: inout WireWriter) {
        switch self {
        case .invitation(let data): writer.write(data)
        case .contact(let data): writer.write(data)
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        try self.init(mode: try parser.read(), from: &parser)
    }

    /// Passes over what later versions may append.
    fileprivate init(mode: ConnectionMode, from parser: inout WireParser) throws(WireError) {
        switch mode {
        case .invitation:
            self = .invitation(try parser.read())
            _ = parser.rest()
        case .contact: self = .contact(try parser.read())
        }
    }
}

/// The data that a short link's owner shows to those who open it, and can change.
package struct ConnectionLinkData: WireCodable, Hashable, Sendable {
    /// The agent versions that the owner supports now.
    package var agentVersions: VersionRange
    package var content: UserConnectionLinkData

    package init(agentVersions: VersionRange = SMPAgentVersion.supported, content: UserConnectionLinkData) {
        self.agentVersions = agentVersions
        self.content = content
    }

    package var mode: ConnectionMode { content.mode }
    package var userData: UserLinkData { content.userData }

    package func encode(to writer: inout WireWriter) {
        writer.write(mode)
        writer.write(agentVersions)
        content.encodeData(to: &writer)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        let mode = try parser.read(ConnectionMode.self)
        agentVersions = try parser.read()
        content = try UserConnectionLinkData(mode: mode, from: &parser)
    }
}

/// The application's part of link data: at most 65,535 bytes here, within the 13,784 of the whole.
package struct UserLinkData: WireCodable, Hashable, Sendable {
    package var bytes: Bytes

    package init(_ bytes: Bytes) { self.bytes = bytes }

    /// A one-byte length, or 255 and two bytes of length.
    package func encode(to writer: inout WireWriter) {
        if bytes.count < 255 { return writer.write(short: bytes) }
        writer.write(byte: 255)
        writer.write(large: bytes)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        if parser.next == 255 {
            _ = try parser.byte()
            bytes = try parser.large()
        } else {
            bytes = try parser.short()
        }
    }
}

/// The data that an address shows.
package struct UserContactData: WireCodable, Hashable, Sendable {
    /// True if to connect by the request in the fixed data.
    package var isDirect: Bool
    /// The owners that may sign changes besides the root key; at most 255.
    package var owners: [LinkOwner]
    /// Addresses of relays that take requests instead; at most 255.
    package var relays: [ConnectionShortLink]
    package var userData: UserLinkData

    package init(
        isDirect: Bool = true, owners: [LinkOwner] = [], relays: [ConnectionShortLink] = [], userData: UserLinkData
    ) {
        self.isDirect = isDirect
        self.owners = owners
        self.relays = relays
        self.userData = userData
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(isDirect)
        writer.write(list: owners)
        writer.write(list: relays)
        writer.write(userData)
    }

    /// Passes over what later versions may append.
    package init(from parser: inout WireParser) throws(WireError) {
        isDirect = try parser.read()
        owners = try parser.list()
        relays = try parser.list()
        for relay in relays where relay.mode != .contact { throw parser.error(.invalidValue, "a relay's contact link") }
        userData = try parser.read()
        _ = parser.rest()
    }
}

/// Another owner of an address, authorised by its root key or by an owner listed before.
package struct LinkOwner: WireCodable, Hashable, Sendable {
    /// Unique in the list; the application's own, at most 255 bytes in all with key and signature.
    package var id: Bytes
    package var key: Ed25519.PublicKey
    /// Over the id and the key's SubjectPublicKeyInfo: 64 bytes.
    package var signature: Bytes

    package init(id: Bytes, key: Ed25519.PublicKey, signature: Bytes) {
        self.id = id
        self.key = key
        self.signature = signature
    }

    /// - Parameter authorizingKey: of the root or of an owner.
    package init(id: Bytes, key: Ed25519.PublicKey, authorizedBy authorizingKey: Ed25519.PrivateKey) {
        self.init(id: id, key: key, signature: authorizingKey.signature(for: id + key.spki))
    }

    func isAuthorized(by key: Ed25519.PublicKey) -> Bool { key.isValidSignature(signature, for: id + self.key.spki) }

    package func encode(to writer: inout WireWriter) {
        var inner = WireWriter()
        inner.write(short: id)
        inner.write(key)
        inner.write(short: signature)
        writer.write(short: inner.bytes)
    }

    /// Passes over what later versions may append inside the record.
    package init(from parser: inout WireParser) throws(WireError) {
        var inner = WireParser(try parser.short())
        id = try inner.short()
        key = try inner.read()
        signature = try inner.short()
        guard signature.count == Ed25519.signatureSize else { throw parser.error(.invalidValue, "a signature of 64 bytes") }
    }
}
