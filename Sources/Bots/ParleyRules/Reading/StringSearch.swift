extension StringProtocol {
    /// The first place where the text stands, compared by Unicode scalars: what a person typed, not what looks alike.
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
}

extension String {
    /// The text as messages show it: no more than its beginning.
    var cut: String { count > 60 ? prefix(60) + "…" : self }
}
