internal import ChatAPI
internal import ChatEngine
internal import ChatProtocol
internal import XFTPProtocol

extension Effects {
    /// Receives the file of an item and waits until it is there.
    func receive(
        _ file: FileID, in chat: ChatReference, of item: ChatItemID, from sources: FileSources, within limit: Duration,
        progress: @escaping @Sendable (FileProgress) -> Void
    ) async throws -> ReceivedFile {
        let found = try await JobSlot.released {
            try await wait(for: file, in: chat, item: item, progress).run(within: limit) { [self] in
                _ = try await perform(.files(.receive(file, approvedRelays: sources == .any)))
            }
        }
        guard let received = received(found) else { throw BotFileError(.failed, "the file has no path") }
        return received
    }

    /// A file that is on this machine; nil for one without a path.
    func received(_ file: ItemFile) -> ReceivedFile? {
        file.fileSource.map { ReceivedFile(name: file.fileName, size: file.fileSize, path: path(of: $0), source: $0) }
    }

    func awaitUpload(
        of file: FileID, in chat: ChatReference, item: ChatItemID, within limit: Duration, progress: @escaping @Sendable (FileProgress) -> Void
    ) async throws {
        _ = try await JobSlot.released { try await wait(for: file, in: chat, item: item, progress).run(within: limit) }
    }

    private func wait(
        for file: FileID, in chat: ChatReference, item: ChatItemID, _ progress: @escaping @Sendable (FileProgress) -> Void
    ) -> FileWait { FileWait(core: core, file: file, item: item, chat: chat, user: userID, progress: progress) }

    private func path(of source: CryptoFile) -> String {
        guard let filesFolder, !source.filePath.hasPrefix("/") else { return source.filePath }
        return filesFolder + "/" + source.filePath
    }
}

extension ReceivedFile {
    /// The content of the file, decrypted if it is encrypted on the disk.
    func content(upTo limit: Int) throws(BotFileError) -> [UInt8] {
        guard size <= limit else { throw BotFileError(.tooLarge, "the file has \(size) bytes, and \(limit) are allowed") }
        do {
            return try source.contents(at: path, upTo: limit)
        } catch {
            throw BotFileError(.notFound, "\(path) cannot be read: \(error)")
        }
    }

    /// Writes the content of the file, decrypted, to a new file.
    func writeContent(to target: String) throws(BotFileError) {
        do {
            try source.write(from: path, to: target)
        } catch {
            throw BotFileError(.notFound, "\(path) cannot be copied to \(target): \(error)")
        }
    }
}
