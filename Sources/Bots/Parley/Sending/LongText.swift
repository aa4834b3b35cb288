package import ChatAPI
internal import ChatProtocol

/// Splits text that is too long for one message.
///
/// A part ends at a line break if there is one in its second half, else at white space, else between two characters. The white space at which
/// it ends is left out; everything else is kept, in order. A piece with a format, such as `*bold words*` or a link with its label, is cut only if it does
/// not fit into a part.
package enum LongText {
    /// Bytes of an encoded message beside its text: event, ids, time to live.
    static let envelope = 300
    /// Bytes that a quote takes beside its text.
    static let quoteEnvelope = 200
    /// Bytes that a quote leaves for the first part at least. With a longer quote the message is refused by the core.
    static let shortestPart = 500

    /// The bytes of JSON that the text of one message may have in a chat.
    ///
    /// - Parameters:
    ///   - chat: the chat; with a contact by post-quantum encryption messages are shorter.
    ///   - quoted: the text that is quoted with it; nil without a quote.
    package static func limit(in chat: ChatInfo?, quoting quoted: String? = nil) -> Int {
        var isPostQuantum = true
        if case .direct(let contact) = chat { isPostQuantum = contact.activeConnection?.pqSupport ?? true }
        let whole = (isPostQuantum ? ChatLimits.compressedMessage : ChatLimits.encodedMessage) - envelope
        guard let quoted else { return whole }
        return max(whole - quoteEnvelope - quoted.jsonLength, shortestPart)
    }

    /// The parts of a text.
    ///
    /// - Parameters:
    ///   - first: bytes of JSON that the first part may have, at least 12.
    ///   - other: the same for those that follow.
    /// - Returns: the text itself if it fits.
    package static func parts(of text: String, first: Int, other: Int) -> [String] {
        var parts: [String] = [], rest = text[...]
        guard rest.jsonLength(upTo: first) == nil else { return [text] }
        var formats = FormatRanges(of: text)
        while true {
            let limit = parts.isEmpty ? first : other
            if rest.jsonLength(upTo: limit) != nil {
                parts.append(String(rest))
                return parts
            }
            let end = end(ofPartOf: rest, limit: limit, &formats)
            parts.append(String(rest[..<end]))
            rest = rest[end...]
            // Only the one break at which the text was split: empty lines and indentation that follow are the author's.
            if let next = rest.first, next.isBreak { rest = rest.dropFirst() }
            if rest.isEmpty { return parts }
        }
    }

    private static func end(ofPartOf text: Substring, limit: Int, _ formats: inout FormatRanges) -> String.Index {
        var length = 0, index = text.startIndex, half: String.Index?, line: String.Index?, space: String.Index?
        /// The last place between two characters that is in no format.
        var plain: String.Index?
        while index < text.endIndex {
            let character = text[index]
            if !formats.contains(index) {
                plain = index
                if character.isNewline { line = index } else if character.isBreak { space = index }
            }
            length += String(character).jsonLength
            if length > limit { break }
            index = text.index(after: index)
            if half == nil, length > limit / 2 { half = index }
        }
        // A single character that is longer than a message is cut between its scalars.
        if index == text.startIndex { return scalarEnd(of: text, limit: limit) }
        if let line, let half, line >= half { return line }
        if let space, space > text.startIndex { return space }
        if let line, line > text.startIndex { return line }
        // The format that does not fit begins the next part.
        if let plain, plain > text.startIndex { return plain }
        return lastBreak(in: text[..<index]) ?? index
    }

    /// The last white space of a part that is one long format.
    private static func lastBreak(in text: Substring) -> String.Index? {
        guard let index = text.lastIndex(where: \.isBreak), index > text.startIndex else { return nil }
        return index
    }

    private static func scalarEnd(of text: Substring, limit: Int) -> String.Index {
        var length = 0, index = text.startIndex
        while index < text.endIndex {
            length += String(text.unicodeScalars[index]).jsonLength
            if length > limit, index > text.startIndex { return index }
            index = text.unicodeScalars.index(after: index)
        }
        return index
    }
}

/// The pieces of a text that have a format, looked at from the beginning to the end.
private struct FormatRanges {
    private var ranges: [Range<String.Index>] = []
    /// The first piece that ends after the place that was asked about last.
    private var cursor = 0

    init(of text: String) {
        let utf8 = text.utf8
        var offset = 0, index = text.startIndex
        for range in Markdown.formattedRanges(in: text) {
            let start = utf8.index(index, offsetBy: range.lowerBound - offset), end = utf8.index(start, offsetBy: range.count)
            ranges.append(start..<end)
            (offset, index) = (range.upperBound, end)
        }
    }

    /// Checks whether a cut at a place would be inside of a piece.
    mutating func contains(_ index: String.Index) -> Bool {
        while cursor > 0, ranges[cursor - 1].upperBound > index { cursor -= 1 }
        while cursor < ranges.count, ranges[cursor].upperBound <= index { cursor += 1 }
        return cursor < ranges.count && ranges[cursor].lowerBound < index
    }
}

extension Character {
    /// True for white space that carries nothing: a space can have an accent.
    fileprivate var isBreak: Bool { isNewline || isWhitespace && unicodeScalars.count == 1 }
}

extension Substring {
    /// The bytes of the text as JSON without its quotes; nil if there are more than `limit`.
    fileprivate func jsonLength(upTo limit: Int) -> Int? {
        // A byte of text is a byte of JSON at least.
        guard utf8.count <= limit else { return nil }
        let length = String(self).jsonLength
        return length <= limit ? length : nil
    }
}
