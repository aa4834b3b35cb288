package import ChatAPI
internal import ChatProtocol

/// Splits text that is too long for one message.
///
/// A part ends at a line break if there is one in its second half, else at white space, else between two characters. The white space at which
/// it ends is left out; everything else is kept, in order.
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
        while true {
            let limit = parts.isEmpty ? first : other
            if rest.jsonLength(upTo: limit) != nil {
                parts.append(String(rest))
                return parts
            }
            let end = end(ofPartOf: rest, limit: limit)
            parts.append(String(rest[..<end]))
            rest = rest[end...]
            // Only the one break at which the text was split: empty lines and indentation that follow are the author's.
            if let next = rest.first, next.isBreak { rest = rest.dropFirst() }
            if rest.isEmpty { return parts }
        }
    }

    private static func end(ofPartOf text: Substring, limit: Int) -> String.Index {
        var length = 0, index = text.startIndex, half: String.Index?, line: String.Index?, space: String.Index?
        while index < text.endIndex {
            let character = text[index]
            if character.isNewline { line = index } else if character.isBreak { space = index }
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
