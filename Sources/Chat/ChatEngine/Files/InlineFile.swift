import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Decisions about files of old clients, which travel in chunks inside messages.

/// The decision whether the chunks of a file that is not on routers can be requested.
enum InlineAcceptDecision: Equatable {
    case ask
    case refuse(ChatErrorType)

    /// - Parameter isWanted: The option of the command that allows larger files, or none; nil without it.
    init(_ file: FileRecord, isWanted: Bool?) {
        let limit = isWanted == true ? FileLimits.requestedInlineChunks : FileLimits.inlineChunks
        switch file.offer?.inlineMode {
        case .offer? where isWanted != false && InlineChunks(size: file.size).count <= limit: self = .ask
        // Its chunks come by themselves, or came and were not wanted.
        case .sent?: self = .refuse(.fileAlreadyReceiving(message: file.name))
        case .offer?, .unknown?, nil:
            self = .refuse(.exception(message: "the file would have to come over a connection of its own, which is not supported"))
        }
    }
}

/// The decision about a chunk.
enum InlineChunkDecision: Equatable {
    /// The chunk came before, or belongs to a file that is not received any more.
    case ignore
    /// Nobody has accepted the file.
    case prohibit
    case store(isFirst: Bool, isLast: Bool)
    /// The file cannot become whole.
    ///
    /// - Parameter reason: As official clients say it.
    case fail(reason: String)

    /// - Parameters:
    ///   - count: Bytes of the chunk.
    ///   - known: The number of chunks that came before.
    init(_ number: UInt8, bytes count: Int, of file: FileRecord, after known: Int64) {
        let number = Int64(number), chunks = InlineChunks(size: file.size)
        switch file.state {
        // One report is enough for all chunks.
        case .new: self = number == 1 ? .prohibit : .ignore
        case .cancelled, .complete: self = .ignore
        case .accepted, .connected:
            if file.receivedInline == nil || number <= known || known >= chunks.count {
                self = .ignore
            } else if number != known + 1 {
                self = .fail(reason: "incorrect chunk number \(number)")
            } else if Int64(count) != chunks.size(of: number) {
                self = .fail(reason: "incorrect chunk size")
            } else {
                self = .store(isFirst: number == 1, isLast: number == chunks.count)
            }
        }
    }
}
