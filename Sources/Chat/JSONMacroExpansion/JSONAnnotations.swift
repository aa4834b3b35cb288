/// The attributes of a field or form: `@JSONName`, `@JSONRequired`, `@JSONRepeated`, `@JSONSince`, `@JSONFlattened` and `@JSONPositional`.
struct JSONAnnotations {
    /// The name of the property or the tag of the case; nil for the usual one.
    private(set) var name: String?
    /// The names of associated values, by their labels.
    private(set) var values: [String: String] = [:]
    /// The labels of associated values that `@JSONRepeated` gives.
    private(set) var repeatedLabels: Set<String> = []
    private(set) var isRepeated = false
    private(set) var isRequired = false
    private(set) var isPositional = false
    private(set) var isFlattened = false
    /// The version of the API that has the member first, as it is written; nil for all.
    private(set) var since: String?

    init(_ attributes: [Declaration.Attribute]) throws(Misuse) {
        for attribute in attributes {
            switch attribute.name {
            case "JSONName": try readNames(attribute)
            case "JSONRequired": isRequired = true
            case "JSONPositional": isPositional = true
            case "JSONFlattened": isFlattened = true
            case "JSONSince": since = attribute.arguments.map(\.text).joined()
            case "JSONRepeated":
                isRepeated = true
                for token in attribute.arguments where token.text != "," { repeatedLabels.insert(try token.literal) }
            default: continue
            }
        }
    }

    /// Reads `"name"`, `["label": "name"]`, or both.
    private mutating func readNames(_ attribute: Declaration.Attribute) throws(Misuse) {
        guard !attribute.isShared else { throw Misuse(.nameOfSeveral, at: attribute.offset) }
        var isInDictionary = false
        var label: String?
        for token in attribute.arguments {
            switch token.text {
            case "[", "]": isInDictionary = token.text == "["
            case ",", ":": continue
            default:
                let text = try token.literal
                if !isInDictionary {
                    name = text
                } else if let last = label {
                    values[last] = text
                    label = nil
                } else {
                    label = text
                }
            }
        }
    }
}

extension SwiftToken {
    /// The text of a string literal in quotes.
    fileprivate var literal: String {
        get throws(Misuse) {
            guard kind == .string, text.hasPrefix("\""), !text.hasPrefix("\"\"\""), !text.contains("\\") else { throw Misuse(.notLiteral, at: offset) }
            return String(text.dropFirst().dropLast())
        }
    }
}
