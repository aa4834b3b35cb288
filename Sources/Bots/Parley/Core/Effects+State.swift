internal import ChatAPI
internal import Foundation

// Stored values and timers: within a handler they are stored when it has ended, elsewhere at once.

extension Effects {
    /// The time as the bot sees it.
    var now: Date { services?.time.now() ?? Date() }

    func runningServices() throws(BotStateError) -> BotServices {
        guard let services else { throw BotStateError(.notRunning, "the bot has not started yet") }
        return services
    }

    func state<State: StoredState>(_ type: State.Type, of scope: String) async throws -> State {
        let key = StateKey(scope: scope, name: type.stateName)
        return try type.init(stored: try await value(key))
    }

    /// - Parameter lasts: whether the change is stored also if the handler fails.
    func update<State: StoredState, Result: Sendable>(
        _ type: State.Type, of scope: String, lasting lasts: Bool = false, _ change: @escaping @Sendable (inout State) throws -> Result
    ) async throws -> Result {
        let key = StateKey(scope: scope, name: type.stateName)
        let apply: @Sendable (StateValue?) throws -> (StateValue?, Result) = { stored in
            var state = try type.init(stored: stored)
            let result = try change(&state)
            return (try state.stored(), result)
        }
        guard let changes else { return try await runningServices().store.update(key, of: userID, apply) }
        // Read first, so that the change can be made in one step: another task of the handler may change the value, too.
        _ = try await value(key)
        return try changes.change(key, lasting: lasts, apply)
    }

    /// The value as the handler sees it: with its own changes.
    private func value(_ key: StateKey) async throws -> StateValue? {
        if let pending = changes?.value(key) { return pending.value }
        let stored = try await runningServices().store.value(key, of: userID)
        return changes?.note(key, stored).value ?? stored
    }

    func forget(_ scope: String) async throws {
        let services = try runningServices()
        if let changes { return changes.forget(scope) }
        try await services.commit(HandlerChanges.Batch(forgotten: [scope]), .none, of: userID)
    }

    func schedule(
        _ name: String, key: String?, at date: Date, json: Data?, in chat: ChatReference?, expiringAfter limit: Duration?, lasting lasts: Bool = false
    ) async throws {
        try await change(
            .set(
                TimerRecord(
                    id: 0, userID: userID, kind: .once, name: name, key: key ?? UUID().uuidString, chat: chat.map { "\($0)" }, due: date,
                    expires: limit.map { date.addingTimeInterval($0.seconds) }, value: json, setAt: now)), lasting: lasts)
    }

    /// - Parameter lasts: whether the change is stored also if the handler fails.
    func change(_ timer: TimerChange, lasting lasts: Bool = false) async throws {
        let services = try runningServices()
        if let changes { return changes.add(timer, lasting: lasts) }
        try await services.store.apply([timer], of: userID)
        services.timers.wake()
    }

    /// The dialogue that is open with a person or in a chat, as the handler has left it.
    func dialogue(of scope: String) -> DialogueRecord? {
        if let pending = changes?.dialogue(of: scope) { return pending }
        return services?.dialogues.record(of: scope, at: now)
    }

    /// Opens, continues or ends a dialogue.
    ///
    /// - Parameter record: nil for a dialogue that has ended.
    func setDialogue(_ record: DialogueRecord?, named name: String, of scope: String, in chat: ChatReference?) async throws {
        let services = try runningServices()
        let timer: TimerChange =
            if let record, let expires = record.expires {
                .set(
                    TimerRecord(
                        id: 0, userID: userID, kind: .dialogue, name: record.name, key: scope, chat: chat.map { "\($0)" }, due: expires,
                        value: record.state, setAt: now))
            } else {
                .cancel(kind: .dialogue, name: name, key: scope)
            }
        if let changes {
            changes.setDialogue(record, of: scope)
            changes.add(timer)
            return
        }
        var batch = HandlerChanges.Batch()
        batch.dialogues[scope] = .some(record)
        batch.timers = [timer]
        try await services.commit(batch, .none, of: userID)
    }

    /// The effects of the same bot under a key that the program gives.
    func keyed(_ key: String) -> Effects { named("own/\(key)", changes: changes) }

    /// The effects of the same bot for an event of another name.
    func named(_ event: String?, changes: HandlerChanges?) -> Effects {
        let effects = Effects(
            model: model, userID: userID, event: event, filesFolder: filesFolder, services: services, changes: changes, locks: locks, retry: retry,
            observation: observation)
        // The bot that is not answered is not answered by another name either.
        if let silent { effects.silence(in: silent) }
        return effects
    }
}
