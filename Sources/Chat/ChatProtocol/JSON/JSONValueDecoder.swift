/// A decoder over a parsed value.
struct JSONValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // What has a JSON form of its own needs no containers, and fails with its own error.
        if let type = type as? any JSONConvertible.Type {
            do {
                if let value = try type.init(json: value) as? Value { return value }
            } catch {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: codingPath, debugDescription: error.description, underlyingError: error))
            }
        }
        return try Value(from: self)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw mismatch([String: Any].self, "an object") }
        return KeyedDecodingContainer(Keyed<Key>(object: object, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([Any].self, "an array") }
        return Unkeyed(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "\(expected) is expected, not \(value.kind)"))
    }

    func string() throws -> String {
        guard case .string(let text) = value else { throw mismatch(String.self, "a string") }
        return text
    }

    func bool() throws -> Bool {
        guard case .bool(let flag) = value else { throw mismatch(Bool.self, "a boolean") }
        return flag
    }

    func number() throws -> JSONNumber {
        guard case .number(let number) = value else { throw mismatch(Double.self, "a number") }
        return number
    }

    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        guard let integer = try number().integer(type) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "a whole number of \(Integer.bitWidth) bits is expected"))
        }
        return integer
    }
}

extension JSONValueDecoder {
    struct Single: SingleValueDecodingContainer {
        let decoder: JSONValueDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { decoder.value.isNull }
        func decode(_ type: Bool.Type) throws -> Bool { try decoder.bool() }
        func decode(_ type: String.Type) throws -> String { try decoder.string() }
        func decode(_ type: Double.Type) throws -> Double { try decoder.number().double }
        func decode(_ type: Float.Type) throws -> Float { Float(try decoder.number().double) }
        func decode(_ type: Int.Type) throws -> Int { try decoder.integer(type) }
        func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(type) }
        func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(type) }
        func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(type) }
        func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(type) }
        func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(type) }
        func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(type) }
        func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(type) }
        func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(type) }
        func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(type) }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
    }

    struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let object: JSONObject
        let codingPath: [any CodingKey]

        var allKeys: [Key] { object.members.compactMap { Key(stringValue: $0.key) } }
        func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

        private func decoder(_ key: some CodingKey) throws -> JSONValueDecoder {
            guard let value = object[key.stringValue] else {
                throw DecodingError.keyNotFound(
                    key, .init(codingPath: codingPath, debugDescription: "\"\(key.stringValue)\" is missing"))
            }
            return JSONValueDecoder(value: value, codingPath: codingPath + [key])
        }

        func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).value.isNull }
        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).bool() }
        func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key).string() }
        func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).number().double }
        func decode(_ type: Float.Type, forKey key: Key) throws -> Float { Float(try decoder(key).number().double) }
        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key).integer(type) }
        func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder(key).integer(type) }
        func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder(key).integer(type) }
        func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder(key).integer(type) }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder(key).integer(type) }
        func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder(key).integer(type) }
        func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder(key).integer(type) }
        func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder(key).integer(type) }
        func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder(key).integer(type) }
        func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder(key).integer(type) }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try decoder(key).decode(type)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder(key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { try decoder(AnyCodingKey("super")) }
        func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
    }

    struct Unkeyed: UnkeyedDecodingContainer {
        let elements: [JSONValue]
        let codingPath: [any CodingKey]
        var currentIndex = 0

        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex >= elements.count }

        /// Runs `body` on the next element, and moves on only if it succeeds.
        private mutating func next<Value>(_ body: (JSONValueDecoder) throws -> Value) throws -> Value {
            let path = codingPath + [AnyCodingKey(index: currentIndex)]
            guard !isAtEnd else {
                throw DecodingError.valueNotFound(Value.self, .init(codingPath: path, debugDescription: "the array has ended"))
            }
            let value = try body(JSONValueDecoder(value: elements[currentIndex], codingPath: path))
            currentIndex += 1
            return value
        }

        mutating func decodeNil() throws -> Bool {
            guard !isAtEnd, elements[currentIndex].isNull else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.bool() } }
        mutating func decode(_ type: String.Type) throws -> String { try next { try $0.string() } }
        mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.number().double } }
        mutating func decode(_ type: Float.Type) throws -> Float { try next { Float(try $0.number().double) } }
        mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.integer(type) } }
        mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.integer(type) } }
        mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.integer(type) } }
        mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.integer(type) } }
        mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.integer(type) } }
        mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.integer(type) } }
        mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.integer(type) } }
        mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.integer(type) } }
        mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.integer(type) } }
        mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.integer(type) } }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.decode(type) } }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> { try next { try $0.container(keyedBy: type) } }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next { try $0.unkeyedContainer() } }
        mutating func superDecoder() throws -> any Decoder { try next { $0 } }
    }
}
