/// A text in the form in which words are searched, with the places where words begin and end.
package struct NormalizedText: Sendable {
    /// The normalized text in UTF-8.
    package private(set) var bytes: [UInt8] = []
    /// For each byte, whether it is of a letter or digit, or of an underscore between them. Letters of scripts without spaces between words do not count.
    package private(set) var isWord: [Bool] = []
    /// For each byte, the classification of its letter in a spread word; empty if no word was spread.
    package private(set) var spread: [SpreadLetter] = []

    /// Creates an empty text.
    package init() {}

    /// The range of the bytes without the white space around them.
    package var trimmed: Range<Int> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) }) else { return 0..<0 }
        return first..<last + 1
    }

    /// Checks whether all letters of a range were written apart.
    package func isApart(_ range: Range<Int>) -> Bool { !spread.isEmpty && spread[range].allSatisfy { $0.contains(.apart) } }

    /// Appends a letter with its classification in a spread word.
    mutating func append(_ scalar: Unicode.Scalar, _ letter: SpreadLetter) {
        append(scalar)
        // Only the first byte of a letter begins a word.
        spread.append(letter)
        while spread.count < bytes.count { spread.append(letter.subtracting(.afterWideGap)) }
    }

    package mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.isASCII { return append(ascii: UInt8(truncatingIfNeeded: scalar.value)) }
        let isWord = scalar.isPartOfWord
        if isWord { joinLowLines() }
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            bytes.append(byte)
            self.isWord.append(isWord)
        }
    }

    package mutating func append(ascii byte: UInt8) {
        let isWord = ASCIIWords.isWord[Int(byte & 0x7F)]
        if isWord { joinLowLines() }
        bytes.append(byte)
        self.isWord.append(isWord)
    }

    /// Makes underscores before a letter a part of the word, if the word began before them.
    private mutating func joinLowLines() {
        guard bytes.last == UInt8(ascii: "_"), isWord.last == false else { return }
        let start = (bytes.lastIndex { $0 != UInt8(ascii: "_") } ?? -1) + 1
        guard start > 0, isWord[start - 1] else { return }
        for index in start..<bytes.count { isWord[index] = true }
    }

    package mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count)
        isWord.reserveCapacity(count)
    }
}

/// ASCII characters that are part of words.
private enum ASCIIWords {
    static let isWord: [Bool] = (0..<128).map { Unicode.Scalar(UInt8($0)).isPartOfWord }
}
