public import SMPWire

/// Turns `Codable` values into JSON and back through ``JSONValue``: numbers and unknown parts are kept exactly, and no
/// Foundation class is involved.
public enum JSONCoding {
    /// Decodes a value from JSON text. Throws ``JSONError`` for text that is not JSON, `DecodingError` for the rest.
    public static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from bytes: Bytes) throws -> Value {
        try decode(type, from: JSONParser.parse(bytes))
    }

    /// Decodes a value from JSON.
    public static func decode<Value: Decodable>(_ type: Value.Type = Value.self, from json: JSONValue) throws -> Value {
        try JSONValueDecoder(value: json, codingPath: []).decode(type)
    }

    /// Encodes a value as JSON. Members have the order in which the type encodes them.
    public static func encode(_ value: some Encodable) throws -> JSONValue {
        try JSONValueEncoder.encode(value, codingPath: [])
    }

    /// Encodes a value as JSON text.
    public static func encodeBytes(_ value: some Encodable) throws -> Bytes { try encode(value).bytes() }
}
