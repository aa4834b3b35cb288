package import SMPProtocol
package import SMPWire

/// A recipient's description as a link: `simplex:/file#/?desc=…[&data=…]`, also behind `https://` and a site.
package struct FileDescriptionLink: StringCodable, Hashable, Sendable {
    package var scheme: LinkScheme
    /// For a recipient.
    package var description: FileDescription
    /// JSON of the application, such as the size and the name of the file.
    package var clientData: String?

    package init(scheme: LinkScheme = .simplex, description: FileDescription, clientData: String? = nil) {
        self.scheme = scheme
        self.description = description
        self.clientData = clientData
    }

    package func encodeString(to writer: inout WireWriter) {
        writer.write(string: scheme)
        writer.write(text: "/file#/?")
        var query = QueryString()
        query.append("desc", description.text)
        if let clientData { query.append("data", clientData) }
        query.encode(to: &writer)
    }

    package init(fromString parser: inout WireParser) throws(WireError) {
        scheme = try parser.read(string: LinkScheme.self)
        try parser.expect("/file")
        _ = parser.skip(UInt8(ascii: "/"))
        try parser.expect("#/?")
        let start = parser.offset
        let query = QueryString(from: &parser)
        guard let text = query.bytes("desc") else { throw WireError(.invalidValue, "parameter desc is missing", at: start) }
        description = try FileDescription(parsing: String(decoding: text, as: UTF8.self))
        guard description.party == .recipient else { throw WireError(.invalidValue, "a description for a recipient", at: start) }
        clientData = query.bytes("data").map { String(decoding: $0, as: UTF8.self) }
    }

    /// Characters of a link that a QR code can show in a size that cameras read.
    package static let qrCodeLimit = 1_002
}
