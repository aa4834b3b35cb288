public import ChatAPI
internal import ChatProtocol

extension String {
    /// True if apps would show nothing of the text: it is empty, or holds nothing but white space, characters without a picture, and marks of formats.
    package var showsNothing: Bool {
        // What people write is decided by its first letters.
        var isMarked = false
        for scalar in unicodeScalars where scalar.isVisible {
            guard "*_~`#!@/[]().:".unicodeScalars.contains(scalar) else { return false }
            isMarked = true
        }
        guard isMarked, let pieces = Markdown.parse(self) else { return !isMarked }
        return !pieces.contains { $0.text.unicodeScalars.contains(where: \.isVisible) }
    }
}

extension Unicode.Scalar {
    fileprivate var isVisible: Bool {
        if properties.isWhitespace || properties.isDefaultIgnorableCodePoint || self == "\u{2800}" { return false }
        switch properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator, .spaceSeparator: return false
        default: return true
        }
    }
}

extension ComposedMessage {
    /// True for a text of which nothing would be shown, without a file.
    var showsNothing: Bool {
        guard fileSource == nil, case .text(let text) = content.kind else { return false }
        return text.showsNothing
    }
}

extension ChatCoreError.Code {
    /// A message without a file, of whose text nothing would be shown. Nothing was sent.
    public static let emptyMessage = Self(rawValue: "send.empty")
}

extension ChatCoreError {
    static let emptyMessage = ChatCoreError(.emptyMessage, "the text has no visible character, and there is no file: give a text")

    /// - Throws: `send.empty` for a text of which nothing would be shown.
    package static func refuseEmpty(_ text: String) throws(ChatCoreError) {
        if text.showsNothing { throw emptyMessage }
    }
}
