public import ChatAPI

extension BotChat {
    /// Sends a file. When this returns, the message is stored and will be delivered; the upload continues, also after a restart.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - item: The item that the message quotes; nil for none.
    /// - Throws: ``BotFileError`` for a file that is not there or a picture that cannot be read; `ChatCoreError`: `error.fileSize` above 1 GiB, a code
    ///   `error.…` if the chat does not permit files.
    @discardableResult
    public func send(_ file: OutgoingFile, quoting item: ChatItemID? = nil) async throws -> SentMessage {
        let sent = try await effects.send(try file.composed(quoting: item, scalingInto: effects.filesFolder), to: requiredReference(), commenting: post)
        return SentMessage(chat: self, items: sent)
    }
}

extension ChatContext {
    /// Sends a file into the chat.
    @discardableResult
    public func send(file path: String, caption: String = "") async throws -> SentMessage { try await chat.send(OutgoingFile(path, caption: caption)) }

    /// Sends a picture with a preview into the chat.
    @discardableResult
    public func send(image path: String, caption: String = "") async throws -> SentMessage {
        try await chat.send(OutgoingFile(path, as: .image, caption: caption))
    }

    /// Sends a recording of a voice, of that many seconds, into the chat.
    @discardableResult
    public func send(voice path: String, seconds: Int) async throws -> SentMessage { try await chat.send(OutgoingFile(path, as: .voice(seconds: seconds))) }

    /// Sends a video of that many seconds into the chat.
    ///
    /// - Parameter thumbnail: the path of a picture for the preview; nil for a grey one.
    @discardableResult
    public func send(video path: String, seconds: Int, thumbnail: String? = nil, caption: String = "") async throws -> SentMessage {
        try await chat.send(OutgoingFile(path, as: .video(seconds: seconds, thumbnail: thumbnail), caption: caption))
    }

    /// Sends a file into the chat.
    @discardableResult
    public func send(_ file: OutgoingFile) async throws -> SentMessage { try await chat.send(file) }
}

extension ItemContext {
    /// Answers the message with a file and a quote of the message.
    @discardableResult
    public func reply(file path: String, caption: String = "") async throws -> SentMessage { try await reply(OutgoingFile(path, caption: caption)) }

    /// Answers the message with a picture and a quote of the message.
    @discardableResult
    public func reply(image path: String, caption: String = "") async throws -> SentMessage {
        try await reply(OutgoingFile(path, as: .image, caption: caption))
    }

    /// Answers the message with a recording of a voice, of that many seconds, and a quote of the message.
    @discardableResult
    public func reply(voice path: String, seconds: Int) async throws -> SentMessage { try await reply(OutgoingFile(path, as: .voice(seconds: seconds))) }

    /// Answers the message with a video of that many seconds and a quote of the message.
    ///
    /// - Parameter thumbnail: the path of a picture for the preview; nil for a grey one.
    @discardableResult
    public func reply(video path: String, seconds: Int, thumbnail: String? = nil, caption: String = "") async throws -> SentMessage {
        try await reply(OutgoingFile(path, as: .video(seconds: seconds, thumbnail: thumbnail), caption: caption))
    }

    /// Answers the message with a file and a quote of the message.
    @discardableResult
    public func reply(_ file: OutgoingFile) async throws -> SentMessage { try await chat.send(file, quoting: item.id) }
}

// MARK: Received files

/// The file of a message, before it is received.
public struct Attachment: Sendable, Hashable {
    /// The name without a folder. It was chosen by the sender.
    public let name: String
    /// Bytes, as the sender says.
    public let size: Int64

    /// Creates the value from its parts.
    public init(name: String, size: Int64) { (self.name, self.size) = (name, size) }

    init(_ file: ItemFile) { self.init(name: file.fileName, size: file.fileSize) }
}

/// A file that was received.
public struct ReceivedFile: Sendable, Hashable {
    /// The name that its sender gave it, without a folder.
    public let name: String
    /// Bytes.
    public let size: Int64
    /// The full path. The file stays there until its message is deleted. Where files are encrypted (``isEncrypted``), ``bytes(upTo:)`` and ``copy(to:)`` read
    /// it.
    public let path: String
    /// True if the file at ``path`` is encrypted, with a key in the databases (``HostConfiguration/encryptsFiles``).
    public var isEncrypted: Bool { source.cryptoArguments != nil }
    let source: CryptoFile

    /// The content.
    ///
    /// - Parameter limit: Bytes at most.
    /// - Throws: ``BotFileError``: `tooLarge`, `notFound` for a file that is gone or damaged.
    public func bytes(upTo limit: Int = 64 << 20) throws(BotFileError) -> [UInt8] { try content(upTo: limit) }

    /// Writes the content, decrypted, to a new file.
    ///
    /// - Parameter path: the new file; an existing file is replaced.
    /// - Throws: ``BotFileError``: `notFound` for a file that is gone or damaged, or a path that cannot be written.
    public func copy(to path: String) throws(BotFileError) { try writeContent(to: path) }
}

