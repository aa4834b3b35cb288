public import SMPWire

/// A name that stands for a person or a group: `@ann.simplex`, `#news.simplex`, short `#news`.
public struct SimpleXName: Hashable, Sendable, Codable {
    /// The kind of the owner of a name.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// `#`: a public group or channel.
        case publicGroup
        /// `@`: a person, bot or business.
        case contact

        fileprivate var sign: String { self == .contact ? "@" : "#" }
    }

    /// The kind of the owner of the name.
    public let kind: Kind
    /// The domain to resolve.
    public let domain: SimpleXDomain

    /// Creates the name.
    public init(_ kind: Kind, _ domain: SimpleXDomain) {
        self.kind = kind
        self.domain = domain
    }

    /// The name as people see it: a group's name without `.simplex`, if nothing is below that.
    public var shortName: String {
        if kind == .publicGroup, domain.topLevel == .simplex, domain.subdomains.isEmpty { return kind.sign + domain.domain }
        return wireString
    }

    private enum CodingKeys: String, CodingKey {
        case kind = "nameType"
        case domain = "nameDomain"
    }
}

extension SimpleXName: StringCodable, CustomStringConvertible {
    /// Appends the sign and the whole name.
    public func encodeString(to writer: inout WireWriter) {
        writer.write(text: kind.sign)
        domain.encodeString(to: &writer)
    }

    /// Reads a name, also as a link `simplex:/name…`. Without a sign it is a group's, and only a group's may leave out `.simplex`.
    public init(fromString parser: inout WireParser) throws(WireError) {
        _ = parser.skip("simplex:/name")
        if parser.skip(UInt8(ascii: "@")) {
            self.init(.contact, try SimpleXDomain(fromString: &parser))
            return
        }
        _ = parser.skip(UInt8(ascii: "#"))
        var ahead = parser
        let labels = try ahead.nameLabels()
        if labels.count == 1 {
            parser = ahead
            self.init(.publicGroup, SimpleXDomain(simplex: labels[0]))
        } else {
            self.init(.publicGroup, try SimpleXDomain(fromString: &parser))
        }
    }

    /// The sign and the whole name.
    public var description: String { wireString }
}
