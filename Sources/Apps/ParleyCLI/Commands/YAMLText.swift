/// Texts as a YAML file that the program writes holds them.
enum YAMLText {
    /// A word without quotes, and any other text in quotes.
    static func scalar(_ text: String) -> String {
        let isWord = text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\/-]*/) != nil && text.lowercased() != "null"
        return isWord ? text : quoted(text)
    }

    /// A text in double quotes, whatever is in it. Characters that YAML does not take, or takes for the end of a line, are written by their numbers.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C: quoted += "\\\(scalar)"
            case 0x0A: quoted += "\\n"
            case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xFEFE, 0xFF00...0xFFFD, 0x10000...: quoted.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return quoted + "\""
    }
}
