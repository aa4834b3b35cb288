package import ChatProtocol

/// The JSON Schema (draft 7) of a bots.yaml, made of what its reader accepts: for completion and hints in editors.
public enum BotsSchema {
    /// The line at the top of a file that tells editors where its schema is.
    public static func header(path: String) -> String { "# yaml-language-server: $schema=\(path)" }

    /// The schema as a text, with a line feed at the end.
    public static var text: String { text(with: .none) }

    /// The schema with the additions of a program to the format, as a text with a line feed at the end.
    public static func text(with extensions: RuleExtensions) -> String { indented(json(with: extensions), depth: 0) + "\n" }

    /// The schema.
    package static var json: JSONValue { json(with: .none) }

    /// The schema with the additions of a program to the format.
    package static func json(with extensions: RuleExtensions) -> JSONValue {
        let definitions = Schemas.all.dropFirst().map { ($0.name, extensions.extended($0).json) }
        let file = Schemas.file
        return object([
            ("$schema", "http://json-schema.org/draft-07/schema#"), ("title", "bots.yaml of Parley"), ("type", "object"), ("properties", file.properties),
            ("required", file.required), ("additionalProperties", false), ("definitions", object(definitions)),
        ])
    }

    fileprivate static func object(_ members: [(String, JSONValue)]) -> JSONValue { .object(JSONObject(members)) }

    private static func indented(_ value: JSONValue, depth: Int) -> String {
        let inner = String(repeating: "  ", count: depth + 1), outer = String(repeating: "  ", count: depth)
        if case .object(let object) = value, !object.members.isEmpty {
            let members = object.members.map { "\(inner)\(JSONValue.string($0.key).text): \(indented($0.value, depth: depth + 1))" }
            return "{\n" + members.joined(separator: ",\n") + "\n\(outer)}"
        }
        if case .array(let elements) = value, elements.contains(where: { $0.objectValue != nil }) {
            return "[\n" + elements.map { inner + indented($0, depth: depth + 1) }.joined(separator: ",\n") + "\n\(outer)]"
        }
        return value.text
    }
}

extension MappingSchema {
    fileprivate var properties: JSONValue {
        BotsSchema.object(
            keys.map { key in
                guard case .mapping = key.shape else {
                    let note: [(String, JSONValue)] = key.note.isEmpty ? [] : [("description", .string(key.note))]
                    return (key.name, BotsSchema.object(key.shape.members + note))
                }
                // Draft 7 ignores the other keys next to a reference.
                return (key.name, BotsSchema.object([("allOf", .array([key.shape.json])), ("description", .string(key.note))]))
            })
    }

    fileprivate var required: JSONValue { .array(keys.filter(\.isRequired).map { .string($0.name) }) }

    fileprivate var json: JSONValue { BotsSchema.object(members) }

    fileprivate var members: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [("type", "object"), ("properties", properties)]
        if keys.contains(where: \.isRequired) { members.append(("required", required)) }
        members.append(("additionalProperties", false))
        return members
    }
}

extension Shape {
    fileprivate var json: JSONValue { BotsSchema.object(members) }

    fileprivate var members: [(String, JSONValue)] {
        switch self {
        case .text: [("type", ["string", "number", "boolean"])]
        case .shortText(let limit): [("type", ["string", "number", "boolean"]), ("maxLength", .int(limit))]
        case .bool: [("type", "boolean")]
        case .number: [("type", "number")]
        case .yes: [("const", true)]
        case .integer(let range): [("type", "integer"), ("minimum", .int(range.lowerBound)), ("maximum", .int(range.upperBound))]
        case .words(let words): [("enum", .array(words.map { .string($0) }))]
        case .form(let pattern, let example): [("type", "string"), ("pattern", .string(pattern)), ("examples", [.string(example)])]
        case .mapping(let name): [("$ref", .string("#/definitions/\(name)"))]
        case .keyed(let shape): [("type", "object"), ("additionalProperties", shape.json), ("minProperties", 1)]
        case .list(let shape): [("type", "array"), ("items", shape.json)]
        case .listOrOne(let shape): [("anyOf", .array([shape.json, Shape.list(shape).json]))]
        case .anyOf(let shapes): [("anyOf", .array(shapes.map(\.json)))]
        case .object(let mapping): mapping.members
        case .anything: []
        }
    }
}
