import ChatProtocol

/// A validator for the part of JSON Schema (draft 7) that the schema of bots.yaml uses.
///
/// A keyword that it does not know is a fault: the schema must not say what no test looks at.
struct JSONSchemaValidator {
    private let root: JSONValue

    init(_ root: JSONValue) { self.root = root }

    private static let annotations: Set<String> = ["$schema", "title", "description", "examples", "definitions"]

    /// The faults of a value, each with its path; empty for a value that the schema allows.
    func faults(of value: JSONValue) -> [String] { faults(of: value, root, at: "") }

    /// The faults of the value of one key.
    ///
    /// - Parameter definition: the mapping that has the key; `file` for the file itself.
    func faults(of value: JSONValue, forKey key: String, in definition: String) -> [String] {
        let mapping = definition == "file" ? root : root["definitions"]?[definition]
        guard let schema = mapping?["properties"]?[key] else { return ["\(definition) has no key \(key)"] }
        return faults(of: value, schema, at: "/\(key)")
    }

    private func faults(of value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
        guard let keywords = schema.objectValue else {
            return schema == .bool(true) ? [] : ["\(path): nothing is allowed"]
        }
        return keywords.members.flatMap { keyword in
            if Self.annotations.contains(keyword.key) { return [String]() }
            return faults(of: value, keyword.key, keyword.value, keywords, at: path)
        }
    }

    private func faults(of value: JSONValue, _ keyword: String, _ wanted: JSONValue, _ schema: JSONObject, at path: String) -> [String] {
        func fault(_ holds: Bool) -> [String] { holds ? [] : ["\(path): \(value.text.prefix(60)) is against \(keyword): \(wanted.text.prefix(120))"] }
        switch keyword {
        case "$ref":
            let name = wanted.stringValue?.split(separator: "/").last.map(String.init) ?? ""
            guard let definition = root["definitions"]?[name] else { return ["\(path): there is no definition \(wanted.text)"] }
            return faults(of: value, definition, at: path)
        case "type":
            let types = wanted.arrayValue?.compactMap(\.stringValue) ?? [wanted.stringValue ?? ""]
            return fault(types.contains { Self.isOfType(value, $0) })
        case "const": return fault(value == wanted)
        case "enum": return fault(wanted.arrayValue?.contains(value) == true)
        case "pattern":
            guard let text = value.stringValue else { return [] }
            guard let source = wanted.stringValue, let pattern = try? Regex(source) else { return ["\(path): bad pattern \(wanted.text)"] }
            return fault(text.firstMatch(of: pattern) != nil)
        case "minimum": return fault(value.intValue.map { $0 >= wanted.intValue ?? .max } ?? true)
        case "maximum": return fault(value.intValue.map { $0 <= wanted.intValue ?? .min } ?? true)
        case "maxLength": return fault(value.stringValue.map { Int64($0.unicodeScalars.count) <= wanted.intValue ?? 0 } ?? true)
        case "minProperties": return fault(value.objectValue.map { Int64($0.members.count) >= wanted.intValue ?? .max } ?? true)
        case "required":
            return (wanted.arrayValue ?? []).compactMap(\.stringValue).filter { value.objectValue != nil && value[$0] == nil }.map {
                "\(path): \($0) is missing"
            }
        case "properties":
            return (value.objectValue?.members ?? []).flatMap { member in
                wanted[member.key].map { faults(of: member.value, $0, at: "\(path)/\(member.key)") } ?? []
            }
        case "additionalProperties":
            let known = Set(schema["properties"]?.objectValue?.members.map(\.key) ?? [])
            return (value.objectValue?.members ?? []).filter { !known.contains($0.key) }.flatMap { faults(of: $0.value, wanted, at: "\(path)/\($0.key)") }
        case "items": return (value.arrayValue ?? []).enumerated().flatMap { faults(of: $1, wanted, at: "\(path)/\($0)") }
        case "allOf": return (wanted.arrayValue ?? []).flatMap { faults(of: value, $0, at: path) }
        case "anyOf":
            let all = (wanted.arrayValue ?? []).map { faults(of: value, $0, at: path) }
            return all.contains(where: \.isEmpty) ? [] : all.min { $0.count < $1.count } ?? fault(false)
        default: return ["\(path): the validator does not know \(keyword)"]
        }
    }

    private static func isOfType(_ value: JSONValue, _ type: String) -> Bool {
        switch type {
        case "object": value.objectValue != nil
        case "array": value.arrayValue != nil
        case "string": value.stringValue != nil
        case "boolean": value.boolValue != nil
        case "integer": value.intValue != nil
        case "number": value.numberValue != nil
        default: false
        }
    }
}
