internal import Yams

/// Reads the keys of one YAML mapping strictly: every key must be asked for by the schema.
package struct MappingReader {
    package let reader: NodeReader
    private let entries: [(key: String, keyPosition: SourcePosition, value: Node)]

    init(reader: NodeReader, mapping: Node.Mapping) {
        self.reader = reader
        var entries: [(key: String, keyPosition: SourcePosition, value: Node)] = [], seen: [String: SourcePosition] = [:]
        for (key, value) in mapping {
            let position = NodeReader.position(of: key)
            if case .scalar(let scalar) = key {
                // The YAML library takes 1 and "1" for two keys.
                if let first = seen.updateValue(position, forKey: scalar.string) {
                    reader.report(.duplicateKey, "the same key occurs twice: \"\(scalar.string.cut)\"", hint: "keep one of them", at: first)
                }
                entries.append((scalar.string, position, value))
            } else {
                reader.report(.wrongType, "a key of \(reader.path) must be a word", at: position)
            }
        }
        self.entries = entries
    }

    var keys: [String] { entries.map(\.key) }
    var position: SourcePosition { reader.position }

    /// The fix for `-id: a`, which YAML reads as a key.
    static let dashHint = "put a space after the \"-\" of an element: \"- id: …\""

    /// Reports every key that is not one of `known`.
    package func refuseKeys(otherThan known: [String]) {
        for entry in entries where !known.contains(entry.key) {
            let subject = reader.path.isEmpty ? "this" : reader.path
            reader.report(.unknownKey, "\(subject) has no key \"\(entry.key.cut)\"", hint: Self.hint(for: entry.key, among: known), at: entry.keyPosition)
        }
    }

    private static func hint(for key: String, among known: [String]) -> String {
        if key.hasPrefix("-") { return dashHint }
        if key == "<<" { return "keys cannot be merged: write them out, or share a whole value by an alias" }
        // Editors and web pages put such spaces where lines are indented.
        if let space = key.unicodeScalars.first(where: { $0.properties.isWhitespace && $0.value > 0x7F }) {
            return "indent with ordinary spaces: the key begins with, or contains, U+\(String(space.value, radix: 16, uppercase: true))"
        }
        if let meant = Synonyms.of(key).first(where: known.contains) { return "did you mean \"\(meant)\"?" }
        return Spelling.hint(for: key, among: known)
    }

    /// True if a key is not in the schema: it may be a misspelling of a missing key.
    func hasUnknownKeys(_ schema: MappingSchema) -> Bool {
        let known = reader.sink.extensions.extended(schema).names
        return entries.contains { !known.contains($0.key) }
    }

    /// Reports every key that the schema does not have.
    func refuseKeys(otherThan schema: MappingSchema) { refuseKeys(otherThan: reader.sink.extensions.extended(schema).names) }

    /// The value of a key, or nil if it is not there.
    package func value(_ key: String) -> NodeReader? {
        entries.first { $0.key == key }.map { NodeReader(node: $0.value, sink: reader.sink, path: path(key)) }
    }

    /// The value of a key that must be there.
    package func required(_ key: String, hint: String? = nil) -> NodeReader? {
        if let value = value(key) { return value }
        reader.report(.missingKey, "\(reader.path) needs the key \"\(key)\"", hint: hint)
        return nil
    }

    func keyPosition(_ key: String) -> SourcePosition { entries.first { $0.key == key }?.keyPosition ?? position }

    /// Every key with its value, for mappings whose keys a person chooses.
    var all: [(key: String, position: SourcePosition, value: NodeReader)] {
        entries.map { ($0.key, $0.keyPosition, NodeReader(node: $0.value, sink: reader.sink, path: path($0.key))) }
    }

    private func path(_ key: String) -> String { reader.path.isEmpty || reader.path == "the file" ? key.cut : "\(reader.path).\(key.cut)" }
}
