public import SMPWire

/// A domain name that a router can resolve to links of people and groups (simplex-messaging.md, "Resolver commands"): `acme.simplex`,
/// `chat.acme.simplex`, `acme.testing`, `acme.com`. Lower case, ASCII only, the top level always said.
public struct SimpleXDomain: Hashable, Sendable {
    /// The top level of a domain.
    public enum TopLevel: String, Hashable, Sendable, Codable, CaseIterable {
        /// `.simplex`.
        case simplex
        /// `.testing`: names of a test network.
        case testing
        /// Any other: a name of the web.
        case web
    }

    /// The most bytes of a name.
    public static let limit = 253
    /// The most bytes between two dots.
    public static let labelLimit = 63

    /// The top level.
    public let topLevel: TopLevel
    /// The name below the top level; all of the name if that is ``TopLevel/web``.
    public let domain: String
    /// The names below ``domain``, from the outermost: `b`, `a` of `a.b.acme.simplex`.
    public let subdomains: [String]

    private init(topLevel: TopLevel, domain: String, subdomains: [String] = []) {
        self.topLevel = topLevel
        self.domain = domain
        self.subdomains = subdomains
    }

    /// The whole name, as it is resolved.
    public var fullName: String {
        let below = subdomains.reversed() + [domain]
        return (topLevel == .web ? below : below + [topLevel.rawValue]).joined(separator: ".")
    }

    /// A name of one label on the level `.simplex`.
    init(simplex label: String) { self.init(topLevel: .simplex, domain: label) }

    fileprivate init(labels: [String], at start: Int) throws(WireError) {
        guard labels.count > 1, let last = labels.last else {
            throw WireError(.invalidValue, "a domain with its top level, such as name.simplex", at: start)
        }
        switch TopLevel(rawValue: last) {
        case .simplex?, .testing?:
            let below = labels.dropLast().reversed()
            self.init(topLevel: last == "simplex" ? .simplex : .testing, domain: below.first ?? "", subdomains: Array(below.dropFirst()))
        // `.web` is a top level like any other.
        case .web?, nil: self.init(topLevel: .web, domain: labels.joined(separator: "."))
        }
    }
}

extension SimpleXDomain: StringCodable, WireCodable, CustomStringConvertible {
    /// Appends the whole name.
    public func encodeString(to writer: inout WireWriter) { writer.write(text: fullName) }

    /// Reads a name up to a space or the end, whatever its letters' case.
    public init(fromString parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        try self.init(labels: try parser.nameLabels(), at: start)
    }

    /// Appends the whole name, which nothing may follow.
    public func encode(to writer: inout WireWriter) { encodeString(to: &writer) }

    /// Reads a name; nothing may follow but what begins with a space.
    public init(from parser: inout WireParser) throws(WireError) { try self.init(fromString: &parser) }

    /// The whole name.
    public var description: String { fullName }
}

extension SimpleXDomain: Codable {
    private enum CodingKeys: String, CodingKey {
        case topLevel = "nameTLD"
        case domain
        case subdomains = "subDomain"
    }

    /// The parts in the JSON form, which need not be a valid name.
    private struct Parts: Decodable {
        let topLevel: TopLevel
        let domain: String
        let subdomains: [String]

        typealias CodingKeys = SimpleXDomain.CodingKeys
    }

    /// Decodes the JSON form, which must be that of a valid name.
    public init(from decoder: any Decoder) throws {
        let parts = try Parts(from: decoder)
        let written = SimpleXDomain(topLevel: parts.topLevel, domain: parts.domain, subdomains: parts.subdomains)
        guard let domain = try? SimpleXDomain(wireString: written.fullName), domain == written else {
            throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not a domain name"))
        }
        self = domain
    }
}

extension WireParser {
    /// Reads labels between dots, in lower case: letters and digits of ASCII, and single hyphens between them.
    ///
    /// Other scripts are refused: two names that look the same would be two names.
    mutating func nameLabels() throws(WireError) -> [String] {
        let start = offset
        let text = take { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        guard !text.isEmpty else { throw WireError(.truncated, "a name", at: start) }
        guard text.count <= SimpleXDomain.limit else { throw WireError(.tooLong, "a name of at most \(SimpleXDomain.limit) bytes", at: start) }
        var labels: [String] = []
        var label: Bytes = []
        func end(at place: Int) throws(WireError) {
            guard let last = label.last, last != UInt8(ascii: "-") else {
                throw WireError(.invalidValue, "a letter or a digit at the end of a part of the name", at: start + place)
            }
            guard label.count <= SimpleXDomain.labelLimit else {
                throw WireError(.tooLong, "at most \(SimpleXDomain.labelLimit) characters between dots", at: start + place)
            }
            labels += [String(decoding: label, as: UTF8.self)]
            label = []
        }
        for (place, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "."): try end(at: place)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): label += [byte]
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): label += [byte | 0x20]
            case UInt8(ascii: "-") where label.last.map { $0 != byte } ?? false: label += [byte]
            default: throw WireError(.invalidValue, "a name of ASCII letters, digits and single hyphens between them", at: start + place)
            }
        }
        try end(at: text.count)
        return labels
    }
}
