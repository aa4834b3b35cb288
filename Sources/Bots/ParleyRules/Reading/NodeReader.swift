internal import Yams

/// Collects the errors while a document is read, so that a person sees all of them at once.
final class DiagnosticSink {
    /// More faults than this are not collected: by then the file is something else.
    static let maximumCount = 50
    /// Nodes read at the most, so that aliases cannot unfold without bound.
    static let maximumNodes = 100_000

    private(set) var diagnostics: [Diagnostic] = []
    private(set) var warnings: [Diagnostic] = []
    private var nodes = 0
    /// The folder that paths in the document are relative to; nil for a document that is in none.
    let folder: String?

    /// The files that the document names and that are part of it, such as lists.
    private(set) var files: [String] = []
    /// The states of all files whose content is part of the document, by their paths.
    private(set) var readings: [String: FileReading] = [:]
    /// The lists of the document, by their keys.
    var lists: [String: ListSpec] = [:]
    /// The keys of lists that could not be read.
    var faultyLists: Set<String> = []

    /// The additions of the program to the format.
    let extensions: RuleExtensions
    /// The lines of the document; empty for one without a text.
    private let lines: [Substring]
    /// The names that the document uses for what other parts of it declare.
    private(set) var uses: [NameUse] = []

    init(folder: String? = nil, extensions: RuleExtensions = .none, source: String = "") {
        self.folder = folder
        self.extensions = extensions
        lines = source.isEmpty ? [] : source.sourceLines
    }

    func note(_ kind: NameUse.Kind, _ name: String, at position: SourcePosition, of profile: String? = nil) {
        uses.append(NameUse(kind: kind, name: name, position: position, profile: profile))
    }

    /// The rest of a line from a position on; nil for a line that is not there.
    func rest(from position: SourcePosition) -> Substring? {
        guard lines.indices.contains(position.line - 1) else { return nil }
        return Substring(lines[position.line - 1].unicodeScalars.dropFirst(position.column - 1))
    }

    /// Records the state in which a file was read; nil for a missing file.
    func note(_ reading: FileReading?, of path: String) { readings[path] = reading }

    func noteFile(_ path: String) { if !files.contains(path) { files.append(path) } }

    func add(_ diagnostic: Diagnostic) {
        if diagnostics.count < Self.maximumCount, !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
    }

    func warn(_ warning: Diagnostic) {
        if warnings.count < Self.maximumCount, !warnings.contains(warning) { warnings.append(warning) }
    }

    /// Counts a node; false once there are too many.
    func visit(_ position: SourcePosition) -> Bool {
        nodes += 1
        if nodes == Self.maximumNodes + 1 {
            add(Diagnostic(.tooLarge, at: position, "more than \(Self.maximumNodes) values: aliases unfold without end"))
        }
        return nodes <= Self.maximumNodes
    }
}

/// A name with which one part of a document means another.
struct NameUse {
    enum Kind {
        /// A chat that something is sent into.
        case chat
        /// A channel that is posted to.
        case channel
        /// A chat of another profile that something is sent into.
        case chatElsewhere
        case form, relay, profile, person
    }

    let kind: Kind
    let name: String
    let position: SourcePosition
    /// The other profile; nil if the name is one of the profile that uses it.
    var profile: String?
}

