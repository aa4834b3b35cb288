package import SMPCrypto
package import SMPWire

/// The address of a queue, as its sender needs it.
package struct SMPQueueAddress: Hashable, Sendable {
    package var server: SMPServerAddress
    package var senderID: SenderID
    /// The recipient's key for encryption between the two clients of the queue.
    package var encryptionKey: X25519.PublicKey
    /// nil: not known, as in addresses made by old clients.
    package var mode: QueueMode?

    package init(server: SMPServerAddress, senderID: SenderID, encryptionKey: X25519.PublicKey, mode: QueueMode?) {
        self.server = server
        self.senderID = senderID
        self.encryptionKey = encryptionKey
        self.mode = mode
    }

    package var senderCanSecure: Bool { mode?.senderCanSecure ?? false }

    /// Checks whether both are one queue: the same place and id, whatever the keys.
    package func isSameQueue(as other: SMPQueueAddress) -> Bool {
        senderID == other.senderID && server.isSameAddress(as: other.server)
    }

    fileprivate func encodeFields(to writer: inout WireWriter) {
        writer.write(server)
        writer.write(senderID)
        writer.write(encryptionKey)
    }

    /// The mode comes last, without a tag: `M` or `C`, or in older encodings the answer to "can the sender secure it".
    fileprivate static func readMode(_ parser: inout WireParser) -> QueueMode? {
        let mode: QueueMode? =
            switch parser.next {
            case QueueMode.messaging.rawValue, UInt8(ascii: "T"): .messaging
            case QueueMode.contact.rawValue, UInt8(ascii: "F"): .contact
            default: nil
            }
        if mode != nil { _ = try? parser.byte() }
        return mode
    }
}

