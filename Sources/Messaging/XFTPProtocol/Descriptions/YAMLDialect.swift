import SMPWire

/// The part of YAML that file descriptions are written in: block mappings, block sequences, and plain or quoted scalars on
/// one line. Comments and empty lines are passed over. Anchors, tags, flow collections and texts of many lines are refused, so that the work
/// is proportional to the length of what a stranger has written.
indirect enum YAMLNode {
    /// - Parameter isPlain: false if it is quoted, and so a text whatever it seems.
    case scalar(String, isPlain: Bool, line: Int)
    case mapping([(key: String, value: YAMLNode)], line: Int)
    case sequence([YAMLNode], line: Int)
    /// No value where one is allowed.
    case null(line: Int)

    /// Levels of collections inside each other.
    static let maximumDepth = 8

    var line: Int {
        switch self {
        case .scalar(_, _, let line), .mapping(_, let line), .sequence(_, let line), .null(let line): line
        }
    }

    /// - Throws: ``WireError`` `invalidValue`, with the offset of the line.
    init(parsing text: String) throws(WireError) {
        var reader = YAMLReader(text)
        guard let first = reader.next else { throw WireError(.truncated, "an empty description") }
        self = try reader.block(indent: first.indent, depth: 0)
        if let left = reader.next { throw reader.error("an unexpected line", left) }
    }
}

private struct YAMLReader {
    struct Line {
        var number: Int
        /// Bytes from the start of the text.
        var offset: Int
        var indent: Int
        var content: Substring
    }

    private var lines: [Line] = []
    private var position = 0

