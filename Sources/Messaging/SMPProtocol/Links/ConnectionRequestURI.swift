package import SMPWire

/// The kind of connection that a link invites to.
package enum ConnectionMode: UInt8, WireCodable, StringCodable, Hashable, Sendable, CaseIterable {
    /// One connection: a one-time link.
    case invitation = 0x49
    /// Connection requests by anybody: an address.
    case contact = 0x43

    package func encode(to writer: inout WireWriter) { writer.write(byte: rawValue) }

    package init(from parser: inout WireParser) throws(WireError) {
        guard let mode = ConnectionMode(rawValue: try parser.byte()) else {
            throw WireError(.invalidValue, "a connection mode is I or C", at: parser.offset - 1)
        }
        self = mode
    }

    package func encodeString(to writer: inout WireWriter) { writer.write(text: self == .invitation ? "INV" : "CON") }

    package init(fromString parser: inout WireParser) throws(WireError) {
        if parser.skip("INV") {
            self = .invitation
        } else if parser.skip("CON") {
            self = .contact
        } else {
            throw parser.error(.invalidValue, "INV or CON")
        }
    }
}

/// The scheme of a link: `simplex:`, or `https://` with a site that explains the link to people without an app.
package enum LinkScheme: StringCodable, Hashable, Sendable {
    case simplex
    case site(host: String, port: UInt16?)

    /// `https://simplex.chat`.
    package static let simplexChat = LinkScheme.site(host: "simplex.chat", port: nil)

    package func encodeString(to writer: inout WireWriter) {
        switch self {
        case .simplex: writer.write(text: "simplex:")
        case .site(let host, let port): writer.write(text: "https://\(host)" + (port.map { ":\($0)" } ?? ""))
        }
    }

    package init(fromString parser: inout WireParser) throws(WireError) {
        if parser.skip("simplex:") {
            self = .simplex
            return
        }
        guard parser.skip("https://") else { throw parser.error(.invalidValue, "a link begins with simplex: or https://") }
        let start = parser.offset
        let host = parser.take { !Bytes(":#,;/ ".utf8).contains($0) }
        guard !host.isEmpty else { throw WireError(.invalidValue, "a host name", at: start) }
        self = .site(
            host: String(decoding: host, as: UTF8.self),
            port: parser.skip(UInt8(ascii: ":")) ? try parser.read(string: UInt16.self) : nil)
    }
}

