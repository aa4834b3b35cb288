/// The JSON of a router's reports: numbers, texts and lists.
package enum JSONText {
    package indirect enum Value {
        case number(Int64), text(String), flag(Bool), object([(String, Value)]), list([Value])

        package static func number(_ value: UInt64) -> Value { .number(Int64(clamping: value)) }
        package static func number(_ value: Int) -> Value { .number(Int64(value)) }
    }

    /// Writes an object as one line.
    package static func line(_ members: [(String, Value)]) -> String { text(.object(members)) }

    private static func text(_ value: Value) -> String {
        switch value {
        case .number(let number): String(number)
        case .text(let text): quoted(text)
        case .flag(let flag): flag ? "true" : "false"
        case .object(let members): "{" + members.map { "\(quoted($0.0)):\(text($0.1))" }.joined(separator: ",") + "}"
        case .list(let values): "[" + values.map(text).joined(separator: ",") + "]"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
