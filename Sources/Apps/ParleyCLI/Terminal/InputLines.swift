/// A line of standard input.
enum InputLine: Equatable, Sendable {
    case text(String)
    /// The line has more bytes than are taken; nothing of it is kept.
    case tooLong
}

/// Splits bytes into lines. What it keeps is bounded.
struct InputLines: Sendable {
    /// The bytes of a line at the most.
    static let longest = LineEditor.longestText

    private var line: [UInt8] = []
    private var isTooLong = false
    /// True if there is a last line without a line feed.
    private var hasBegun = false

    /// Takes the next bytes.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [InputLine] {
        var lines: [InputLine] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(end())
            } else {
                hasBegun = true
                if line.count < Self.longest { line.append(byte) } else { isTooLong = true }
            }
        }
        return lines
    }

    /// Takes the end of the input.
    mutating func finish() -> InputLine? { hasBegun ? end() : nil }

    private mutating func end() -> InputLine {
        defer { (line, isTooLong, hasBegun) = ([], false, false) }
        if isTooLong { return .tooLong }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return .text(String(decoding: line, as: UTF8.self))
    }
}
