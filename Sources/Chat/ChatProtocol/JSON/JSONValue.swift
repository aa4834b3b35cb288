/// A JSON value as it was received: numbers keep their text and objects the order of their members, so that what we do not
/// understand can be stored and sent on unchanged.
///
/// Two values are equal when they mean the same: the order of members and the spelling of numbers do not matter. Texts are
/// compared by their Unicode scalars, not by canonical equivalence, because that is what the other side compares.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// An integer.
    public static func int(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(value)) }

    /// True if it is null.
    public var isNull: Bool { if case .null = self { true } else { false } }
    /// The boolean; nil for other values.
    public var boolValue: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    /// The string; nil for other values.
    public var stringValue: String? { if case .string(let text) = self { text } else { nil } }
    /// The number; nil for other values.
    public var numberValue: JSONNumber? { if case .number(let number) = self { number } else { nil } }
    /// The number if it is whole and fits, however it is spelled (`3`, `3.0`, `3e0`).
    public var intValue: Int64? { numberValue?.integer() }
    /// The elements, nil if it is no array.
    public var arrayValue: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    /// The members, nil if it is no object.
    public var objectValue: JSONObject? { if case .object(let members) = self { members } else { nil } }

    /// The member of that name; nil if there is none or the value is not an object.
    public subscript(_ key: String) -> JSONValue? { objectValue?[key] }

    /// The element at that index; nil if there is none or the value is not an array.
    public subscript(_ index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The kind of value, for error messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue: Hashable {
    /// Compares two values.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameScalars(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Feeds the value to a hasher.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let flag): hasher.combine(flag)
        case .number(let number): hasher.combine(number)
        case .string(let text): text.hashScalars(into: &hasher)
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates the value of a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates the value of a literal.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Creates the value of a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates the value of a literal.
    public init(nilLiteral: ()) { self = .null }
    /// Creates the value of a literal.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates the value of a literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}

extension JSONValue: CustomStringConvertible {
    /// The JSON text.
    public var description: String { text }
}

extension String {
    /// Equality of Unicode scalars; `==` would also hold for different spellings of the same characters.
    func hasSameScalars(as other: String) -> Bool {
        // Most names differ in their length, which is at hand.
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    func hashScalars(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }

    /// Order of Unicode scalars, which for UTF-8 is the order of the bytes.
    func scalarsPrecede(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
