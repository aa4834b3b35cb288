internal import ChatAPI
internal import ChatProtocol
internal import EncryptedSQLite
internal import Foundation
internal import Logging
internal import SystemSupport

// Runs of handlers, and what is stored of them.
extension BotRuntime {
    /// Gives a received message to the handlers once more that was set aside, before what its chat brings from now on.
    func retry(_ entry: ItemInChat, event: ChatEvent) {
        guard let chat = entry.chatInfo.reference, let incoming = incoming(entry, event: event) else { return }
        let name = HandlerEventName(.message, entry.chatItem.id.rawValue, in: "\(chat)", of: identity.userID)
        jobs.submit(ChatJobKey(userID: identity.userID, chat: "\(chat)")) { [self] in
            _ = await crashes.noting(name, isRetry: true) { await run(incoming, .none) }
        }
    }

    /// Runs the handlers of an event, and stores what they have changed with the mark that it is handled.
    ///
    /// - Parameter event: its name; nil for what does not come again.
    /// - Returns: false if it is not handled, and runs again at the next start.
    @discardableResult
    func run(_ incoming: Incoming, as event: HandlerEventName?, _ mark: HandledMark) async -> Bool {
        guard let event else { return await run(incoming, mark) }
        if crashes.isSetAside(event) {
            // It counts as handled. A retry from the quarantine runs it again.
            store.note(mark, of: identity.userID)
            return true
        }
        return await crashes.noting(event, isRetry: retried.contains(event)) { await run(incoming, mark) }
    }

    /// - Returns: false if the handler was interrupted because the bots stop, or its changes could not be stored: then it runs again at the next start.
    ///   A handler that fails has handled the event, also one that throws `CancellationError` of its own accord.
    @discardableResult
    func run(_ incoming: Incoming, _ mark: HandledMark) async -> Bool {
        defer { incoming.changes?.end() }
        if let message = incoming.message {
            TrapPoint.botHandle.pass(Array(message.text.utf8))
            if let fileReception { await receiveFile(of: message, within: fileReception) }
        }
        if let message = incoming.message ?? incoming.live { await checkQuote(of: message) }
        do {
            try await incoming.effects.observation.handling(incoming.kind, of: identity.id) { try await perform(incoming) }
        } catch {
            let (place, error) = (error as? HandlerFailure).map { ($0.place.description, $0.error) } ?? ("", error)
            // Only the end of the bots cancels the tasks of handlers.
            let code = ErrorCode.of(error) ?? "handler", logger = incoming.effects.observation.logger
            guard !Task.isCancelled else {
                logger.notice("handler interrupted: it runs again at the next start", metadata: ["handler": "\(place)", "kind": "\(incoming.kind)"])
                return false
            }
            logger.error(
                "handler failed",
                metadata: [
                    "handler": "\(place)", "kind": "\(incoming.kind)", "code": "\(code)", "error": "\(error)",
                ])
            note(code, at: place)
            incoming.changes?.discard()
        }
        // What was remembered of a message while it was typed is of no use any more.
        if let message = incoming.message, message.item.meta.isLive != nil, let chat = message.chat.reference {
            incoming.changes?.forget(StateScope.live(message.id, in: chat))
        }
        return await finish(incoming, mark)
    }

    /// Counts a file that is to be received on its own.
    func takeQuota(of person: PersonID, _ size: Int64, _ reception: FileReception) async throws -> FileReceptionUse.Decision {
        let key = StateKey(scope: person.description, name: FileReceptionUse.stateName), time = services.time.now()
        return try await store.update(key, of: identity.userID) { stored in
            var use = try FileReceptionUse(stored: stored)
            let decision = use.take(size, within: reception, at: time)
            return (try use.stored(), decision)
        }
    }

    /// Records a failure for the operator of the process.
    func note(_ code: String, at place: String) {
        monitor.note(HostMonitor.Failure(time: services.time.now(), bot: identity.id, code: code, place: place))
    }

    /// Runs middleware and handlers.
    private func perform(_ incoming: Incoming) async throws {
        var run: On.Run = { [dispatcher] in
            for handler in dispatcher.handlers(of: incoming) {
                do {
                    try await incoming.effects.observation.handler(handler.place, handler.run)
                } catch {
                    throw HandlerFailure(place: handler.place, error: error)
                }
            }
        }
        if !beforeMatching.isEmpty {
            let call = HandlerCall(incoming)
            for middleware in beforeMatching.reversed() { run = { [run] in try await middleware.run(call, run) } }
        }
        try await run()
    }

    /// Stores the changes of stored state with the mark that the event is handled.
    private func finish(_ incoming: Incoming, _ mark: HandledMark) async -> Bool {
        FailPoint.botHandled.pass()
        guard let changes = incoming.changes, !changes.current.isEmpty else {
            store.note(mark, of: identity.userID)
            return true
        }
        do {
            try await services.commit(changes.current, mark, of: identity.userID)
        } catch {
            let isStorage = error is StorageError || StorageError.isOfDisk(error)
            logger.error(
                isStorage ? "state not stored: the handler runs again at the next start" : "state not stored",
                metadata: ["code": "\((error as? BotStateError)?.code.rawValue ?? "state.notStored")", "kind": "\(incoming.kind)", "error": "\(error)"])
            guard !isStorage else { return false }
            // A change that cannot be made does not take along what says what the handler has done outside of the store.
            changes.discard()
            if (try? await services.commit(changes.current, mark, of: identity.userID)) == nil { store.note(mark, of: identity.userID) }
        }
        return true
    }

    /// Checks whether another bot has written too much in a chat: two bots that answer each other would not end. In a group, the handlers of the message
    /// may then send nothing there.
    func isTooMuchOfABot(_ incoming: Incoming) -> Bool {
        guard let chat = incoming.message?.chat, chat.contact?.profile.peerType == .bot || incoming.isOfBotInGroup else { return false }
        let decision = answersToBots.admit(chat.scopeText, at: services.time.now())
        guard decision != .admitted else { return false }
        if incoming.isOfBotInGroup, let reference = chat.reference { incoming.effects.silence(in: reference) }
        if decision == .exceededFirst {
            logger.warning(
                "another bot writes too much and is not answered for a while: two bots may be answering each other",
                metadata: ["code": "\(ChatCoreError.Code.botLoop)", "chat": "\(chat.scopeText)"])
        }
        return true
    }
}

/// An error with the source position of the handler that has thrown it.
private struct HandlerFailure: Error {
    let place: HandlerPlace
    let error: any Error
}
