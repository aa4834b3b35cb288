import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Files at the console.

extension ConsoleCommands {
    /// The endings of names of pictures that the console sends.
    private static let imageSuffixes = [".jpg", ".jpeg", ".png", ".gif"]

    func send(_ file: CryptoFile, _ content: MessageContent, to chat: ChatName) async throws(ChatCoreError) -> ChatResponse {
        let (reference, asGroup) = try await query { transaction in
            let user = try transaction.user(), reference = try transaction.conversations.reference(chat, of: user)
            return (reference, try transaction.console.sendsAsGroup(reference, of: user))
        }
        let message = ComposedMessage(content: content, fileSource: file)
        switch reference.type {
        case .direct: return try await runner.run(.messages(.send(to: .direct(ContactID(reference.id)), [message])))
        case .group: return try await runner.run(.messages(.send(to: .group(GroupID(reference.id), asGroup: asGroup), [message])))
        default: return try await runner.run(.messages(.createNotes(NoteFolderID(reference.id), [message])))
        }
    }

    /// Sends a picture, with a small grey one as its preview.
    func sendImage(_ file: CryptoFile, to chat: ChatName) async throws(ChatCoreError) -> ChatResponse {
        _ = try await query { try $0.conversations.reference(chat, of: try $0.user()) }
        let name = file.filePath.lowercased()
        guard Self.imageSuffixes.contains(where: name.hasSuffix) else { throw ChatCoreError(Refusal.chat(.fileImageType(filePath: file.filePath)).error) }
        do throws(Refusal) {
            guard try core.folders.size(of: file) <= FileLimits.image else { throw Refusal.chat(.fileImageSize(filePath: file.filePath)) }
        } catch {
            throw ChatCoreError(error.error)
        }
        return try await send(file, .image(text: "", image: Self.preview), to: chat)
    }

    /// A grey picture of 8 by 8 pixels.
    private static let preview = ImageData(
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAADklEQVR42mNogAIGyhgAgIQgARDoahcAAAAASUVORK5CYII=")

    /// A file whose content is on this machine.
    ///
    /// - Throws: `fileNotReceived`.
    func loadedFile(_ id: FileID) async throws(ChatCoreError) -> CryptoFile {
        try await query { transaction in
            let user = try transaction.user()
            guard let file = try transaction.db.files.find(id), file.user == user.userID else { throw Refusal.store(.fileNotFound(fileID: id)) }
            guard file.isSent || file.state == .complete, let source = file.source else { throw Refusal.chat(.fileNotReceived(fileID: id)) }
            return source
        }
    }
}
