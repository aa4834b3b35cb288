internal import ChatAPI
internal import EncryptedSQLite
internal import Foundation
internal import Logging

// The start, the end and timers.
extension BotRuntime {
    /// Runs the handlers of the start and what works in the background, as tasks of the group. They may go on as long as the bot runs.
    func start(in group: inout DiscardingTaskGroup) {
        for work in background { group.addTask { [self] in await work(BotClient(bot: identity, effects: startEffects())) } }
        if !dispatcher.isEmpty(.started) { group.addTask { [self] in await runStartHandlers() } }
    }

    private func runStartHandlers() async {
        let effects = startEffects()
        _ = await run(incoming(.started(StartContext(client: BotClient(bot: identity, effects: effects))), nil, effects), .none)
    }

    /// Runs the handlers of the end, and returns when they have ended.
    func stop() async {
        guard !dispatcher.isEmpty(.stopping) else { return }
        let effects = startEffects()
        _ = await run(incoming(.stopping(StopContext(client: BotClient(bot: identity, effects: effects))), nil, effects), .none)
    }

    /// The bot as others than its handlers use it: what it stores is stored at once.
    func client() -> BotClient { BotClient(bot: identity, effects: startEffects()) }

    func startEffects() -> Effects {
        Effects(
            model: model, userID: identity.userID, event: nil, filesFolder: filesFolder, services: services, retry: retry, observation: observation("started"))
    }

    /// Gives a timer that is due to the handlers.
    ///
    /// - Parameter ended: called once with whether the timer is handled.
    /// - Returns: false if the queue is full.
    func take(_ timer: TimerRecord, ended: @escaping @Sendable (Bool) -> Void) -> Bool {
        jobs.submit(ChatJobKey(userID: identity.userID, chat: queue(of: timer))) { [self] in ended(await handle(timer)) }
    }

    /// The queue of a timer: that of its chat. A broadcast takes long and has its own.
    private func queue(of timer: TimerRecord) -> String {
        timer.chat ?? (timer.name == BroadcastRecord.timerName ? BroadcastRecord.scope(timer.key) : "timers")
    }

    /// Goes on with a broadcast.
    private func handleBroadcast(_ timer: TimerRecord, _ mark: HandledMark) async -> Bool {
        let effects = Effects(model: model, userID: identity.userID, event: nil, services: services, retry: retry, observation: observation("broadcast"))
        do {
            try await BotClient(bot: identity, effects: effects).continueBroadcast(timer.key)
            return note(mark)
        } catch {
            guard !Task.isCancelled else { return false }
            let code = ErrorCode.of(error) ?? "handler"
            logger.error("broadcast interrupted: it continues later", metadata: ["code": "\(code)", "key": "\(timer.key)", "error": "\(error)"])
            effects.observation.actionFailed(code, at: "broadcast")
            return false
        }
    }

    /// Undoes the action of an expired case.
    private func handleCaseEnd(_ timer: TimerRecord, _ mark: HandledMark) async -> Bool {
        let effects = Effects(model: model, userID: identity.userID, event: nil, services: services, retry: retry, observation: observation("case"))
        let client = BotClient(bot: identity, effects: effects)
        do {
            try await CaseExpiry.end(timer, client: client)
            return note(mark)
        } catch {
            let isPassing = (error as? ChatCoreError)?.isTemporary == true || error is StorageError || StorageError.isOfDisk(error)
            guard !Task.isCancelled else { return false }
            guard !isPassing else {
                logger.warning("a case is taken back later", metadata: ["code": "\(ErrorCode.of(error) ?? "handler")", "case": "\(timer.key)"])
                return false
            }
            // The member has left, or the bot has lost the right: another attempt would not help.
            let code = ErrorCode.of(error) ?? "handler"
            logger.error("a case cannot be taken back", metadata: ["code": "\(code)", "case": "\(timer.key)", "error": "\(error)"])
            effects.observation.actionFailed(code, at: "case: end")
            return note(mark)
        }
    }

    private func handle(_ timer: TimerRecord) async -> Bool {
        do {
            // What had its turn in the queue before may have cancelled or replaced it.
            guard try await store.hasTimer(timer.id) else { return true }
        } catch {
            if !Task.isCancelled { logger.error("timer not read: it runs later", metadata: ["code": "timer.storage", "error": "\(error)"]) }
            return false
        }
        if timer.kind == .once, timer.name == LiveHoldRecord.timerName { return await handleLive(timer) }
        let now = services.time.now()
        let mark = HandledMark.timer(timer.id, next: timer.kind == .recurring ? recurrences[timer.name]?.next(after: timer.due, now: now) : nil)
        // A program can schedule a time that has no number of milliseconds.
        let milliseconds = Int64(exactly: (timer.due.timeIntervalSince1970 * 1000).rounded(.towardZero)) ?? .min
        let effects = effects("timer/\(timer.id)/\(milliseconds)")
        if timer.kind == .dialogue {
            // Somebody may have continued it meanwhile, or begun another, whose state can read the same.
            guard let open = services.dialogues.expired(timer.key), open.name == timer.name, open.state == timer.value else { return note(mark) }
            effects.changes?.setDialogue(nil, of: timer.key)
        }
        if let expires = timer.expires, expires < now { return note(mark) }
        if timer.kind == .once, timer.name == BroadcastRecord.timerName { return await handleBroadcast(timer, mark) }
        let client = BotClient(bot: identity, effects: effects)
        if timer.kind == .once, timer.name == CaseExpiry.timerName { return await handleCaseEnd(timer, mark) }
        let chat = if let chat = timer.chat.flatMap({ ChatReference($0) }) { await client.chat(chat) } else { BotChat?.none }
        let due = DueTimer(record: timer, client: client, chat: chat)
        let name = HandlerEventName(.timer, timer.id, in: timer.chat ?? "timers", of: identity.userID)
        return await run(incoming(.timer(due), nil, effects), as: name, mark)
    }

    private func note(_ mark: HandledMark) -> Bool {
        store.note(mark, of: identity.userID)
        return true
    }
}
