internal import ChatAPI
public import Foundation

/// A timer that is due.
public struct ScheduledContext<Value: Sendable>: Sendable {
    /// The bot, with everything that it can do.
    public let client: BotClient
    /// The value that was scheduled.
    public let value: Value
    /// The time for which it was scheduled; the handler can run later.
    public let dueAt: Date
    /// The chat that the timer was scheduled for; nil if it was for none, or if the chat is gone.
    public let chat: BotChat?

    /// The bot.
    public var bot: BotIdentity { client.bot }
    /// All chats of the bot.
    public var chats: BotChats { client.chats }
    /// All groups of the bot.
    public var groups: BotGroups { client.groups }

    /// Sends a text into the chat that the timer was scheduled for.
    ///
    /// - Throws: `ChatCoreError` with the code `core.unsupported` if the timer is for no chat, or the chat is gone.
    @discardableResult
    public func send(_ text: String) async throws -> SentMessage {
        guard let chat else { throw ChatCoreError(.unsupported, "the timer has no chat, or its chat was deleted") }
        return try await chat.send(text)
    }
}

extension ScheduledContext {
    /// A value that is stored for the bot, or for the chat that the timer was scheduled for.
    public func state<State: StoredState>(_ type: State.Type = State.self, of scope: StateScope = .chat) async throws -> State {
        try await client.effects.state(type, of: text(scope))
    }

    /// Changes a value that is stored for the bot, or for the chat that the timer was scheduled for.
    ///
    /// The change is stored when the handler has ended, together with the end of the timer.
    @discardableResult
    public func update<State: StoredState, Result: Sendable>(
        _ type: State.Type, of scope: StateScope = .chat, _ change: @escaping @Sendable (inout State) throws -> Result
    ) async throws -> Result { try await client.effects.update(type, of: text(scope), change) }

    private func text(_ scope: StateScope) -> String {
        switch scope.target {
        case .bot: ""
        case .chat, .person: chat?.scopeText ?? ""
        case .named(let name): name
        }
    }
}

/// A run of a recurring handler.
public typealias TickContext = ScheduledContext<Void>

/// A timer on its way to a handler.
struct DueTimer: Sendable {
    let record: TimerRecord
    let client: BotClient
    let chat: BotChat?

    func context<Value: Sendable>(_ value: Value) -> ScheduledContext<Value> {
        ScheduledContext(client: client, value: value, dueAt: record.due, chat: chat)
    }
}

extension Trigger {
    /// A timer that a handler or a program has scheduled under a name.
    ///
    /// A value that cannot be read as the type, because another version of the program has scheduled it, does not match.
    public static func scheduled<Value: Decodable & Sendable>(_ name: String, _ type: Value.Type = Value.self) -> Self
    where Context == ScheduledContext<Value> {
        Self(.timer, in: .all) { incoming in
            guard let timer = incoming.timer, timer.record.kind == .once, timer.record.name == name, let json = timer.record.value,
                let value = try? JSONDecoder().decode(Value.self, from: json)
            else { return nil }
            return timer.context(value)
        }
    }
}

extension Trigger where Context == TickContext {
    /// A timer without a value that a handler or a program has scheduled under a name.
    public static func scheduled(_ name: String) -> Self {
        Self(.timer, in: .all) { incoming in
            guard let timer = incoming.timer, timer.record.kind == .once, timer.record.name == name else { return nil }
            return timer.context(())
        }
    }

    /// Runs at the first start of the bot, and from then on at an interval, also over restarts.
    ///
    /// - Parameters:
    ///   - interval: at least a second.
    ///   - name: tells the recurring handlers of a bot apart. Keep it when the handler changes.
    public static func every(
        _ interval: Duration, _ name: String, missed: MissedRuns = .runOnce, file: String = #fileID, line: Int = #line, column: Int = #column
    ) -> Self {
        guard interval >= .seconds(1) else {
            return recurring(fault: HandlerFault(message: "the interval of \"\(name)\" is shorter than a second", file: file, line: line, column: column))
        }
        return recurring(Recurrence(name: name, rule: .every(interval), missed: missed))
    }

    /// Runs at times of the calendar.
    ///
    /// - Parameters:
    ///   - expression: the five fields of cron: minute, hour, day of the month, month, day of the week, as in `30 8 * * mon-fri`.
    ///   - name: tells the recurring handlers of a bot apart. Keep it when the handler changes.
    ///   - zone: the time zone; that of the machine unless another is given.
    public static func cron(
        _ expression: String, _ name: String, in zone: TimeZone = .current, missed: MissedRuns = .runOnce, file: String = #fileID, line: Int = #line,
        column: Int = #column
    ) -> Self {
        do throws(CronError) {
            let times = try CronExpression(expression)
            guard times.next(after: Date(), in: zone) != nil else { throw CronError("\"\(expression)\" never comes") }
            return recurring(Recurrence(name: name, rule: .calendar(times, zone), missed: missed))
        } catch {
            return recurring(fault: HandlerFault(message: error.description, file: file, line: line, column: column))
        }
    }

    private static func recurring(_ recurrence: Recurrence? = nil, fault: HandlerFault? = nil) -> Self {
        var trigger = Self(.timer, in: .all, fault: fault) { incoming in
            guard let timer = incoming.timer, timer.record.kind == .recurring, timer.record.name == recurrence?.name else { return nil }
            return timer.context(())
        }
        trigger.recurrence = recurrence
        return trigger
    }
}
