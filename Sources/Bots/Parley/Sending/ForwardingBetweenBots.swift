public import ChatAPI
internal import ChatProtocol

extension MessageContext {
    /// Passes the message on into a chat of another bot of the same process.
    ///
    /// The core forwards within a profile only, so the other bot sends a message of its own with the same content. A file is received first, and sent anew. The
    /// message is sent once, however often the handler runs for its event.
    ///
    /// - Parameters:
    ///   - target: a chat of the other bot.
    ///   - other: the other bot, from ``BotClient/other(_:)``.
    ///   - sources: the routers from which a file may be received.
    /// - Throws: `ChatCoreError`: `core.unsupported` if the other bot has no such chat; ``BotFileError`` for a file that cannot be received.
    @discardableResult
    public func forward(to target: ChatReference, through other: BotClient, from sources: FileSources = .own) async throws -> SentMessage {
        guard let chat = await other.chat(target) else { throw ChatCoreError(.unsupported, "the bot \(other.bot.id) has no chat \(target)") }
        guard attachment != nil else { return try await chat.send(content) }
        let received = try await file(from: sources)
        let message = ComposedMessage(content: content, fileSource: OutgoingFile(received).source)
        return SentMessage(chat: chat, items: try await chat.effects.send(message, to: chat.requiredReference(), commenting: chat.post))
    }
}

extension FileContext {
    /// Passes the message with its file on into a chat of another bot of the same process, which sends it as its own.
    ///
    /// - Throws: `ChatCoreError`: `core.unsupported` if the other bot has no such chat.
    @discardableResult
    public func forward(to target: ChatReference, through other: BotClient) async throws -> SentMessage {
        guard let chat = await other.chat(target), case .receivedMessage(let content) = item.content else {
            throw ChatCoreError(.unsupported, "the bot \(other.bot.id) has no chat \(target)")
        }
        let message = ComposedMessage(content: content, fileSource: OutgoingFile(file).source)
        return SentMessage(chat: chat, items: try await chat.effects.send(message, to: chat.requiredReference(), commenting: chat.post))
    }
}
