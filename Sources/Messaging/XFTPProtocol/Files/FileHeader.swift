package import SMPWire

/// The first bytes of a file before it is encrypted: its name, and what later versions may add.
package struct FileHeader: WireCodable, Hashable, Sendable {
    /// Bytes of the longest encoding.
    static let maximumLength = 1 + 255 + 1 + 1 + 255

    package let name: String
    package let extra: String?

    /// The header of a file without a name.
    package static let unnamed = FileHeader(checked: "")

    private init(checked name: String) {
        self.name = name
        extra = nil
    }

    /// - Returns: nil if one of them has more than 255 bytes.
    package init?(name: String, extra: String? = nil) {
        guard name.utf8.count <= 255, (extra ?? "").utf8.count <= 255 else { return nil }
        self.name = name
        self.extra = extra
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(name)
        writer.write(optional: extra)
    }

    /// Bytes that are not UTF-8 are replaced: the name is shown, and not trusted.
    package init(from parser: inout WireParser) throws(WireError) {
        name = String(decoding: try parser.short(), as: UTF8.self)
        extra = try parser.optional(ShortBytes.self).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}
