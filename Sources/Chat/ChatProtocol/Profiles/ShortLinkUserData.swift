public import SMPWire

/// The user data of short links: the JSON of ``ContactShortLinkData``, ``GroupShortLinkData``, ``RelayShortLinkData`` or
/// ``RelayAddressLinkData``, behind an `X` and compressed if it is long.
public enum ShortLinkUserData {
    /// Encodes user data. JSON above ``ChatLimits/uncompressedLinkData`` bytes is compressed.
    public static func encode(_ value: some JSONConvertible) throws(ChatProtocolError) -> Bytes {
        let json = value.json.bytes()
        guard json.count > ChatLimits.uncompressedLinkData else { return json }
        return [UInt8(ascii: "X")] + (try Zstandard.compress(json))
    }

    /// Decodes user data.
    ///
    /// - Throws: `emptyBody`, `malformedCompression`, `malformedJSON`, or `tooLarge` for what would be above
    ///   ``ChatLimits/decompressedLinkData`` bytes.
    public static func decode<Value: JSONConvertible>(
        _ type: Value.Type = Value.self, from data: Bytes
    ) throws(ChatProtocolError) -> Value {
        guard let first = data.first else { throw ChatProtocolError(.emptyBody, "a short link without user data") }
        var json = data
        if first == UInt8(ascii: "X") {
            json = try Zstandard.decompress(Bytes(data.dropFirst()), limit: ChatLimits.decompressedLinkData)
        }
        do {
            return try Value(parsing: json)
        } catch {
            throw ChatProtocolError(.malformedJSON, "the user data of a short link", cause: error)
        }
    }
}
