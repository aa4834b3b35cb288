internal import ChatAPI
internal import ChatProtocol

/// A step of a transfer that somebody waits for.
enum FileTransferStep: Sendable {
    case progress(FileProgress)
    /// The file is where it was wanted: on this machine, or on the routers.
    case complete(ItemFile)
    case failed(BotFileError)
    /// Offered, and not accepted.
    case offered

    /// The step that an item shows; nil while nothing is known to have happened.
    init?(_ file: ItemFile) {
        switch file.status {
        case .receiveComplete, .sendComplete: self = .complete(file)
        case .receiveInvitation: self = .offered
        case .receiveAborted: self = .failed(.unknownRouter)
        case .receiveCancelled, .sendCancelled: self = .failed(BotFileError(.cancelled, "the transfer of the file was cancelled"))
        case .receiveError(let error), .sendError(let error): self = .failed(BotFileError(.failed, "the file cannot be transferred: \(error.text)"))
        case .sendTransfer(let done, let total), .receiveTransfer(let done, let total): self = .progress(FileProgress(done: done, total: total))
        case .invalid, .other: self = .failed(BotFileError(.failed, "the state of the file is not known"))
        case .sendStored, .sendWarning, .receiveAccepted, .receiveWarning: return nil
        }
    }
}

extension BotFileError {
    static let unknownRouter = BotFileError(
        .unknownRouter, "the file is on routers that the bot does not use: allow others with from: .any, which shows them this machine's address")
    fileprivate static let deleted = BotFileError(.cancelled, "the message of the file is deleted")
}

extension FileError {
    /// The reason in words.
    fileprivate var text: String {
        switch self {
        case .auth, .noFile: "it is not on the routers any more"
        case .blocked: "the operator of a router has blocked it"
        case .relay: "its router cannot be reached"
        case .unexpected(let message): message
        case .other(let type, _): type
        }
    }
}

/// Follows the transfer of one file.
struct FileWait: Sendable {
    let core: any ChatCore
    let file: FileID
    let item: ChatItemID
    let chat: ChatReference
    let user: UserID
    let progress: @Sendable (FileProgress) -> Void

    /// Waits until the transfer has come to its end.
    ///
    /// - Parameters:
    ///   - limit: How long to wait.
    ///   - accept: Accepts an offered file; nil for a sent one.
    /// - Throws: ``BotFileError``, `ChatCoreError`.
    func run(within limit: Duration, clock: any Clock<Duration> = ContinuousClock(), accept: (@Sendable () async throws -> Void)? = nil) async throws
        -> ItemFile
    {
        try await Self.limited(to: limit, clock: clock) { try await follow(accept: accept) }
    }

    /// Waits for something for some time.
    ///
    /// - Throws: ``BotFileError`` `timedOut`, or what the wait throws.
    static func limited<Outcome: Sendable>(
        to limit: Duration, clock: any Clock<Duration> = ContinuousClock(), _ wait: @escaping @Sendable () async throws -> Outcome
    ) async throws -> Outcome {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            group.addTask { try await wait() }
            group.addTask {
                try await clock.sleep(for: limit)
                throw BotFileError(.timedOut, "the transfer of the file was not complete within \(limit); it continues")
            }
            defer { group.cancelAll() }
            guard let outcome = try await group.next() else { throw CancellationError() }
            return outcome
        }
    }

    private func follow(accept: (@Sendable () async throws -> Void)?) async throws -> ItemFile {
        var isAccepted = false
        while true {
            // Subscribed before the item is read, so that nothing falls between.
            let events = core.events()
            defer { events.cancel() }
            let known = try await fileInStore()
            if case .offered? = FileTransferStep(known), !isAccepted, let accept {
                isAccepted = true
                do { try await accept() } catch let error as ChatCoreError { throw BotFileError(refusal: error) ?? error }
            } else if let file = try take(FileTransferStep(known)) {
                return file
            }
            while let event = try await next(events) {
                let step = try step(event)
                // The event may be from before the file was accepted: the store has the present state.
                if case .offered? = step { break }
                if let file = try take(step) { return file }
            }
        }
    }

    /// The file if it is complete; nil if there is more to wait for.
    private func take(_ step: FileTransferStep?) throws(BotFileError) -> ItemFile? {
        switch step {
        case .complete(let file): return file
        case .failed(let error): throw error
        case .progress(let done): progress(done)
        // Accepted before, and offered again since.
        case .offered: throw .unknownRouter
        case nil: break
        }
        return nil
    }

    /// The next event; nil if events were lost: then the item is read anew.
    private func next(_ events: ChatEvents) async throws(ChatCoreError) -> ChatEvent? {
        var iterator = events.makeAsyncIterator()
        do throws(ChatCoreError) {
            if let event = try await iterator.next() { return event }
        } catch {
            guard error.code == .eventsLost else { throw error }
            return nil
        }
        if Task.isCancelled { throw ChatCoreError(.cancelled, "The task that waited for a file was cancelled.") }
        throw ChatCoreError(.closed, "The core was closed before the transfer was complete.")
    }

    private func step(_ event: ChatEvent) throws(BotFileError) -> FileTransferStep? {
        guard event.user?.userID == user else { return nil }
        if case .chatItemsDeleted(_, let deletions, _, _) = event {
            guard deletions.contains(where: { $0.toChatItem == nil && $0.deletedChatItem.chatItem.id == item }) else { return nil }
            throw .deleted
        }
        guard let shown = event.itemOfFile, shown.chatItem.id == item, let file = shown.chatItem.file, file.fileID == self.file else { return nil }
        return FileTransferStep(file)
    }

    private func fileInStore() async throws -> ItemFile {
        guard case .apiChat(_, let page, _) = try await core.send(.chats(.page(chat, pagination: .around(item, count: 1))), as: user),
            let found = page.chatItems.first(where: { $0.id == item })
        else { throw BotFileError.deleted }
        guard let file = found.file else { throw BotFileError(.noFile, "the message has no file") }
        return file
    }
}

extension ChatEvent {
    /// The item whose file the event is about.
    var itemOfFile: ItemInChat? {
        switch self {
        case .chatItemUpdated(_, let item), .rcvFileStart(_, let item), .rcvFileAccepted(_, let item), .rcvFileComplete(_, let item),
            .rcvFileSndCancelled(_, let item, _),
            .rcvFileDescrReady(_, let item, _, _), .sndFileCompleteXFTP(_, let item, _):
            item
        case .rcvFileProgressXFTP(_, let item, _, _, _), .rcvFileError(_, let item, _, _), .rcvFileWarning(_, let item, _, _),
            .sndFileProgressXFTP(_, let item, _, _, _), .sndFileError(_, let item, _, _), .sndFileWarning(_, let item, _, _):
            item
        default: nil
        }
    }
}
