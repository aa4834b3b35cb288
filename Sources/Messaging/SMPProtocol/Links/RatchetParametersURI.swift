package import SMPCrypto
package import SMPWire

/// The ratchet parameters that the creator of a one-time link offers: the keys of a key agreement (pqdr.md, "Initialization") and
/// the range of ratchet versions that they may be used at.
///
/// Textual form: `v=2-3&x3dh=<key>,<key>[&kem_key=<key>]`.
package struct RatchetParametersURI: WireCodable, StringCodable, Hashable, Sendable {
    /// From this version on a KEM can be part of the agreement.
    package static let kemVersion: UInt16 = 3

    package var versions: VersionRange
    package var key1: X448.PublicKey
    package var key2: X448.PublicKey
    /// The proposed encapsulation key; nil for an agreement that is not post-quantum.
    package var kemKey: SNTRUP761.PublicKey?

    package init(versions: VersionRange, key1: X448.PublicKey, key2: X448.PublicKey, kemKey: SNTRUP761.PublicKey?) {
        self.versions = versions
        self.key1 = key1
        self.key2 = key2
        self.kemKey = kemKey
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(versions)
        writer.write(key1)
        writer.write(key2)
        writer.write(optional: kemKey) { writer, key in
            writer.write(byte: UInt8(ascii: "P"))
            writer.write(key)
        }
    }

    package init(from parser: inout WireParser) throws(WireError) {
        versions = try parser.read()
        key1 = try parser.read()
        key2 = try parser.read()
        kemKey = try parser.optional { parser throws(WireError) in
            // `A`, an accepted KEM, answers a proposal; a link can only propose.
            try parser.expect(UInt8(ascii: "P"))
            return try parser.read()
        }
    }

    package func encodeString(to writer: inout WireWriter) {
        var query = QueryString()
        query.append("v", versions)
        query.append("x3dh", key1.wireString + "," + key2.wireString)
        if let kemKey, versions.max >= Self.kemVersion { query.append("kem_key", kemKey) }
        query.encode(to: &writer, escaping: false)
    }

    package init(fromString parser: inout WireParser) throws(WireError) {
        let start = parser.offset
        let query = QueryString(from: &parser)
        versions = try query.required("v")
        let keys = try query.value("x3dh") { parser throws(WireError) in try parser.stringList(of: X448.PublicKey.self) } ?? []
        guard keys.count == 2 else { throw WireError(.invalidValue, "two X448 keys in parameter x3dh", at: start) }
        key1 = keys[0]
        key2 = keys[1]
        guard versions.max >= Self.kemVersion else {
            kemKey = nil
            return
        }
        guard query.bytes("kem_ct") == nil else {
            throw WireError(.invalidValue, "a link proposes a KEM, it accepts none", at: start)
        }
        kemKey = try query.value("kem_key")
    }
}
