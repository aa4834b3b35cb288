import ChatAPI
package import ChatProtocol

/// The division of a file into chunks, which are numbered from 1.
package struct InlineChunks: Equatable {
    /// Bytes of every chunk but the last.
    package static let largest = FileLimits.reportedChunk

    /// Bytes of the file; not negative.
    package var size: Int64

    package init(size: Int64) { self.size = size }

    /// The number of chunks. An empty file has one.
    package var count: Int64 { size == 0 ? 1 : (size - 1) / Self.largest + 1 }

    /// Bytes of a chunk that the file has.
    package func size(of number: Int64) -> Int64 { number < count ? Self.largest : size - (count - 1) * Self.largest }
}

extension FileInvitation {
    /// The way in which the file is offered inside messages; nil if it travels otherwise.
    package var inlineMode: InlineFileMode? {
        if case .unknown? = inline { return nil }
        return fileDescription == nil && connectionRequest == nil ? inline : nil
    }

    /// The mode in which the file is received without being asked for by an option: `sent` at once, `offer` when it is accepted; nil if it is not.
    ///
    /// - Parameters:
    ///   - content: The content of its message.
    ///   - isShown: True if the message is one of an author whom this profile has not blocked.
    package func receivedInline(with content: MessageContent?, isShown: Bool) -> InlineFileMode? {
        guard let mode = inlineMode, InlineChunks(size: max(0, size)).count <= FileLimits.inlineChunks else { return nil }
        switch mode {
        case .offer: return .offer
        case .sent: return isShown && content?.isVoice == true ? .sent : nil
        case .unknown: return nil
        }
    }
}
