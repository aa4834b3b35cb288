internal import Foundation

/// Finds out which keys and values a Swift type reads, for the JSON Schema: the type is decoded from placeholder values.
///
/// A parameter whose type checks its values while it decodes has no known shape: it is a value of any kind in the schema. The reader is not less strict
/// for it.
enum ParameterShape {
    /// Mappings within each other at the most.
    fileprivate static let maximumDepth = 6

    /// The shape of a type.
    static func of<Value: Decodable>(_ type: Value.Type) -> Shape { (try? probe(type, depth: 0).shape) ?? .anything }

    /// The words of an enum of strings; nil for other types.
    static func words<Value>(of type: Value.Type) -> [String]? {
        func all<Cases: CaseIterable>(_ type: Cases.Type) -> [String] { type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String } }
        guard type is any RawRepresentable.Type, let cases = type as? any CaseIterable.Type else { return nil }
        let words = all(cases)
        return words.isEmpty ? nil : words
    }

    fileprivate struct Unknown: Error {}

    fileprivate static func probe<Value: Decodable>(_ type: Value.Type, depth: Int) throws -> (value: Value, shape: Shape) {
        func known(_ value: Any?, _ shape: Shape) throws -> (value: Value, shape: Shape) {
            guard let value = value as? Value else { throw Unknown() }
            return (value, shape)
        }
        switch type {
        case is Template.Type: return try known(Template(text: ""), .text)
        case is Duration.Type: return try known(Duration.seconds(1), Schemas.span)
        case is RuleSecret.Type: return try known(RuleSecret(literal: ""), .object(Schemas.secret))
        case is URL.Type: return try known(URL(string: "https://example.org"), .text)
        default: break
        }
        if let words = words(of: type), let cases = type as? any CaseIterable.Type {
            func first<Cases: CaseIterable>(_ type: Cases.Type) -> Any? { type.allCases.first }
            return try known(first(cases), .words(words))
        }
        guard depth < maximumDepth else { throw Unknown() }
        let found = Found()
        let value = try Value(from: Probe(found: found, depth: depth))
        return (value, found.shape)
    }

    /// The finding about one type.
    fileprivate final class Found {
        var scalar: Shape?
        var element: Shape?
        var keys: [MappingSchema.Key] = []
        var optional: Set<String> = []
        /// True for a type whose keys a person chooses.
        var isKeyed = false
        var hasKeys = false

        var shape: Shape {
            if let scalar { return scalar }
            if let element { return .listOrOne(element) }
            if isKeyed { return .keyed(keys.first?.shape ?? .anything) }
            return hasKeys ? .object(MappingSchema("", keys)) : .anything
        }

        func add(_ name: String, _ shape: Shape) {
            guard !keys.contains(where: { $0.name == name }) else { return }
            keys.append(MappingSchema.Key(name: name, shape: shape, isRequired: !optional.contains(name), note: ""))
        }
    }
}

/// A decoder that returns a value for each request, and records the requests.
private struct Probe: Decoder {
    let found: ParameterShape.Found
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        found.hasKeys = true
        return KeyedDecodingContainer(KeyedProbe<Key>(found: found, depth: depth))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { ListedProbe(found: found, depth: depth) }
    func singleValueContainer() -> any SingleValueDecodingContainer { ScalarProbe(found: found, depth: depth) }
}

private struct KeyedProbe<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let found: ParameterShape.Found
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        found.isKeyed = true
        return Key(stringValue: "key").map { [$0] } ?? []
    }

    /// It is asked before a value that may be missing, and only then.
    func contains(_ key: Key) -> Bool {
        found.optional.insert(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let (value, shape) = try ParameterShape.probe(type, depth: depth + 1)
        found.add(key.stringValue, shape)
        return value
    }

    private func inner(_ key: Key) -> ParameterShape.Found {
        found.add(key.stringValue, .anything)
        return ParameterShape.Found()
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(KeyedProbe<Nested>(found: inner(key), depth: depth + 1))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { ListedProbe(found: inner(key), depth: depth + 1) }
    func superDecoder() -> any Decoder { Probe(found: found, depth: depth) }
    func superDecoder(forKey key: Key) -> any Decoder { Probe(found: inner(key), depth: depth + 1) }
}

private struct ListedProbe: UnkeyedDecodingContainer {
    let found: ParameterShape.Found
    let depth: Int
    var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { 1 }
    var isAtEnd: Bool { currentIndex > 0 }

    init(found: ParameterShape.Found, depth: Int) {
        self.found = found
        self.depth = depth
    }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // A type that reads several elements without asking for the end is no list of one kind.
        guard currentIndex == 0 else { throw ParameterShape.Unknown() }
        currentIndex += 1
        let (value, shape) = try ParameterShape.probe(type, depth: depth + 1)
        found.element = shape
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> { throw ParameterShape.Unknown() }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw ParameterShape.Unknown() }
    mutating func superDecoder() throws -> any Decoder { throw ParameterShape.Unknown() }
}

private struct ScalarProbe: SingleValueDecodingContainer {
    let found: ParameterShape.Found
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    private func noted<Value>(_ value: Value, _ shape: Shape) -> Value {
        found.scalar = shape
        return value
    }

    private func integer<Value: FixedWidthInteger>() -> Value {
        noted(0, .integer((Int(exactly: Value.min) ?? .min)...(Int(exactly: Value.max) ?? .max)))
    }

    func decodeNil() -> Bool { false }
    func decode(_ type: Bool.Type) -> Bool { noted(false, .bool) }
    func decode(_ type: String.Type) -> String { noted("", .text) }
    func decode(_ type: Double.Type) -> Double { noted(0, .number) }
    func decode(_ type: Float.Type) -> Float { noted(0, .number) }
    func decode(_ type: Int.Type) -> Int { integer() }
    func decode(_ type: Int8.Type) -> Int8 { integer() }
    func decode(_ type: Int16.Type) -> Int16 { integer() }
    func decode(_ type: Int32.Type) -> Int32 { integer() }
    func decode(_ type: Int64.Type) -> Int64 { integer() }
    func decode(_ type: UInt.Type) -> UInt { integer() }
    func decode(_ type: UInt8.Type) -> UInt8 { integer() }
    func decode(_ type: UInt16.Type) -> UInt16 { integer() }
    func decode(_ type: UInt32.Type) -> UInt32 { integer() }
    func decode(_ type: UInt64.Type) -> UInt64 { integer() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (value, shape) = try ParameterShape.probe(type, depth: depth + 1)
        return noted(value, shape)
    }
}
