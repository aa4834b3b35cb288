internal import Foundation
internal import Yams

/// A value that was refused, and whose error has been reported with its position.
struct ReportedFault: Error {}

/// Decodes a Swift type from YAML as strictly as the format itself is read: each error has its position.
struct ParameterDecoder: Decoder {
    let reader: NodeReader
    /// The values that templates can name; nil where templates are not allowed.
    let templates: TemplateScope?
    let keys: AskedKeys
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The mappings of a value with the keys that the type asked for.
    final class AskedKeys {
        private(set) var mappings: [(mapping: MappingReader, keys: KeySet)] = []

        final class KeySet { var names: [String] = [] }

        func add(_ mapping: MappingReader) -> KeySet {
            let keys = KeySet()
            mappings.append((mapping, keys))
            return keys
        }

        /// Reports keys that nobody asked for.
        func refuseOthers() { for (mapping, keys) in mappings { mapping.refuseKeys(otherThan: keys.names) } }
    }

    /// Reads a value; nil if an error was reported.
    ///
    /// - Parameter shape: the keys of the type, as far as they are known before it is read.
    static func read<Value: Decodable>(_ type: Value.Type, _ reader: NodeReader, shape: Shape, templates: TemplateScope?) -> Value? {
        let keys = AskedKeys()
        do {
            let value = try decode(type, reader, templates: templates, keys: keys, path: [])
            keys.refuseOthers()
            return value
        } catch {
            // A key that is misspelt is missing, too: both are said.
            if case .object(let schema) = shape, reader.keys != nil { reader.mapping()?.refuseKeys(otherThan: schema) }
            return nil
        }
    }

    /// - Throws: ``ReportedFault``.
    static func decode<Value: Decodable>(
        _ type: Value.Type, _ reader: NodeReader, templates: TemplateScope?, keys: AskedKeys, path: [any CodingKey]
    ) throws(ReportedFault) -> Value {
        if let special = try special(type, reader, templates) { return special }
        if let words = ParameterShape.words(of: type), let text = reader.text, !words.contains(text) {
            reader.report(.badValue, "\(reader.path) cannot be \"\(text.prefix(40))\"", hint: Spelling.hint(for: text, among: words))
            throw ReportedFault()
        }
        do {
            return try Value(from: ParameterDecoder(reader: reader, templates: templates, keys: keys, codingPath: path))
        } catch let fault as ReportedFault {
            throw fault
        } catch let DecodingError.dataCorrupted(context) {
            reader.report(.badValue, "\(reader.path): \(context.debugDescription)")
        } catch {
            reader.reportRefused(error)
        }
        throw ReportedFault()
    }

    /// Types whose texts have a form of their own; nil for other types.
    private static func special<Value>(_ type: Value.Type, _ reader: NodeReader, _ templates: TemplateScope?) throws(ReportedFault) -> Value? {
        let value: Any?
        switch type {
        case is Template.Type:
            guard let templates else {
                reader.report(.badTemplate, "\(reader.path) cannot be a template: there is no event yet")
                throw ReportedFault()
            }
            value = Template(reader, templates)
        case is Duration.Type: value = TimeSpan.read(reader).map { Duration.seconds($0) }
        case is RuleSecret.Type: value = RuleSecret(reader)
        case is URL.Type:
            let text = reader.nonEmptyString()
            value = text.flatMap { URL(string: $0) }
            if value == nil, let text { reader.report(.badValue, "\(reader.path): \"\(text.prefix(60))\" is not a URL") }
        default: return nil
        }
        guard let typed = value as? Value else { throw ReportedFault() }
        return typed
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let mapping = reader.mapping() else { throw ReportedFault() }
        return KeyedDecodingContainer(KeyedParameters<Key>(decoder: self, mapping: mapping, asked: keys.add(mapping)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let items = reader.listOrOne(allowsRepeats: true) else { throw ReportedFault() }
        return ListedParameters(decoder: self, items: items)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { ScalarParameter(decoder: self) }

    fileprivate func at(_ reader: NodeReader, _ key: (any CodingKey)?) -> ParameterDecoder {
        ParameterDecoder(reader: reader, templates: templates, keys: keys, codingPath: codingPath + (key.map { [$0] } ?? []))
    }

    fileprivate func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Self.decode(type, reader, templates: templates, keys: keys, path: codingPath)
    }
}

/// The properties of a type as keys of a mapping.
private struct KeyedParameters<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ParameterDecoder
    let mapping: MappingReader
    let asked: ParameterDecoder.AskedKeys.KeySet
    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        asked.names += mapping.keys
        return mapping.keys.compactMap { Key(stringValue: $0) }
    }

    private func value(_ key: Key) throws -> ParameterDecoder {
        asked.names.append(key.stringValue)
        guard let reader = mapping.value(key.stringValue) else {
            mapping.reader.report(.missingKey, "\(mapping.reader.path) needs the key \"\(key.stringValue)\"")
            throw ReportedFault()
        }
        return decoder.at(reader, key)
    }

    func contains(_ key: Key) -> Bool {
        asked.names.append(key.stringValue)
        return mapping.value(key.stringValue) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key).reader.isNull }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try value(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        try value(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try value(key).unkeyedContainer() }
    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try value(key) }
}

/// The elements of a list.
private struct ListedParameters: UnkeyedDecodingContainer {
    let decoder: ParameterDecoder
    let items: [NodeReader]
    var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex >= items.count }

    init(decoder: ParameterDecoder, items: [NodeReader]) {
        self.decoder = decoder
        self.items = items
    }

    private mutating func next() throws -> ParameterDecoder {
        guard !isAtEnd else {
            decoder.reader.report(.badValue, "\(decoder.reader.path) has \(items.count) elements, and more are needed")
            throw ReportedFault()
        }
        defer { currentIndex += 1 }
        return decoder.at(items[currentIndex], nil)
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, items[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }
}

/// One scalar.
private struct ScalarParameter: SingleValueDecodingContainer {
    let decoder: ParameterDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }
    private var reader: NodeReader { decoder.reader }

    init(decoder: ParameterDecoder) { self.decoder = decoder }

    private func read<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw ReportedFault() }
        return value
    }

    private func integer<Value: FixedWidthInteger>() throws -> Value {
        let range = (Int(exactly: Value.min) ?? .min)...(Int(exactly: Value.max) ?? .max)
        return try Value(exactly: read(reader.integer(in: range))) ?? 0
    }

    func decodeNil() -> Bool { reader.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try read(reader.bool()) }
    func decode(_ type: String.Type) throws -> String { try read(reader.string()) }
    func decode(_ type: Double.Type) throws -> Double { try read(reader.number()) }
    func decode(_ type: Float.Type) throws -> Float { try Float(read(reader.number())) }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
}

extension NodeReader {
    /// A finite number.
    func number() -> Double? {
        guard let text = string() else { return nil }
        if let value = Double(text), value.isFinite { return value }
        report(.wrongType, "\(path) must be a number, not \(typeName)")
        return nil
    }

    /// The value in one form, whatever lines and quotes it is written with.
    var canonicalText: String {
        func text(_ node: Node) -> String {
            switch node {
            case .scalar(let scalar): "\(scalar.string.debugDescription)"
            case .sequence(let items): "[" + items.map(text).joined(separator: ",") + "]"
            case .mapping(let mapping): "{" + mapping.map { "\(text($0.key)):\(text($0.value))" }.sorted().joined(separator: ",") + "}"
            case .alias: "*"
            }
        }
        return text(node)
    }
}
