/// An encoder that builds a value. Containers are classes because `Encoder` hands them out by reference.
final class JSONValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    private var storage = Storage.nothing

    private enum Storage {
        case nothing
        case value(JSONValue)
        case members(MemberStorage)
        case elements(ElementStorage)
    }

    init(codingPath: [any CodingKey]) { self.codingPath = codingPath }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func encode<Value: Encodable>(_ value: Value, codingPath: [any CodingKey]) throws -> JSONValue {
        if let value = value as? any JSONConvertible { return value.json }
        let encoder = JSONValueEncoder(codingPath: codingPath)
        try value.encode(to: encoder)
        return encoder.result
    }

    /// What was encoded; an empty object if nothing was.
    var result: JSONValue {
        switch storage {
        case .nothing: .object(JSONObject())
        case .value(let value): value
        case .members(let members): members.result
        case .elements(let elements): elements.result
        }
    }

    func set(_ value: JSONValue) { storage = .value(value) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let members: MemberStorage
        if case .members(let present) = storage { members = present } else { members = MemberStorage() }
        storage = .members(members)
        return KeyedEncodingContainer(Keyed<Key>(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let elements: ElementStorage
        if case .elements(let present) = storage { elements = present } else { elements = ElementStorage() }
        storage = .elements(elements)
        return Unkeyed(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    /// A finished value, or the encoder of a nested one, which is asked for its result at the end.
    enum Entry {
        case value(JSONValue)
        case nested(JSONValueEncoder)

        var result: JSONValue {
            switch self {
            case .value(let value): value
            case .nested(let encoder): encoder.result
            }
        }
    }

    /// The members written so far.
    final class MemberStorage {
        private var entries: [(key: String, entry: Entry)] = []
        func set(_ key: String, _ value: JSONValue) { entries.append((key, .value(value))) }
        func set(_ key: String, _ encoder: JSONValueEncoder) { entries.append((key, .nested(encoder))) }

        var result: JSONValue {
            // The last value of a name counts, as with other encoders.
            .object(JSONObject(JSONObject(entries.reversed().map { ($0.key, $0.entry.result) }).members.reversed()))
        }
    }

    /// The elements written so far.
    final class ElementStorage {
        private var entries: [Entry] = []
        var count: Int { entries.count }
        func add(_ value: JSONValue) { entries.append(.value(value)) }
        func add(_ encoder: JSONValueEncoder) { entries.append(.nested(encoder)) }
        var result: JSONValue { .array(entries.map(\.result)) }
    }
}

/// What the three kinds of containers share: how a primitive becomes JSON, and where it goes.
private func jsonNumber(_ value: Double, _ codingPath: [any CodingKey]) throws -> JSONValue {
    guard let number = JSONNumber(value) else {
        throw EncodingError.invalidValue(value, .init(codingPath: codingPath, debugDescription: "JSON has no such number"))
    }
    return .number(number)
}

extension JSONValueEncoder {
    struct Single: SingleValueEncodingContainer {
        let encoder: JSONValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        mutating func encodeNil() { encoder.set(.null) }
        mutating func encode(_ value: Bool) { encoder.set(.bool(value)) }
        mutating func encode(_ value: String) { encoder.set(.string(value)) }
        mutating func encode(_ value: Double) throws { encoder.set(try jsonNumber(value, codingPath)) }
        mutating func encode(_ value: Float) throws { encoder.set(try jsonNumber(Double(value), codingPath)) }
        mutating func encode(_ value: Int) { encoder.set(.int(value)) }
        mutating func encode(_ value: Int8) { encoder.set(.int(value)) }
        mutating func encode(_ value: Int16) { encoder.set(.int(value)) }
        mutating func encode(_ value: Int32) { encoder.set(.int(value)) }
        mutating func encode(_ value: Int64) { encoder.set(.int(value)) }
        mutating func encode(_ value: UInt) { encoder.set(.int(value)) }
        mutating func encode(_ value: UInt8) { encoder.set(.int(value)) }
        mutating func encode(_ value: UInt16) { encoder.set(.int(value)) }
        mutating func encode(_ value: UInt32) { encoder.set(.int(value)) }
        mutating func encode(_ value: UInt64) { encoder.set(.int(value)) }
        mutating func encode(_ value: some Encodable) throws {
            encoder.set(try JSONValueEncoder.encode(value, codingPath: codingPath))
        }
    }

    struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let members: MemberStorage
        let codingPath: [any CodingKey]

        mutating func encodeNil(forKey key: Key) { members.set(key.stringValue, .null) }
        mutating func encode(_ value: Bool, forKey key: Key) { members.set(key.stringValue, .bool(value)) }
        mutating func encode(_ value: String, forKey key: Key) { members.set(key.stringValue, .string(value)) }
        mutating func encode(_ value: Double, forKey key: Key) throws {
            members.set(key.stringValue, try jsonNumber(value, codingPath + [key]))
        }
        mutating func encode(_ value: Float, forKey key: Key) throws {
            members.set(key.stringValue, try jsonNumber(Double(value), codingPath + [key]))
        }
        mutating func encode(_ value: Int, forKey key: Key) { members.set(key.stringValue, .int(value)) }
        mutating func encode(_ value: Int8, forKey key: Key) { members.set(key.stringValue, .int(value)) }
        mutating func encode(_ value: Int16, forKey key: Key) { members.set(key.stringValue, .int(value)) }
        mutating func encode(_ value: Int32, forKey key: Key) { members.set(key.stringValue, .int(value)) }
        mutating func encode(_ value: Int64, forKey key: Key) { members.set(key.stringValue, .int(value)) }
        mutating func encode(_ value: UInt, forKey key: Key) { members.set(key.stringValue, .int(value)) }
        mutating func encode(_ value: UInt8, forKey key: Key) { members.set(key.stringValue, .int(value)) }
        mutating func encode(_ value: UInt16, forKey key: Key) { members.set(key.stringValue, .int(value)) }
        mutating func encode(_ value: UInt32, forKey key: Key) { members.set(key.stringValue, .int(value)) }
        mutating func encode(_ value: UInt64, forKey key: Key) { members.set(key.stringValue, .int(value)) }
        mutating func encode(_ value: some Encodable, forKey key: Key) throws {
            members.set(key.stringValue, try JSONValueEncoder.encode(value, codingPath: codingPath + [key]))
        }

        private func encoder(_ key: some CodingKey) -> JSONValueEncoder {
            let encoder = JSONValueEncoder(codingPath: codingPath + [key])
            members.set(key.stringValue, encoder)
            return encoder
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { encoder(key).container(keyedBy: type) }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder(key).unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder { encoder(AnyCodingKey("super")) }
        mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
    }

    struct Unkeyed: UnkeyedEncodingContainer {
        let elements: ElementStorage
        let codingPath: [any CodingKey]
        var count: Int { elements.count }
        private var path: [any CodingKey] { codingPath + [AnyCodingKey(index: count)] }

        init(elements: ElementStorage, codingPath: [any CodingKey]) {
            self.elements = elements
            self.codingPath = codingPath
        }

        mutating func encodeNil() { elements.add(.null) }
        mutating func encode(_ value: Bool) { elements.add(.bool(value)) }
        mutating func encode(_ value: String) { elements.add(.string(value)) }
        mutating func encode(_ value: Double) throws { elements.add(try jsonNumber(value, path)) }
        mutating func encode(_ value: Float) throws { elements.add(try jsonNumber(Double(value), path)) }
        mutating func encode(_ value: Int) { elements.add(.int(value)) }
        mutating func encode(_ value: Int8) { elements.add(.int(value)) }
        mutating func encode(_ value: Int16) { elements.add(.int(value)) }
        mutating func encode(_ value: Int32) { elements.add(.int(value)) }
        mutating func encode(_ value: Int64) { elements.add(.int(value)) }
        mutating func encode(_ value: UInt) { elements.add(.int(value)) }
        mutating func encode(_ value: UInt8) { elements.add(.int(value)) }
        mutating func encode(_ value: UInt16) { elements.add(.int(value)) }
        mutating func encode(_ value: UInt32) { elements.add(.int(value)) }
        mutating func encode(_ value: UInt64) { elements.add(.int(value)) }
        mutating func encode(_ value: some Encodable) throws {
            elements.add(try JSONValueEncoder.encode(value, codingPath: path))
        }

        private func encoder() -> JSONValueEncoder {
            let encoder = JSONValueEncoder(codingPath: path)
            elements.add(encoder)
            return encoder
        }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            encoder().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { encoder() }
    }
}