/// A queue's address with the range of client versions that its owner speaks: part of a link.
///
/// Textual form: `smp://<fingerprint>@<hosts>[:<port>]/<sender id>#/?v=…&dh=…[&q=m|c][&k=s][&srv=…]`.
package struct SMPQueueURI: WireCodable, StringCodable, Hashable, Sendable {
    package var clientVersions: VersionRange
    package var address: SMPQueueAddress

    package init(clientVersions: VersionRange = SMPClientVersion.supported, address: SMPQueueAddress) {
        self.clientVersions = clientVersions
        self.address = address
    }

    /// The address for a version of the range.
    package func info(version: UInt16) -> SMPQueueInfo { SMPQueueInfo(clientVersion: version, address: address) }

    /// The address at the highest version that we speak too; nil if there is none.
    package func compatible(with versions: VersionRange = SMPClientVersion.supported) -> SMPQueueInfo? {
        clientVersions.compatibleVersion(with: versions).map(info(version:))
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(clientVersions)
        address.encodeFields(to: &writer)
        if clientVersions.min >= SMPClientVersion.shortLinks {
            if let mode = address.mode { writer.write(mode) }
        } else if clientVersions.min >= SMPClientVersion.senderKey
            || clientVersions.max >= SMPClientVersion.senderKey && address.senderCanSecure
        {
            writer.write(address.senderCanSecure)
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        clientVersions = try parser.read()
        address = SMPQueueAddress(
            server: try parser.read(), senderID: try parser.read(), encryptionKey: try parser.read(),
            mode: SMPQueueAddress.readMode(&parser))
    }

    package func encodeString(to writer: inout WireWriter) {
        let server = address.server
        let hasAllHosts = clientVersions.min >= SMPClientVersion.serverHosts
        server.encodeString(to: &writer, hosts: hasAllHosts ? server.hosts : [server.hosts[0]], basicAuth: nil)
        writer.write(byte: UInt8(ascii: "/"))
        writer.write(string: address.senderID)
        writer.write(text: "#/?")
        var query = QueryString()
        query.append("v", clientVersions)
        query.append("dh", address.encryptionKey)
        switch address.mode {
        case .messaging: query.append("q", "m")
        case .contact: query.append("q", "c")
        case nil: break
        }
        if address.senderCanSecure, clientVersions.min < SMPClientVersion.shortLinks { query.append("k", "s") }
        if !hasAllHosts, server.hosts.count > 1 {
            query.append("srv", server.hosts.dropFirst().map(\.wireString).joined(separator: ","))
        }
        query.encode(to: &writer)
    }

    package init(fromString parser: inout WireParser) throws(WireError) {
        let server = try parser.read(string: SMPServerAddress.self)
        try parser.expect(UInt8(ascii: "/"))
        let senderID = try parser.read(string: SenderID.self)
        _ = parser.skip(UInt8(ascii: "/"))
        try parser.expect(UInt8(ascii: "#"))
        // Version 1 had the key here, and nothing else.
        var key: X25519.PublicKey?
        if let next = parser.next, next != UInt8(ascii: "/"), next != UInt8(ascii: "?") {
            key = try parser.read(string: X25519.PublicKey.self)
        }
        if let key, parser.isAtEnd {
            clientVersions = VersionRange(SMPClientVersion.initial)
            address = SMPQueueAddress(server: server.withKnownOnionHost, senderID: senderID, encryptionKey: key, mode: nil)
            return
        }
        _ = parser.skip(UInt8(ascii: "/"))
        try parser.expect(UInt8(ascii: "?"))
        let start = parser.offset
        let query = QueryString(from: &parser)
        clientVersions = try query.required("v")
        let hosts = try query.value("srv") { parser throws(WireError) in try [TransportHost].read(&parser) } ?? []
        guard
            let allHosts = SMPServerAddress(hosts: server.hosts + hosts, port: server.port, keyHash: server.keyHash)
        else { throw WireError(.tooLong, "at most 255 hosts", at: start) }
        let mode: QueueMode? =
            switch query.bytes("q").map({ String(decoding: $0, as: UTF8.self) }) {
            case "m": .messaging
            case "c": .contact
            default: query.bytes("k") == [UInt8(ascii: "s")] ? .messaging : nil
            }
        let encryptionKey = if let key { key } else { try query.required("dh", as: X25519.PublicKey.self) }
        address = SMPQueueAddress(
            server: clientVersions.max < SMPClientVersion.serverHosts ? allHosts.withKnownOnionHost : allHosts,
            senderID: senderID, encryptionKey: encryptionKey, mode: mode)
    }
}

/// A queue's address at one client version: what the two clients of a connection tell each other.
package struct SMPQueueInfo: WireCodable, Hashable, Sendable {
    package var clientVersion: UInt16
    package var address: SMPQueueAddress

    package init(clientVersion: UInt16, address: SMPQueueAddress) {
        self.clientVersion = clientVersion
        self.address = address
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(clientVersion)
        guard clientVersion > SMPClientVersion.initial else {
            address.server.encodeLegacy(to: &writer)
            writer.write(address.senderID)
            return writer.write(address.encryptionKey)
        }
        address.encodeFields(to: &writer)
        if clientVersion >= SMPClientVersion.shortLinks {
            if let mode = address.mode { writer.write(mode) }
        } else if clientVersion >= SMPClientVersion.senderKey, address.senderCanSecure {
            writer.write(true)
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        clientVersion = try parser.read()
        let server =
            clientVersion > SMPClientVersion.initial
            ? try parser.read(SMPServerAddress.self) : try SMPServerAddress(legacyFrom: &parser).withKnownOnionHost
        address = SMPQueueAddress(
            server: server, senderID: try parser.read(), encryptionKey: try parser.read(), mode: SMPQueueAddress.readMode(&parser)
        )
    }
}

extension ServerAddress<SMPScheme> {
    /// Addresses of client version 1 have one host; these routers had an onion service too when it was current.
    private static let onionHosts: [String: String] = [
        "smp4.simplex.im": "o5vmywmrnaxalvz6wi3zicyftgio6psuvyniis6gco6bp6ekl4cqj4id.onion",
        "smp5.simplex.im": "jjbyvoemxysm7qxap7m5d5m35jzv5qq6gnlv7s4rsn7tdwwmuqciwpid.onion",
        "smp6.simplex.im": "bylepyau3ty4czmn77q4fglvperknl4bi2eb2fdy2bh4jxtf32kf73yd.onion",
        "smp8.simplex.im": "beccx4yfxxbvyhqypaavemqurytl6hozr47wfc7uuecacjqdvwpw2xid.onion",
        "smp9.simplex.im": "jssqzccmrcws6bhmn77vgmhfjmhwlyr3u7puw4erkyoosywgl67slqqd.onion",
        "smp10.simplex.im": "rb2pbttocvnbrngnwziclp2f4ckjq65kebafws6g4hy22cdaiv5dwjqd.onion",
    ]

    var withKnownOnionHost: SMPServerAddress {
        guard hosts.count == 1, let onion = Self.onionHosts[hosts[0].description] else { return self }
        return SMPServerAddress(hosts: [hosts[0], .onion(onion)], port: port, keyHash: keyHash) ?? self
    }
}