/// The progress of a transfer.
public struct FileProgress: Sendable, Hashable {
    /// Bytes that are done.
    public let done: Int64
    /// Bytes in all, which are a little more than the file has.
    public let total: Int64

    /// The part that is done, from 0 to 1.
    public var fraction: Double { total > 0 ? min(1, Double(done) / Double(total)) : 0 }
}

/// The routers from which files are received.
public enum FileSources: Sendable, Hashable {
    /// The bot's own file routers.
    case own
    /// Any router that a sender names. That router learns this machine's address.
    case any
}

extension MessageContext {
    /// The file of the message; nil if it has none.
    public var attachment: Attachment? { item.file.map(Attachment.init) }

    /// Receives the file of the message and waits until it is there.
    ///
    /// A file that is there already is returned at once, so a handler that runs again does not receive it twice. The transfer continues when the wait
    /// ends early, also after a restart.
    ///
    /// - Parameters:
    ///   - limit: How long to wait.
    ///   - size: Bytes that the file may have.
    ///   - sources: The routers that may be used. Official clients upload to routers of their own operators.
    ///   - progress: Called with the progress so far.
    /// - Throws: ``BotFileError``: `noFile`, `tooLarge`, `unknownRouter`, `cancelled`, `failed`, `timedOut`; `ChatCoreError`.
    @discardableResult
    public func file(
        within limit: Duration = .seconds(600), upTo size: Int64 = 1 << 30, from sources: FileSources = .own,
        progress: @escaping @Sendable (FileProgress) -> Void = { _ in }
    ) async throws -> ReceivedFile {
        guard let file = item.file else { throw BotFileError(.noFile, "the message has no file") }
        guard file.fileSize <= size else { throw BotFileError(.tooLarge, "the file has \(file.fileSize) bytes, and \(size) are allowed") }
        return try await chat.effects.receive(file.fileID, in: chat.requiredReference(), of: item.id, from: sources, within: limit, progress: progress)
    }
}

extension MessageContext {
    /// Receives the file of the message, and reports its progress: the sequence ends when the file is there, and ``file(within:upTo:from:progress:)``
    /// returns it at once then.
    ///
    /// ```swift
    /// for try await progress in message.fileProgress() { print(progress.fraction) }
    /// let file = try await message.file()
    /// ```
    ///
    /// The transfer continues when the loop is left early; ``cancelFile()`` ends it. Slow readers miss steps in between.
    ///
    /// The parameters and errors are those of ``file(within:upTo:from:progress:)``.
    public func fileProgress(
        within limit: Duration = .seconds(600), upTo size: Int64 = 1 << 30, from sources: FileSources = .own
    ) -> FileProgressSequence {
        FileProgressSequence { progress in try await self.file(within: limit, upTo: size, from: sources, progress: progress) }
    }

    /// Cancels the reception of the file of the message, and deletes the received part. The file cannot be received any more.
    ///
    /// - Throws: ``BotFileError`` `noFile`; `ChatCoreError`: a code `error.…` if the file is there already.
    public func cancelFile() async throws {
        guard let file = item.file else { throw BotFileError(.noFile, "the message has no file") }
        _ = try await chat.effects.perform(.files(.cancel(file.fileID)))
    }
}

extension SentMessage {
    /// The progress of the upload of the message's file: the sequence ends when the file is uploaded.
    ///
    /// The upload continues when the loop is left early. The errors are those of ``awaitUpload(within:progress:)``.
    public func uploadProgress(within limit: Duration = .seconds(600)) -> FileProgressSequence {
        FileProgressSequence { progress in try await self.awaitUpload(within: limit, progress: progress) }
    }

    /// Withdraws the file of the message: its upload ends, the recipients are notified, and the routers delete it.
    ///
    /// - Throws: ``BotFileError`` `noFile`; `ChatCoreError`.
    public func cancelFile() async throws {
        guard let file = item.file else { throw BotFileError(.noFile, "the message has no file") }
        _ = try await chat.effects.perform(.files(.cancel(file.fileID)))
    }

    /// Waits until the file of the message is uploaded, and its recipients can fetch it.
    ///
    /// - Parameters:
    ///   - limit: How long to wait; the upload goes on afterwards.
    ///   - progress: Called with the progress so far.
    /// - Throws: ``BotFileError``: `noFile`, `cancelled`, `failed`, `timedOut`; `ChatCoreError`.
    public func awaitUpload(within limit: Duration = .seconds(600), progress: @escaping @Sendable (FileProgress) -> Void = { _ in }) async throws {
        guard let file = item.file else { throw BotFileError(.noFile, "the message has no file") }
        try await chat.effects.awaitUpload(of: file.fileID, in: chat.requiredReference(), item: item.id, within: limit, progress: progress)
    }
}

extension BotChat {
    /// The files that came in the chat's last messages and are on this machine, oldest first.
    ///
    /// - Parameter count: The messages that are searched, from the newest back.
    public func receivedFiles(among count: Int = 500) async throws -> [ReceivedFile] {
        try await items(.last(count)).compactMap { item in
            guard item.direction.isReceived, let file = item.file, file.status == .receiveComplete else { return nil }
            return effects.received(file)
        }
    }
}