/// Reads one YAML node strictly: a wrong type is a diagnostic with its place, never a guess.
package struct NodeReader {
    let node: Node
    let sink: DiagnosticSink
    /// The path of the node, for messages: `profiles.echo.name`.
    let path: String

    var position: SourcePosition { Self.position(of: node) }

    static func position(of node: Node) -> SourcePosition {
        SourcePosition(line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
    }

    /// The place of a byte of the node's text, as near as the way it is written tells: exact for text on one line without
    /// escapes, else the start of the node.
    func position(ofByte offset: Int) -> SourcePosition {
        guard case .scalar(let scalar) = node else { return position }
        let quote: Int
        switch scalar.style {
        case .plain, .any: quote = 0
        case .singleQuoted where !scalar.string.contains("'"): quote = 1
        case .doubleQuoted where !scalar.string.contains(where: { $0 == "\\" || $0 == "\"" || $0.isNewline || $0 == "\t" }): quote = 1
        default: return position
        }
        let scalars = String(decoding: scalar.string.utf8.prefix(offset), as: UTF8.self).unicodeScalars.count
        return SourcePosition(line: position.line, column: position.column + quote + scalars)
    }

    package func report(_ code: Diagnostic.Code, _ message: String, hint: String? = nil, at place: SourcePosition? = nil) {
        sink.add(Diagnostic(code, at: place ?? position, message, hint: hint))
    }

    func warn(_ code: Diagnostic.Code, _ message: String, hint: String? = nil, at place: SourcePosition? = nil) {
        sink.warn(Diagnostic(code, at: place ?? position, message, hint: hint))
    }

    /// Warns of characters that nobody types and that double quotes make of `\b` and the like.
    func warnOfControlCharacters() {
        let controls = text?.unicodeScalars.first { $0.value < 0x20 && !["\n", "\t", "\r"].contains($0) }
        guard let control = controls else { return }
        let name = control == "\u{8}" ? "a backspace, which double quotes make of \\b" : "the control character \(String(control.value, radix: 16))"
        warn(.controlCharacter, "\(path) holds \(name)", hint: "use single quotes, or write the backslash twice")
    }

    /// A word for the type of the node, as a person would say it.
    var typeName: String {
        switch node {
        case .mapping: return "a mapping"
        case .sequence: return "a list"
        case .alias: return "an alias"
        case .scalar(let scalar):
            if node.null != nil, scalar.style == .plain || scalar.style == .any { return "nothing" }
            return "\"\(scalar.string.prefix(40))\""
        }
    }

    /// Text. Numbers, dates and truth values count as the text they are written with, so that nothing needs quotes to be
    /// a string.
    package func string() -> String? {
        guard sink.visit(position) else { return nil }
        guard case .scalar(let scalar) = node, !isNull else {
            let isSeveral = if case .sequence = node { path.hasSuffix("pattern") || path.hasSuffix("name") } else { false }
            let several = isSeveral ? "for one of several, write any: and a list of mappings, or join patterns with |" : nil
            report(.wrongType, "\(path) must be text, not \(typeName)", hint: isUnquotedTemplate ? YAMLDocument.bracesHint : several)
            return nil
        }
        return scalar.string
    }

    /// Text with at least one character that is not white space.
    package func nonEmptyString() -> String? {
        guard let text = string() else { return nil }
        guard text.contains(where: { !$0.isWhitespace }) else {
            report(.badValue, "\(path) must not be empty")
            return nil
        }
        return text
    }

    package func bool() -> Bool? {
        guard sink.visit(position) else { return nil }
        switch node.scalar?.string {
        case "true": return true
        case "false": return false
        default:
            let word = node.scalar?.string.lowercased() ?? ""
            let isKnown = word == "true" || word == "false"
            report(.wrongType, "\(path) must be true or false, not \(typeName)", hint: isKnown ? "write \(word), in small letters" : nil)
            return nil
        }
    }

    package func integer(in range: ClosedRange<Int>) -> Int? {
        guard sink.visit(position) else { return nil }
        guard case .scalar(let scalar) = node, let value = Int(scalar.string) else {
            report(.wrongType, "\(path) must be a whole number, not \(typeName)")
            return nil
        }
        guard range.contains(value) else {
            report(.badValue, "\(path) must be from \(range.lowerBound) to \(range.upperBound), not \(value)")
            return nil
        }
        return value
    }

    /// One of a fixed set of words.
    package func word<Value>(of words: KeyValuePairs<String, Value>) -> Value? {
        guard let text = string() else { return nil }
        if let value = words.first(where: { $0.key == text })?.value { return value }
        report(.badValue, "\(path) cannot be \"\(text.cut)\"", hint: Spelling.hint(for: text, among: words.map(\.key)))
        return nil
    }

    /// One of some words.
    func word(of words: [String]) -> String? {
        guard let text = string() else { return nil }
        if words.contains(text) { return text }
        report(.badValue, "\(path) cannot be \"\(text.cut)\"", hint: Spelling.hint(for: text, among: words))
        return nil
    }

    /// The elements of a list that must not be empty.
    func list() -> [NodeReader]? {
        guard sink.visit(position) else { return nil }
        guard case .sequence(let sequence) = node else {
            let isWithoutSpaces = keys?.contains { $0.hasPrefix("-") } == true
            report(.wrongType, "\(path) must be a list, not \(typeName)", hint: isWithoutSpaces ? MappingReader.dashHint : nil)
            return nil
        }
        guard !sequence.isEmpty else {
            report(.badValue, "\(path) must not be empty")
            return nil
        }
        return sequence.enumerated().map { NodeReader(node: $1, sink: sink, path: "\(path)[\($0)]") }
    }

    /// The elements of a list, or the node itself when it is not a list.
    /// - Parameter allowsRepeats: False to warn of a text that is there twice.
    package func listOrOne(allowsRepeats: Bool = false) -> [NodeReader]? {
        guard case .sequence = node else { return [self] }
        let items = list()
        if !allowsRepeats { items?.warnOfRepeats() }
        return items
    }

    package func mapping() -> MappingReader? {
        guard sink.visit(position) else { return nil }
        guard case .mapping(let mapping) = node else {
            report(.wrongType, "\(path) must be a mapping of keys to values, not \(typeName)")
            return nil
        }
        return MappingReader(reader: self, mapping: mapping)
    }

    /// The text of a scalar, without a check.
    package var text: String? { node.scalar?.string }

    /// True for a list without elements.
    var isEmptyList: Bool {
        guard case .sequence(let sequence) = node else { return false }
        return sequence.isEmpty
    }

    /// The keys of a mapping, without a check; nil for anything else.
    var keys: [String]? {
        guard case .mapping(let mapping) = node else { return nil }
        return mapping.keys.compactMap { $0.scalar?.string }
    }

    /// True for what YAML makes of a template without quotes, `{name}` or `{{ name }}`: keys without values.
    private var isUnquotedTemplate: Bool {
        guard case .mapping(let mapping) = node, !mapping.isEmpty else { return false }
        return mapping.allSatisfy { NodeReader(node: $0.value, sink: sink, path: path).isNull }
    }

    /// The ids of the mappings of a list, without a check.
    var ids: [String] {
        guard case .sequence(let sequence) = node else { return [] }
        return sequence.compactMap { $0.mapping?.first { $0.key.scalar?.string == "id" }?.value.scalar?.string }
    }

    var isNull: Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }
}