    init(_ text: String) {
        var offset = 0
        // A carriage return and a line feed are one character.
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }).enumerated() {
            let isLast = line.endIndex == text.endIndex
            defer { offset += line.utf8.count + (isLast ? 0 : text[line.endIndex].utf8.count) }
            var content = line
            let indent = content.prefix { $0 == " " }.count
            content = content.dropFirst(indent)
            while let last = content.last, last == " " || last == "\t" { content.removeLast() }
            if content.isEmpty || content.hasPrefix("#") || (index == 0 && content == "---") { continue }
            lines.append(Line(number: index + 1, offset: offset, indent: indent, content: content))
        }
    }

    var next: Line? { position < lines.count ? lines[position] : nil }

    func error(_ subject: String, _ line: Line) -> WireError { WireError(.invalidValue, "line \(line.number): \(subject)", at: line.offset) }

    /// Reads the collection or the scalar that begins at the next line.
    mutating func block(indent: Int, depth: Int) throws(WireError) -> YAMLNode {
        guard let first = next else { throw WireError(.truncated, "a value") }
        guard depth < YAMLNode.maximumDepth else { throw WireError(.tooLong, "line \(first.number): \(depth) collections inside each other", at: first.offset) }
        if Self.isItem(first.content) { return try sequence(indent: first.indent, depth: depth) }
        if try split(first) != nil { return try mapping(indent: first.indent, depth: depth) }
        position += 1
        return try scalar(first.content, first)
    }

    private static func isItem(_ content: Substring) -> Bool { content == "-" || content.hasPrefix("- ") }

    private mutating func sequence(indent: Int, depth: Int) throws(WireError) -> YAMLNode {
        var items: [YAMLNode] = []
        let number = next?.number ?? 0
        while let line = next, line.indent == indent, Self.isItem(line.content) {
            let rest = line.content.dropFirst(1)
            let spaces = rest.prefix { $0 == " " }.count
            let content = rest.dropFirst(spaces)
            if content.isEmpty {
                position += 1
                items.append(try nested(below: line, depth: depth))
            } else {
                // The text after the dash is the first line of the item, with the indentation of its column.
                lines[position] = Line(number: line.number, offset: line.offset, indent: indent + 1 + spaces, content: content)
                items.append(try block(indent: indent + 1 + spaces, depth: depth + 1))
            }
        }
        try refuseDeeper(than: indent)
        return .sequence(items, line: number)
    }

    private mutating func mapping(indent: Int, depth: Int) throws(WireError) -> YAMLNode {
        var members: [(key: String, value: YAMLNode)] = []
        let number = next?.number ?? 0
        while let line = next, line.indent == indent, !Self.isItem(line.content) {
            guard let (key, value) = try split(line) else { throw error("a key and a colon", line) }
            guard !members.contains(where: { $0.key == key }) else { throw error("\"\(key)\" occurs twice", line) }
            guard members.count < 64 else { throw error("more than 64 keys", line) }
            position += 1
            if value.isEmpty {
                // A sequence may have the indentation of its key.
                if let after = next, after.indent == indent, Self.isItem(after.content) {
                    members.append((key, try block(indent: indent, depth: depth + 1)))
                } else {
                    members.append((key, try nested(below: line, depth: depth)))
                }
            } else {
                members.append((key, try scalar(value, line)))
            }
        }
        try refuseDeeper(than: indent)
        return .mapping(members, line: number)
    }

    private mutating func nested(below line: Line, depth: Int) throws(WireError) -> YAMLNode {
        guard let after = next, after.indent > line.indent else { return .null(line: line.number) }
        return try block(indent: after.indent, depth: depth + 1)
    }

    private func refuseDeeper(than indent: Int) throws(WireError) {
        if let line = next, line.indent > indent { throw error("a line that is indented too far", line) }
    }

    /// The key and the value of a line of a mapping; nil for other lines.
    private func split(_ line: Line) throws(WireError) -> (key: String, value: Substring)? {
        let content = line.content
        if let quote = content.first, quote == "\"" || quote == "'" {
            guard let (text, rest) = try quoted(content, line) else { return nil }
            guard rest.hasPrefix(":"), rest.count == 1 || rest.dropFirst().hasPrefix(" ") else { return nil }
            return (text, rest.dropFirst().drop { $0 == " " })
        }
        var index = content.startIndex
        while let colon = content[index...].firstIndex(of: ":") {
            let after = content.index(after: colon)
            if after == content.endIndex || content[after] == " " {
                return (String(content[..<colon]), content[after...].drop { $0 == " " })
            }
            index = after
        }
        return nil
    }

    private func scalar(_ content: Substring, _ line: Line) throws(WireError) -> YAMLNode {
        if let (text, rest) = try quoted(content, line) {
            guard rest.isEmpty || rest.hasPrefix("#") else { throw error("something behind a quoted text", line) }
            return .scalar(text, isPlain: false, line: line.number)
        }
        if let first = content.first, "{}[],&*!|>%@`\"'?".contains(first) { throw error("a text on one line", line) }
        var text = content
        if let comment = zip(text.indices, text.indices.dropFirst()).first(where: { text[$0.0] == " " && text[$0.1] == "#" }) { text = text[..<comment.0] }
        while text.last == " " { text.removeLast() }
        return .scalar(String(text), isPlain: true, line: line.number)
    }

    /// A quoted text and what follows it; nil if the content is not quoted.
    private func quoted(_ content: Substring, _ line: Line) throws(WireError) -> (String, Substring)? {
        guard let quote = content.first, quote == "\"" || quote == "'" else { return nil }
        var text = ""
        var index = content.index(after: content.startIndex)
        while index < content.endIndex {
            let character = content[index]
            let after = content.index(after: index)
            if character == quote {
                if quote == "'", after < content.endIndex, content[after] == "'" {
                    text.append("'")
                    index = content.index(after: after)
                    continue
                }
                return (text, content[after...].drop { $0 == " " })
            }
            if quote == "\"", character == "\\" {
                guard after < content.endIndex, let plain = ["\"": "\"", "\\": "\\", "/": "/", "n": "\n", "t": "\t"][content[after]] else {
                    throw error("an escape that descriptions do not have", line)
                }
                text += plain
                index = content.index(after: after)
                continue
            }
            text.append(character)
            index = after
        }
        throw error("a quoted text that ends on its line", line)
    }
}
