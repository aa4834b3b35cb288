package import ChatAPI
internal import ChatProtocol
internal import Synchronization

/// The transfer of a file without a message, as its waiters see it.
///
/// It is followed from the moment before it begins, because the core tells its end once.
package final class StandaloneTransfer<Outcome: Sendable>: Sendable {
    /// A step of the transfer.
    fileprivate enum Step: Sendable {
        case progress(FileProgress)
        case ended(Result<Outcome, any Error>)
    }

    /// The transfer as far as it is known, for the task that follows it too.
    fileprivate final class Known: Sendable {
        private struct State {
            var progress: FileProgress?
            var outcome: Result<Outcome, any Error>?
            var watchers: [Int: AsyncStream<FileProgress>.Continuation] = [:]
            var number = 0
        }

        private let state = Mutex(State())

        var outcome: Result<Outcome, any Error>? { state.withLock(\.outcome) }

        func note(_ step: Step) {
            let (watchers, progress) = state.withLock { state -> ([AsyncStream<FileProgress>.Continuation], FileProgress?) in
                guard state.outcome == nil else { return ([], nil) }
                switch step {
                case .progress(let progress):
                    state.progress = progress
                    return (Array(state.watchers.values), progress)
                case .ended(let outcome):
                    state.outcome = outcome
                    defer { state.watchers = [:] }
                    return (Array(state.watchers.values), nil)
                }
            }
            for watcher in watchers { if let progress { watcher.yield(progress) } else { watcher.finish() } }
        }

        /// The steps from the last one on; it ends with the transfer.
        func watch() -> (id: Int, steps: AsyncStream<FileProgress>) {
            // A slow reader needs the present progress only.
            let (steps, watcher) = AsyncStream.makeStream(of: FileProgress.self, bufferingPolicy: .bufferingNewest(1))
            let id = state.withLock { state in
                if let progress = state.progress { watcher.yield(progress) }
                state.number += 1
                if state.outcome == nil { state.watchers[state.number] = watcher } else { watcher.finish() }
                return state.number
            }
            return (id, steps)
        }

        func stopWatching(_ id: Int) { state.withLock { _ = $0.watchers.removeValue(forKey: id) } }
    }

    /// The id of the file.
    package let id: FileID
    private let known: Known
    private let following: Task<Void, Never>

    /// - Parameters:
    ///   - recover: the events from now on, and the step that the store shows, after events were lost.
    ///   - step: what an event says of the transfer.
    private init(
        _ id: FileID, _ events: ChatEvents, step: @escaping @Sendable (ChatEvent) -> Step?,
        recover: @escaping @Sendable () async throws -> (ChatEvents, Step?)
    ) {
        let known = Known()
        (self.id, self.known) = (id, known)
        // It ends with the transfer, not with the handler that has begun it.
        following = JobSlot.$current.withValue(nil) {
            Task {
                var events = events
                do {
                    while true {
                        do throws(ChatCoreError) {
                            for try await event in events {
                                guard let step = step(event) else { continue }
                                known.note(step)
                                if case .ended = step { return }
                            }
                            throw ChatCoreError(.closed, "The core was closed before the transfer was complete.")
                        } catch {
                            guard error.code == .eventsLost else { throw error }
                        }
                        let (next, step) = try await recover()
                        events = next
                        if let step { known.note(step) }
                    }
                } catch {
                    known.note(.ended(.failure(error)))
                }
            }
        }
    }

    deinit { following.cancel() }

    /// Records that the transfer was cancelled: the core reports that to the canceller only.
    func cancelled() { known.note(.ended(.failure(BotFileError(.cancelled, "the transfer of the file was cancelled")))) }

    /// Waits for the end of the transfer.
    package func outcome(within limit: Duration, progress: @escaping @Sendable (FileProgress) -> Void = { _ in }) async throws -> Outcome {
        try await FileWait.limited(to: limit) { [known] in
            let (id, steps) = known.watch()
            defer { known.stopWatching(id) }
            for await step in steps { progress(step) }
            guard let outcome = known.outcome else { throw CancellationError() }
            return try outcome.get()
        }
    }
}

extension StandaloneTransfer<[String]> {
    /// Begins an upload.
    ///
    /// - Parameter perform: gives the command.
    package static func upload(
        _ source: CryptoFile, core: any ChatCore, as user: UserID,
        _ perform: (ChatCommand) async throws(ChatCoreError) -> ChatResponse
    ) async throws -> StandaloneTransfer {
        let events = core.events()
        guard case .sndStandaloneFileCreated(_, let meta) = try await perform(.files(.upload(user: user, source))), let id = meta.fileID else {
            events.cancel()
            throw ChatCoreError(.invalidResponse, "the core did not say which file is uploaded")
        }
        return StandaloneTransfer(id, events) { event in
            guard event.user?.userID == user else { return nil }
            switch event {
            case .sndFileProgressXFTP(_, _, let meta, let sent, let total):
                // The progress of the description that the links lead to is not that of the file.
                return meta.fileID == id ? .progress(FileProgress(done: sent, total: total)) : nil
            case .sndStandaloneFileComplete(_, let meta, let links):
                return meta.fileID == id ? .ended(.success(links)) : nil
            case .sndFileError(_, _, let meta, let message):
                guard meta.fileID == id || meta["xftpRedirectFor"]?.intValue == id.rawValue else { return nil }
                return .ended(.failure(BotFileError(.failed, "the file cannot be uploaded: \(message)")))
            default: return nil
            }
        } recover: {
            throw BotFileError(.failed, "the core reported more events than could be read, perhaps also the links: upload the file again")
        }
    }
}

