/// A place in a file, as editors count: lines and columns from 1, columns in Unicode scalars.
public struct SourcePosition: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int

    /// Creates a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// A textual form, for messages and logs.
    public var description: String { "\(line):\(column)" }

    /// Orders two values.
    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// One error in a file, with its position and its fix.
public struct Diagnostic: Sendable, Hashable {
    /// The kind of fault. Stable, so that scripts and documentation can refer to it.
    public enum Code: String, Sendable, Hashable {
        case syntax = "yaml-syntax"
        case duplicateKey = "duplicate-key"
        case unknownKey = "unknown-key"
        case missingKey = "missing-key"
        case wrongType = "wrong-type"
        case badValue = "bad-value"
        case badPattern = "bad-pattern"
        case badTemplate = "bad-template"
        case tooLarge = "too-large"
        case unreadable = "unreadable"
        /// A rule that never applies.
        case unreachable = "unreachable"
        /// A character that is probably a mistake.
        case controlCharacter = "control-character"
        /// A text that YAML ends where a comment begins.
        case comment = "comment"
        /// Quotes that are part of the text.
        case quotes = "quotes"
        /// A tag of YAML, which would be left out of a text.
        case tag
        /// An anchor of YAML that nothing names, which is left out of a text.
        case anchor
        /// Braces that fill nothing in.
        case braces = "braces"
        /// A pattern that matches less than it seems to.
        case pattern = "pattern"
        /// An entry of a list file that has more signs than its words.
        case listEntry = "list-entry"
        /// A name under which something is sent, and which anybody can take: neither a declared group or channel nor a trusted contact.
        case unknownChat = "unknown-chat"
        /// A name that gives a right and that a stranger can take.
        case uncertainName = "uncertain-name"
    }

    /// The stable code.
    public let code: Code
    /// The position in the file.
    public let position: SourcePosition
    /// A description of the error.
    public let message: String
    /// The fix, if it is known: the nearest valid word, or the expected value.
    public let hint: String?

    /// Creates an error.
    public init(_ code: Code, at position: SourcePosition, _ message: String, hint: String? = nil) {
        self.code = code
        self.position = position
        self.message = message
        self.hint = hint
    }
}

/// Everything that is wrong in one file. Nothing starts from a file that has an error.
public struct BotsFileError: Error, Sendable, CustomStringConvertible {
    /// The path of the file.
    public let file: String
    /// The diagnostics, in the order of their positions.
    public let diagnostics: [Diagnostic]
    private let lines: [Substring]

    init(file: String, source: String, diagnostics: [Diagnostic]) {
        self.file = file
        self.diagnostics = diagnostics.sorted { $0.position < $1.position }
        lines = source.sourceLines
    }

    init(unreadable file: String, _ message: String, hint: String?) {
        self.init(file: file, source: "", diagnostics: [Diagnostic(.unreadable, at: SourcePosition(line: 1, column: 1), message, hint: hint)])
    }

    /// Each fault as `file:line:column: error: message [code]`, the line it is in, and a mark below the place.
    public var description: String { DiagnosticText(file: file, lines: lines, severity: "error").text(of: diagnostics) }
}

/// Probable mistakes in a file that is valid.
public struct BotsFileWarnings: Sendable, CustomStringConvertible {
    /// The warnings, in the order of the file; empty for most files.
    public let diagnostics: [Diagnostic]
    private let file: String
    private let lines: [Substring]

    init(file: String, source: String, diagnostics: [Diagnostic]) {
        self.file = file
        self.diagnostics = diagnostics.sorted { $0.position < $1.position }
        lines = diagnostics.isEmpty ? [] : source.sourceLines
    }

    /// Each warning as `file:line:column: warning: message [code]`, the line it is in, and a mark below the position.
    public var description: String { DiagnosticText(file: file, lines: lines, severity: "warning").text(of: diagnostics) }
}

/// Diagnostics as a person reads them.
private struct DiagnosticText {
    let file: String
    let lines: [Substring]
    let severity: String
    /// Characters of a line that are shown at the most.
    private static let widest = 200

    func text(of diagnostics: [Diagnostic]) -> String { diagnostics.map(render).joined(separator: "\n") }

    private func render(_ diagnostic: Diagnostic) -> String {
        var text = "\(file):\(diagnostic.position): \(severity): \(diagnostic.message) [\(diagnostic.code.rawValue)]"
        let index = diagnostic.position.line - 1
        if lines.indices.contains(index), !lines[index].isEmpty {
            // Of a long line, the part around the place.
            let scalars = Array(lines[index].unicodeScalars), column = diagnostic.position.column - 1
            let start = scalars.count > Self.widest ? max(0, min(column - Self.widest / 2, scalars.count - Self.widest)) : 0
            let shown = scalars[start..<min(scalars.count, start + Self.widest)]
            let before = start > 0 ? "…" : "", behind = shown.endIndex < scalars.count ? "…" : ""
            let indent = before.map { _ in " " } + shown.prefix(max(0, column - start)).map { $0 == "\t" ? "\t" : " " }
            text += "\n    \(before)\(String(String.UnicodeScalarView(shown)))\(behind)\n    \(indent.joined())^"
        }
        if let hint = diagnostic.hint { text += "\n    \(hint)" }
        return text
    }
}