/// A full link: all that is needed to ask for a connection.
///
/// Textual form: `simplex:/invitation#/?v=…&smp=…&e2e=…[&data=…]` or `simplex:/contact#/?v=…&smp=…[&data=…]`, also behind
/// `https://simplex.chat`. Whatever the scheme, a link reads as one with `simplex:`, so that equal links are equal values.
package enum ConnectionRequestURI: WireCodable, StringCodable, Hashable, Sendable {
    case invitation(ConnectionRequest, RatchetParametersURI)
    case contact(ConnectionRequest)

    package var request: ConnectionRequest {
        switch self {
        case .invitation(let request, _), .contact(let request): request
        }
    }

    package var mode: ConnectionMode {
        switch self {
        case .invitation: .invitation
        case .contact: .contact
        }
    }

    /// Checks whether both lead to the same queues, whatever the versions and keys.
    package func isSameContact(as other: ConnectionRequestURI) -> Bool {
        guard case .contact(let left) = self, case .contact(let right) = other, left.queues.count == right.queues.count else {
            return false
        }
        return zip(left.queues, right.queues).allSatisfy { $0.address.isSameQueue(as: $1.address) }
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(mode)
        switch self {
        case .invitation(let request, let parameters):
            writer.write(request)
            writer.write(parameters)
        case .contact(let request): writer.write(request)
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        switch try parser.read(ConnectionMode.self) {
        case .invitation: self = .invitation(try parser.read(), try parser.read())
        case .contact: self = .contact(try parser.read())
        }
    }

    package func encodeString(to writer: inout WireWriter) {
        let request = request
        writer.write(string: request.scheme)
        writer.write(text: mode == .invitation ? "/invitation#/?" : "/contact#/?")
        var query = QueryString()
        query.append("v", request.agentVersions)
        query.append("smp", request.queues.map(\.wireString).joined(separator: ";"))
        if case .invitation(_, let parameters) = self { query.append("e2e", parameters) }
        if let data = request.clientData { query.append("data", data) }
        query.encode(to: &writer)
    }

    package init(fromString parser: inout WireParser) throws(WireError) {
        _ = try parser.read(string: LinkScheme.self)
        let mode: ConnectionMode
        if parser.skip("/invitation") {
            mode = .invitation
        } else if parser.skip("/contact") {
            mode = .contact
        } else {
            throw parser.error(.invalidValue, "/invitation or /contact")
        }
        _ = parser.skip(UInt8(ascii: "/"))
        try parser.expect("#/?")
        let start = parser.offset
        let query = QueryString(from: &parser)
        do throws(WireError) {
            let versions = try query.required("v", as: VersionRange.self)
            let queues = try query.value("smp") { parser throws(WireError) in try ConnectionRequest.readQueues(&parser) } ?? []
            guard !queues.isEmpty else { throw WireError(.invalidValue, "parameter smp is missing") }
            let request = ConnectionRequest(
                agentVersions: versions, queues: queues, clientData: try query.bytes("data").map(ConnectionRequest.readClientData))
            switch mode {
            case .invitation: self = .invitation(request, try query.required("e2e"))
            case .contact: self = .contact(request.withSupportedVersions)
            }
        } catch {
            throw WireError(error.code, error.subject, at: start)
        }
    }
}

/// The parts that all full links share.
package struct ConnectionRequest: WireCodable, Hashable, Sendable {
    /// Bytes of client data.
    package static let maximumClientData = 65_535

    /// The scheme for printing the link; ``LinkScheme/simplex`` in a link that was read.
    package var scheme: LinkScheme
    package var agentVersions: VersionRange
    /// One queue, or several that carry the same messages; 1 to 255.
    package var queues: [SMPQueueURI]
    /// The application's own data: UTF-8 of at most 65,535 bytes.
    package var clientData: String?

    package init(
        scheme: LinkScheme = .simplex, agentVersions: VersionRange = SMPAgentVersion.supported, queues: [SMPQueueURI],
        clientData: String? = nil
    ) {
        self.scheme = scheme
        self.agentVersions = agentVersions
        self.queues = queues
        self.clientData = clientData
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(agentVersions)
        writer.write(list: queues)
        writer.write(optional: clientData.map { LargeBytes(Bytes($0.utf8)) })
    }

    /// A queue without a mode is a contact's: the encoding leaves that out, and it is not used for older queues.
    package init(from parser: inout WireParser) throws(WireError) {
        scheme = .simplex
        agentVersions = try parser.read()
        queues = try parser.nonEmptyList(of: SMPQueueURI.self).map { queue in
            var queue = queue
            queue.address.mode = queue.address.mode ?? .contact
            return queue
        }
        clientData = try parser.optional(LargeBytes.self).map { bytes throws(WireError) in try Self.readClientData(bytes.bytes) }
    }

    /// Invalid UTF-8 is repaired, which makes it longer: the limit is for the repaired text.
    static func readClientData(_ bytes: Bytes) throws(WireError) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.count <= maximumClientData else { throw WireError(.tooLong, "client data of at most \(maximumClientData) bytes") }
        return text
    }

    static func readQueues(_ parser: inout WireParser) throws(WireError) -> [SMPQueueURI] {
        var queues: [SMPQueueURI] = []
        repeat {
            var item = WireParser(parser.take(until: UInt8(ascii: ";")))
            queues.append(try item.read(string: SMPQueueURI.self))
            try item.finish()
        } while parser.skip(UInt8(ascii: ";"))
        guard queues.count <= 255 else { throw WireError(.tooLong, "at most 255 queues") }
        return queues
    }

    /// Addresses published long ago name versions that are no longer spoken, but anyone who answers them has moved on.
    var withSupportedVersions: ConnectionRequest {
        let low = max(SMPAgentVersion.supported.min, agentVersions.min)
        var request = self
        request.agentVersions = VersionRange(low, max(low, agentVersions.max)) ?? agentVersions
        return request
    }
}