extension StandaloneTransfer<CryptoFile> {
    /// Begins a download.
    ///
    /// - Parameter perform: gives the command.
    /// - Throws: ``BotFileError``: `exists`, `unknownRouter`; `ChatCoreError`.
    package static func download(
        _ link: String, to target: CryptoFile, from sources: FileSources, core: any ChatCore, as user: UserID,
        _ perform: (ChatCommand) async throws(ChatCoreError) -> ChatResponse
    ) async throws -> StandaloneTransfer {
        let events = core.events(), response: ChatResponse
        do throws(ChatCoreError) {
            response = try await perform(.files(.download(user: user, link: link, target, approvedRelays: sources == .any)))
        } catch {
            events.cancel()
            throw BotFileError(refusal: error, path: target.filePath) ?? error
        }
        guard case .rcvStandaloneFileCreated(_, let transfer) = response, let id = transfer.fileID else {
            events.cancel()
            throw ChatCoreError(.invalidResponse, "the core did not say which file is downloaded")
        }
        return follow(id, events, core, user)
    }

    /// Follows a download that was begun before.
    ///
    /// - Throws: ``BotFileError`` `noFile`; `ChatCoreError`.
    package static func download(_ id: FileID, core: any ChatCore, as user: UserID) async throws -> StandaloneTransfer {
        let events = core.events()
        do {
            let step = try await stored(id, core, user)
            let transfer = follow(id, events, core, user)
            if let step { transfer.known.note(step) }
            return transfer
        } catch {
            events.cancel()
            throw error
        }
    }

    private static func follow(_ id: FileID, _ events: ChatEvents, _ core: any ChatCore, _ user: UserID) -> StandaloneTransfer {
        StandaloneTransfer(id, events) { event in
            guard event.user?.userID == user else { return nil }
            switch event {
            case .rcvFileProgressXFTP(_, _, let received, let total, let transfer):
                return transfer.fileID == id ? .progress(FileProgress(done: received, total: total)) : nil
            case .rcvStandaloneFileComplete(_, let path, let transfer):
                return transfer.fileID == id ? .ended(.success(CryptoFile(filePath: path, cryptoArguments: transfer.key))) : nil
            case .rcvFileError(_, _, let error, let transfer):
                return transfer.fileID == id ? .ended(.failure(BotFileError(error))) : nil
            default: return nil
            }
        } recover: {
            let events = core.events()
            return (events, try await stored(id, core, user))
        }
    }

    /// The step that the store shows; nil while the file is on its way.
    private static func stored(_ id: FileID, _ core: any ChatCore, _ user: UserID) async throws -> Step? {
        let response: ChatResponse
        do throws(ChatCoreError) {
            response = try await core.send(.files(.status(id)), as: user)
        } catch {
            guard error.code.rawValue == "errorStore.fileNotFound" else { throw error }
            throw BotFileError(.noFile, "the bot has no file \(id)")
        }
        guard case .fileTransferStatus(_, let status) = response, let transfer = status.json[0]?["rcvFileTransfer"] else {
            throw BotFileError(.noFile, "file \(id) is not one that was downloaded by its link")
        }
        let state = transfer["fileStatus"]
        switch state?["type"]?.stringValue {
        case "complete":
            guard let path = state?["filePath"]?.stringValue else { throw BotFileError(.failed, "the file has no path") }
            return .ended(.success(CryptoFile(filePath: path, cryptoArguments: transfer.key)))
        case "accepted", "connected": return nil
        case "cancelled": return .ended(.failure(BotFileError(.failed, "the file could not be downloaded")))
        default: return .ended(.failure(BotFileError(.cancelled, "the transfer of the file was cancelled")))
        }
    }
}

extension JSONValue {
    /// The id in a transfer of a file.
    fileprivate var fileID: FileID? { self["fileId"]?.intValue.map { FileID($0) } }
    /// The key with which a received file is encrypted on the disk.
    fileprivate var key: CryptoFileArguments? {
        guard let arguments = self["cryptoArgs"], let key = arguments["fileKey"]?.stringValue, let nonce = arguments["fileNonce"]?.stringValue else {
            return nil
        }
        return CryptoFileArguments(fileKey: key, fileNonce: nonce)
    }
}

extension BotFileError {
    /// The refusal of a core to receive a file; nil for another.
    ///
    /// - Parameter path: where the file would have been.
    init?(refusal error: ChatCoreError, path: String = "") {
        switch error.code.rawValue {
        case "error.fileNotApproved": self = .unknownRouter
        case "error.fileAlreadyExists":
            self.init(.exists, path.isEmpty ? "there is a file of that name already: name another path" : "there is a file \(path) already")
        default: return nil
        }
    }

    /// The failure of a download.
    fileprivate init(_ error: MessagingError) {
        switch error {
        case .file(.notApproved): self = .unknownRouter
        case .file(.noFile), .xftp(_, .auth), .xftp(_, .noFile): self.init(.failed, "the file cannot be transferred: it is not on the routers any more")
        case .file(.inputOutput(let message)), .file(.redirect(let message)), .internal(let message):
            self.init(.failed, "the file cannot be transferred: \(message)")
        default: self.init(.failed, "the file cannot be transferred: \(error)")
        }
    }
}

extension ReceivedFileTransfer {
    /// The id of the file.
    fileprivate var fileID: FileID? { json.fileID }
    /// The key of the file, if it is encrypted here.
    fileprivate var key: CryptoFileArguments? { json.key }
}
