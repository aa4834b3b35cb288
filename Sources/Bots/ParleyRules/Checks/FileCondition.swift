internal import Parley
internal import UnicodeText

/// The part of a condition that is about the file of a message.
public struct FileCondition: Sendable {
    /// Patterns of the name, without regard to case: `*` stands for any characters and `?` for one. Nil for any name.
    public let names: [String]?
    /// Bytes that the file must have at least.
    public let minimumSize: Int64?
    /// Bytes that the file may have at most.
    public let maximumSize: Int64?
    private let patterns: [TextPattern]
    /// Patterns of the media type, one of which must match; nil for any type.
    private let types: [TextPattern]?

    /// The longest pattern of a name, in bytes.
    private static let longestName = 100

    init?(_ reader: NodeReader) {
        if reader.text == "any" {
            (names, minimumSize, maximumSize, patterns, types) = (nil, nil, nil, [], nil)
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: FileCheck.mapping)
        let named = mapping.value("name")?.listOrOne()?.compactMap { item in Self.pattern(item).map { (item.text ?? "", $0) } }
        names = named.map { $0.map(\.0) }
        patterns = named?.map(\.1) ?? []
        types = mapping.value("type")?.listOrOne()?.compactMap(Self.mediaType)
        minimumSize = mapping.value("larger").flatMap(Self.size)
        maximumSize = mapping.value("smaller").flatMap(Self.size)
        if maximumSize == 0 { mapping.value("smaller")?.report(.badValue, "no file is smaller than 0 bytes", hint: "write a size: 10mb") }
        if let minimumSize, let maximumSize, minimumSize >= maximumSize {
            reader.report(.badValue, "no file is larger than \(minimumSize) bytes and smaller than \(maximumSize)")
        }
    }

    /// True if a file fits.
    func holds(for file: Attachment) -> Bool {
        let name = FileName.plain(file.name).folded
        if let minimumSize, file.size <= minimumSize { return false }
        if let maximumSize, file.size >= maximumSize { return false }
        if let types {
            let type = MediaType.type(of: name)
            guard types.contains(where: { $0.firstMatch(in: type) != nil }) else { return false }
        }
        return names == nil || patterns.contains { $0.matches(name) }
    }

    private static func mediaType(_ reader: NodeReader) -> TextPattern? {
        guard let text = reader.nonEmptyString() else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, !text.contains(where: \.isWhitespace) else {
            reader.report(.badValue, "\"\(text.prefix(40))\" is not a media type", hint: "write image/*, or application/pdf")
            return nil
        }
        guard let pattern = pattern(reader, isName: false) else { return nil }
        if !MediaType.hasOne(where: { pattern.firstMatch(in: $0) != nil }) {
            reader.warn(
                .unreachable, "no file name extension has the type \"\(text.cut)\": the condition never holds",
                hint: "types are such as image/*, audio/*, video/*, text/plain or application/pdf")
        }
        return pattern
    }

    private static func pattern(_ reader: NodeReader) -> TextPattern? { pattern(reader, isName: true) }

    private static func pattern(_ reader: NodeReader, isName: Bool) -> TextPattern? {
        guard let name = reader.nonEmptyString() else { return nil }
        if isName, name.contains("/") {
            reader.report(.badValue, "the name of a file has no \"/\"", hint: "write the name without folders, or type: image/* for a media type")
            return nil
        }
        guard name.utf8.count <= longestName else {
            reader.report(.badValue, "the pattern of a name has more than \(longestName) bytes")
            return nil
        }
        var source = "(?is)^"
        for character in FileName.plain(name).folded {
            switch character {
            case "*": source += ".*"
            case "?": source += "."
            default: source += literal(character)
            }
        }
        do {
            return try TextPattern(source + "$")
        } catch {
            reader.report(.badPattern, "bad pattern: \(error.reason)", hint: "a name with fewer \"*\" and \"?\"")
            return nil
        }
    }

    /// A pattern that matches the character and nothing else.
    private static func literal(_ character: Character) -> String {
        var pattern = ""
        for scalar in character.unicodeScalars {
            if scalar.isASCII, !scalar.properties.isAlphabetic, scalar.properties.numericType == nil, scalar != " " {
                // Always four characters: the longest name has to fit into a pattern.
                pattern += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            } else {
                pattern.unicodeScalars.append(scalar)
            }
        }
        return pattern
    }

    private static let units: KeyValuePairs<String, Int64> = ["kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "b": 1]

    static func size(_ reader: NodeReader) -> Int64? {
        guard let text = reader.string() else { return nil }
        let word = text.trimmed.lowercased()
        let unit = units.first { word.hasSuffix($0.key) }
        if let number = word.dropLast(unit?.key.count ?? 0).trimmed.digits(Int64.self) {
            let (size, overflow) = number.multipliedReportingOverflow(by: unit?.value ?? 1)
            if !overflow { return size }
        }
        reader.report(.badValue, "\(reader.path) cannot be \"\(text.cut)\"", hint: "a size is written 500kb, 10mb or 1gb")
        return nil
    }
}
