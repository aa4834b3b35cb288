@testable import ParleyRules

/// A place in a file where the keys of a mapping stand, and what has to stand beside them so that they are read.
struct SchemaHole {
    let schema: MappingSchema
    private let text: String

    /// The holes of all mappings.
    static let all = SchemaTests.holes.compactMap { name, text in
        Schemas.all.first { $0.name == name }.map { SchemaHole(schema: $0, text: text) }
    }

    /// Keys without which a mapping is not read to its end.
    private static let companions = [
        "metrics": "port: 1", "receive-files": "up-to: 1mb", "joiner": "then: accept", "rule": "when: { message: any }, then: { send: x }",
    ]

    /// The file with a key and its value, and the columns of the value; nil for a key that stands beside the hole already.
    func file(_ key: String, _ value: String) -> (source: String, columns: Range<Int>)? {
        let filled = [companion(of: key), "\(key): "].compactMap(\.self).joined(separator: ", ")
        guard let hole = text.firstRange(of: "HOLE"), !text.contains("\(key): ") || text[..<hole.lowerBound].contains("\(key): {") else { return nil }
        // Not those of `send-file`, which are alternatives to the file that stands there.
        if text.contains("file: x, HOLE"), RuleFile.keys.contains(key) { return nil }
        let before = "{ " + text[..<hole.lowerBound] + filled
        let start = before.unicodeScalars.count + 1
        return (before + value + text[hole.upperBound...] + " }", start..<start + max(1, value.unicodeScalars.count))
    }

    private func companion(of key: String) -> String? {
        switch schema.name {
        case "when": key == "message" || RuleEvent(rawValue: key) != nil ? nil : "message: any"
        case "test", "step": RuleScenario.events.contains { $0.key == key } || key == "steps" ? nil : "say: x"
        case "list": key == "kind" || key == "normalize" ? "words: x" : nil
        default: Self.companions[schema.name].flatMap { $0.contains("\(key): ") ? nil : $0 }
        }
    }
}
