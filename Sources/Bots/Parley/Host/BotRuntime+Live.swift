internal import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import Foundation
internal import Logging
internal import Synchronization

// Live messages: texts that others read while they are typed. They are handled as messages once, when they are finished, or with their last text when
// nothing was added for a while. A stored timer holds each back, so that none is lost over a restart.

extension BotRuntime {
    /// Holds a live message back until it is finished.
    ///
    /// - Parameter mark: what is noted when it is held back: its chat continues.
    /// - Returns: nil if it is to be handled at once; false if the queue of its chat is full.
    func hold(_ entry: ItemInChat, _ incoming: Incoming, in chat: String, event: ChatEvent, _ mark: HandledMark) -> Bool? {
        let item = entry.chatItem, now = services.time.now()
        guard item.meta.isLive == true, incoming.openMessage != nil, !isMuted(event), holds.withLock({ $0.begin(item.id, in: chat, at: now) }) else {
            return nil
        }
        let isTaken = jobs.submit(ChatJobKey(userID: identity.userID, chat: chat)) { [self] in
            do {
                var batch = HandlerChanges.Batch()
                batch.timers = [.set(try LiveHoldRecord(item, begun: now).timer(in: chat, of: identity.userID))]
                try await services.commit(batch, mark, of: identity.userID)
            } catch {
                holds.withLock { $0.remove(item.id, in: chat) }
                if !Task.isCancelled {
                    logger.error(
                        "live message not held back: it is handled at the next start",
                        metadata: ["code": "\(ErrorCode.of(error) ?? "state.notStored")", "error": "\(error)"])
                }
                return
            }
            await runLive(entry, in: chat, event: event)
        }
        if !isTaken { holds.withLock { $0.remove(item.id, in: chat) } }
        return isTaken
    }

    /// Takes the new text of a message that is held back.
    ///
    /// - Returns: false if it is not held back.
    func takeLive(_ entry: ItemInChat, in chat: String, event: ChatEvent) -> Bool {
        let id = entry.chatItem.id, now = services.time.now()
        let isHeld = holds.withLock { holds in
            holds.change(id, in: chat, at: now)
            return holds.contains(id, in: chat)
        }
        // What is announced late of a message that was read from the store is no news.
        guard isHeld else { return entry.chatItem.meta.isLive == false && !entry.chatItem.meta.isEdited && holds.withLock { $0.takeEarly(id) } }
        guard entry.chatItem.meta.isLive != true else {
            // Most bots do not look at what is still being typed.
            guard !dispatcher.isEmpty(.live) else { return true }
            let isTaken = jobs.submit(ChatJobKey(userID: identity.userID, chat: chat)) { [self] in await runLive(entry, in: chat, event: event) }
            if !isTaken { metrics.dropped() }
            return true
        }
        guard holds.withLock({ $0.beginEnd(id, in: chat) }) else { return false }
        guard let user = event.user, let incoming = incoming(entry, event: .newChatItems(user: user, chatItems: [entry])) else { return true }
        // If the queue is full, the timer comes back to it.
        submit(entry, incoming, in: chat, isMuted: isMuted(event)) { [self] in
            await release(id, in: chat)
        } otherwise: { [self] in
            // Its time was over before it was finished: it was handled with the text that it had then, unless that was the whole.
            if !holds.withLock({ $0.takeEarly(id) }), let edit = edit(entry, event: event) { await run(edit, .none) }
        }
        return true
    }

    /// Runs the handlers of texts that are still being typed.
    private func runLive(_ entry: ItemInChat, in chat: String, event: ChatEvent) async {
        guard !dispatcher.isEmpty(.live), case .receivedMessage(let content) = entry.chatItem.content,
            holds.withLock({ $0.contains(entry.chatItem.id, in: chat) && !$0.isModerated(entry.chatItem.id, in: chat) })
        else { return }
        let effects = effects(nil)
        let context = MessageContext(chat: self.chat(entry.chatInfo, effects: effects, of: entry.chatItem), item: entry.chatItem, content: content)
        await run(incoming(.live(context), event, effects), .none)
        if effects.hasModerated(entry.chatItem.id) { holds.withLock { $0.moderate(entry.chatItem.id, in: chat) } }
    }

    /// Ends the wait of a message that is finished.
    ///
    /// - Returns: the mark that it is handled; nil if it was handled before, with the text that it had then.
    private func release(_ id: ChatItemID, in chat: String) async -> MessageTurn? {
        let timer: TimerRecord?
        do {
            timer = try await store.timer(.once, LiveHoldRecord.timerName, key: LiveHoldRecord.key(id, in: chat), of: identity.userID)
        } catch {
            if !Task.isCancelled { logger.error("timer not read: it runs later", metadata: ["code": "timer.storage", "error": "\(error)"]) }
            return .later
        }
        guard let timer else { return nil }
        let isModerated = holds.withLock { holds in
            defer { holds.remove(id, in: chat) }
            return holds.isModerated(id, in: chat)
        }
        return isModerated ? .passed(.timer(timer.id, next: nil)) : .handle(.timer(timer.id, next: nil))
    }

    /// Handles a live message with the text that it has, or waits on if it is still being typed.
    ///
    /// - Returns: false if the timer is to run again.
    func handleLive(_ timer: TimerRecord) async -> Bool {
        let mark = HandledMark.timer(timer.id, next: nil), state = await model.state
        guard let record = LiveHoldRecord(timer), let name = timer.chat, let chat = ChatReference(name), let user = state.users[identity.userID]?.user,
            state.chat(chat.whole, of: identity.userID) != nil
        else {
            store.note(mark, of: identity.userID)
            return true
        }
        let entry: ItemInChat?
        do throws(ChatCoreError) {
            entry = try await model.item(at: record.place, in: chat, of: identity.userID)
        } catch {
            if !Task.isCancelled { logger.error("chat not read", metadata: ["chat": "\(chat)", "code": "\(error.code.rawValue)", "error": "\(error)"]) }
            return false
        }
        let id = record.place.id, now = services.time.now()
        if entry?.chatItem.meta.isLive == true, let next = holds.withLock({ $0.end(of: id, in: name, at: now) }) {
            store.note(.timer(timer.id, next: next), of: identity.userID)
            return true
        }
        let isModerated = holds.withLock { holds in
            defer { holds.remove(id, in: name) }
            return holds.isModerated(id, in: name)
        }
        guard let entry, !isModerated else {
            store.note(mark, of: identity.userID)
            return true
        }
        if entry.chatItem.meta.isLive != true { holds.withLock { $0.noteEarly(id) } }
        let event = ChatEvent.newChatItems(user: user, chatItems: [entry])
        guard let incoming = incoming(entry, event: event) else {
            store.note(mark, of: identity.userID)
            return true
        }
        return await handle(entry, incoming, in: name, isMuted: isMuted(event), mark)
    }

    /// Looks at the messages that were held back when the program ended: what was finished meanwhile is handled, and the rest is waited for.
    func resumeLive() async throws {
        let now = services.time.now()
        for timer in try await store.timers(.once, of: identity.userID) {
            guard let record = LiveHoldRecord(timer), let chat = timer.chat else { continue }
            _ = holds.withLock { $0.begin(record.place.id, in: chat, at: now, begun: Date(timeIntervalSince1970: record.begun)) }
            _ = take(timer) { _ in }
        }
    }
}

/// The decision about a message whose turn has come.
enum MessageTurn: Sendable {
    /// It is handled, and noted.
    case handle(HandledMark)
    /// It is noted without being handled.
    case passed(HandledMark)
    /// It could not be looked up, and is handled later.
    case later
}
