/// A piece of Swift source text that is no white space and no comment.
struct SwiftToken: Hashable {
    enum Kind: Hashable {
        /// A name, keyword or number; names in back quotes with them.
        case word
        /// A string literal with everything in it.
        case string
        /// A bracket, comma, colon, semicolon, at sign, hash, dot, or one character of an operator.
        case sign
    }

    let kind: Kind
    let text: String
    /// UTF-8 bytes from the beginning of the source text.
    let offset: Int
    /// The token is the first one of its line.
    let startsLine: Bool
    /// White space or a comment is between the token and the one before it.
    let isApart: Bool

    /// UTF-8 bytes from the beginning of the source text to the end of the token.
    var end: Int { offset + text.utf8.count }
}

/// Splits Swift source text into tokens. String literals, with interpolations and raw ones, and nested comments are single pieces.
struct SwiftLexer {
    private let bytes: [UInt8]
    private var position = 0

    /// The tokens of a text.
    static func tokens(of source: String) -> [SwiftToken] {
        var lexer = SwiftLexer(bytes: Array(source.utf8))
        return lexer.tokens()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func tokens() -> [SwiftToken] {
        var tokens: [SwiftToken] = []
        var startsLine = true
        var isApart = true
        while position < bytes.count {
            let start = position
            if skipSpace() {
                startsLine = startsLine || bytes[start..<position].contains(UInt8(ascii: "\n"))
                isApart = true
                continue
            }
            let kind = skipToken()
            let text = String(decoding: bytes[start..<position], as: UTF8.self)
            tokens.append(SwiftToken(kind: kind, text: text, offset: start, startsLine: startsLine, isApart: isApart))
            (startsLine, isApart) = (false, false)
        }
        return tokens
    }

    private func isNext(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return bytes[position..<position + count].elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: count))
    }

    /// Goes behind white space or one comment; false if neither is next.
    private mutating func skipSpace() -> Bool {
        let start = position
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
        if position > start { return true }
        if isNext("//") {
            while position < bytes.count, bytes[position] != 0x0A { position += 1 }
            return true
        }
        guard isNext("/*") else { return false }
        var depth = 0
        repeat {
            if isNext("/*") {
                (depth, position) = (depth + 1, position + 2)
            } else if isNext("*/") {
                (depth, position) = (depth - 1, position + 2)
            } else {
                position += 1
            }
        } while depth > 0 && position < bytes.count
        return true
    }

    private mutating func skipToken() -> SwiftToken.Kind {
        var hashes = 0
        while position + hashes < bytes.count, bytes[position + hashes] == UInt8(ascii: "#") { hashes += 1 }
        if position + hashes < bytes.count, bytes[position + hashes] == UInt8(ascii: "\"") {
            position += hashes
            skipString(hashes: hashes)
            return .string
        }
        if bytes[position] == UInt8(ascii: "`") {
            repeat { position += 1 } while position < bytes.count && bytes[position] != UInt8(ascii: "`")
            position = min(position + 1, bytes.count)
            return .word
        }
        guard Self.isInWord(bytes[position]) else {
            position += 1
            return .sign
        }
        while position < bytes.count, Self.isInWord(bytes[position]) { position += 1 }
        return .word
    }

    private static func isInWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }

    /// Goes behind a string literal whose first quote is next.
    private mutating func skipString(hashes: Int) {
        let isLong = isNext("\"\"\"")
        position += isLong ? 3 : 1
        while position < bytes.count {
            if isLong ? isNext("\"\"\"") : isNext("\""), hasHashes(hashes, at: position + (isLong ? 3 : 1)) {
                position += (isLong ? 3 : 1) + hashes
                return
            }
            if bytes[position] == UInt8(ascii: "\\"), hasHashes(hashes, at: position + 1) {
                position += 1 + hashes
                if position < bytes.count, bytes[position] == UInt8(ascii: "(") { skipInterpolation() } else { position += 1 }
            } else {
                position += 1
            }
        }
        position = bytes.count
    }

    private func hasHashes(_ count: Int, at index: Int) -> Bool {
        index + count <= bytes.count && bytes[index..<index + count].allSatisfy { $0 == UInt8(ascii: "#") }
    }

    /// Goes behind the parentheses of an interpolation, which may hold strings.
    private mutating func skipInterpolation() {
        var depth = 0
        repeat {
            if skipSpace() { continue }
            if bytes[position] == UInt8(ascii: "(") { depth += 1 }
            if bytes[position] == UInt8(ascii: ")") { depth -= 1 }
            _ = skipToken()
        } while depth > 0 && position < bytes.count
    }
}
