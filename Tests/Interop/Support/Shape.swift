import ChatProtocol

/// What of an answer does not depend on who gives it and when: its members, the words that tell forms apart, and the types of the rest.
enum Shape {
    /// Where two answers are of different shape.
    static func differences(_ official: JSONValue, _ parley: JSONValue, at path: String = "") -> [String] {
        switch (official, parley) {
        case (.object(let official), .object(let parley)):
            let missing = official.keys.filter { parley[$0] == nil }.map { "\(path): Parley has no \($0)" }
            let added = parley.keys.filter { official[$0] == nil }.map { "\(path): only Parley has \($0)" }
            let tags = official["type"] == parley["type"] ? [] : ["\(path): \(parley["type"]?.text ?? "") instead of \(official["type"]?.text ?? "")"]
            guard tags.isEmpty else { return tags }
            return missing + added
                + official.members.flatMap { key, value in
                    parley[key].map { differences(value, $0, at: "\(path).\(key)") } ?? []
                }
        case (.array(let official), .array(let parley)):
            guard let one = official.first, let other = parley.first else { return [] }
            return differences(one, other, at: path + "[0]")
        default:
            return kind(official) == kind(parley) ? [] : ["\(path): \(parley.text.prefix(60)) instead of \(official.text.prefix(60))"]
        }
    }

    private static func kind(_ value: JSONValue) -> String {
        switch value {
        case .object: "object"
        case .array: "array"
        case .string: "string"
        case .number: "number"
        case .bool: "bool"
        case .null: "null"
        }
    }
}
