public import SMPWire

/// A value with a JSON form that is part of the chat protocol.
///
/// Decoding reads `null` as absent, and encoding leaves out what is absent. Objects of peers that are stored or sent again are ``ExtensibleObject``: they
/// keep the members that this version does not know, and write them back. Other objects drop unknown members. Conforming types are also `Codable`, with
/// the same form, so that types of other modules can hold them.
public protocol JSONConvertible: Codable, Sendable {
    init(json: JSONValue) throws(JSONError)
    var json: JSONValue { get }
    /// Appends the text of ``json``. A type that is written often does so without making a tree of values.
    func write(to writer: inout JSONWriter)
}

extension JSONConvertible {
    /// Appends the JSON text.
    public func write(to writer: inout JSONWriter) { writer.write(json) }

    /// Reads JSON text.
    public init(parsing bytes: Bytes) throws(JSONError) { try self.init(json: JSONParser.parse(bytes)) }

    /// Reads JSON text.
    public init(parsing text: String) throws(JSONError) { try self.init(json: JSONParser.parse(text)) }

    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let json = try JSONValue(from: decoder)
        do {
            try self.init(json: json)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.description, underlyingError: error))
        }
    }

    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

extension JSONValue: JSONConvertible {
    /// Reads the JSON form.
    public init(json: JSONValue) { self = json }
    /// The JSON form.
    public var json: JSONValue { self }
    /// Appends the JSON text.
    public func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension String: JSONConvertible {
    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        guard let text = json.stringValue else { throw JSONError(.wrongType, "a string is expected, not \(json.kind)") }
        self = text
    }

    /// The JSON form.
    public var json: JSONValue { .string(self) }
    /// Appends the JSON text.
    public func write(to writer: inout JSONWriter) { writer.write(string: self) }
}

extension Bool: JSONConvertible {
    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        guard let flag = json.boolValue else { throw JSONError(.wrongType, "a boolean is expected, not \(json.kind)") }
        self = flag
    }

    /// The JSON form.
    public var json: JSONValue { .bool(self) }
}

extension FixedWidthInteger where Self: JSONConvertible {
    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        guard let number = json.numberValue else { throw JSONError(.wrongType, "a number is expected, not \(json.kind)") }
        guard let value = number.integer(Self.self) else {
            throw JSONError(.invalidValue, "a whole number of \(Self.bitWidth) bits is expected")
        }
        self = value
    }

    /// The JSON form.
    public var json: JSONValue { .int(self) }
    /// Appends the JSON text.
    public func write(to writer: inout JSONWriter) { writer.write(number: self) }
}

extension Int: JSONConvertible {}
extension Int64: JSONConvertible {}
extension UInt16: JSONConvertible {}

extension Array: JSONConvertible where Element: JSONConvertible {
    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        guard case .array(let elements) = json else { throw JSONError(.wrongType, "an array is expected, not \(json.kind)") }
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do { append(try Element(json: element)) } catch { throw error.under(String(index)) }
        }
    }

    /// The JSON form.
    public var json: JSONValue { .array(map { $0.json }) }
    /// Appends the JSON text.
    public func write(to writer: inout JSONWriter) { writer.write(elements: self) }
}
