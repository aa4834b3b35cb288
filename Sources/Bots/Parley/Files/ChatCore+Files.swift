package import ChatAPI

extension ChatCore {
    /// Receives the file of an item and waits until it is there. A file that is there already is returned at once.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - chat: The chat that it is in.
    ///   - path: A folder, or the path of the file; nil for the folder for files.
    ///   - limit: How long to wait; the transfer goes on afterwards.
    /// - Throws: ``BotFileError``, `ChatCoreError`.
    package func receiveFile(
        of item: ChatItem, in chat: ChatReference, as user: UserID, from sources: FileSources, to path: String? = nil, within limit: Duration,
        progress: @escaping @Sendable (FileProgress) -> Void = { _ in }
    ) async throws -> ItemFile {
        guard let file = item.file else { throw BotFileError(.noFile, "the message has no file") }
        let wait = FileWait(core: self, file: file.fileID, item: item.id, chat: chat, user: user, progress: progress)
        return try await wait.run(within: limit) {
            _ = try await send(.files(.receive(file.fileID, approvedRelays: sources == .any, encrypt: path == nil ? nil : false, path: path)), as: user)
        }
    }

    /// Waits until the file of a sent item is uploaded.
    ///
    /// - Throws: ``BotFileError``, `ChatCoreError`.
    package func awaitUpload(
        of item: ChatItem, in chat: ChatReference, as user: UserID, within limit: Duration,
        progress: @escaping @Sendable (FileProgress) -> Void = { _ in }
    ) async throws {
        guard let file = item.file else { throw BotFileError(.noFile, "the message has no file") }
        _ = try await FileWait(core: self, file: file.fileID, item: item.id, chat: chat, user: user, progress: progress).run(within: limit)
    }
}
