extension StringProtocol {
    /// The first place of the text, compared by Unicode scalars: the typed characters, not characters that look alike.
    func firstRange(of text: String) -> Range<Index>? {
        let needle = Array(text.unicodeScalars)
        guard !needle.isEmpty else { return nil }
        let haystack = unicodeScalars
        var start = haystack.startIndex
        while start < haystack.endIndex {
            var index = start
            var matched = 0
            while matched < needle.count, index < haystack.endIndex, haystack[index] == needle[matched] {
                index = haystack.index(after: index)
                matched += 1
            }
            if matched == needle.count { return start..<index }
            start = haystack.index(after: start)
        }
        return nil
    }

    /// The text without the white space around it.
    var trimmed: SubSequence {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// The number that is written with digits alone, without a sign; nil for another text, and for a number that the type does not hold.
    func digits<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? { utf8.allSatisfy { (0x30...0x39).contains($0) } ? Number(self) : nil }
}

extension String {
    /// The text as messages show it: no more than its beginning.
    var cut: String { count > 60 ? prefix(60) + "…" : self }

    /// The beginning of the text in no more bytes of UTF-8, without a part of a Unicode scalar at its end.
    func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }

    /// The lines as YAML counts them. CR LF is one line break, and one character of Swift.
    var sourceLines: [Substring] {
        var lines: [Substring] = []
        var start = startIndex, before: Unicode.Scalar?
        for index in unicodeScalars.indices {
            let scalar = unicodeScalars[index]
            defer { before = scalar }
            switch scalar {
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
                if scalar != "\n" || before != "\r" { lines.append(Substring(unicodeScalars[start..<index])) }
                start = unicodeScalars.index(after: index)
            default: break
            }
        }
        return lines + [Substring(unicodeScalars[start...])]
    }
}

extension Sequence<UInt8> {
    /// The bytes without the byte order mark that some editors put in front, which is no part of the text.
    var withoutByteOrderMark: [UInt8] {
        let bytes = Array(self)
        return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }
}
