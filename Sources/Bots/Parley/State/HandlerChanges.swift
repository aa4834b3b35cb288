internal import ChatAPI
internal import Foundation
internal import Synchronization

/// The changes of stored state that a handler has made and that are stored when it has ended.
final class HandlerChanges: Sendable {
    typealias Change = @Sendable (StateValue?) throws -> StateValue?

    /// A value that was read or changed.
    struct PendingValue: Sendable {
        /// The value that the handler found.
        let seen: StateValue?
        /// The value after the changes.
        var value: StateValue?
        /// The changes: they are made again if another handler has changed the value meanwhile.
        var changes: [Change] = []
    }

    /// Everything that is to be stored together.
    struct Batch: Sendable {
        var values: [StateKey: PendingValue] = [:]
        var dialogues: [String: DialogueRecord?] = [:]
        var timers: [TimerChange] = []
        /// Ids of people and chats whose data is deleted.
        var forgotten: [String] = []

        var isEmpty: Bool { values.allSatisfy(\.value.changes.isEmpty) && dialogues.isEmpty && timers.isEmpty && forgotten.isEmpty }

        fileprivate mutating func change<Result>(
            _ key: StateKey, seen: StateValue?, _ apply: @escaping @Sendable (StateValue?) throws -> (StateValue?, Result)
        ) throws -> Result {
            var pending = values[key] ?? PendingValue(seen: seen, value: seen)
            let (value, result) = try apply(pending.value)
            pending.value = value
            pending.changes.append { try apply($0).0 }
            values[key] = pending
            return result
        }
    }

    private let batch = Mutex(Batch())
    /// The changes that are stored also if the handler fails.
    private let lasting = Mutex(Batch())
    private let ending = Mutex<[@Sendable () -> Void]>([])

    /// The changes so far.
    var current: Batch { batch.withLock(\.self) }

    /// Forgets the changes: the handler has failed. Records of effects outside of the store stay.
    func discard() {
        let lasting = lasting.withLock(\.self)
        batch.withLock { $0 = lasting }
    }

    /// Adds a function that is called once the changes are stored or discarded.
    func atEnd(_ body: @escaping @Sendable () -> Void) { ending.withLock { $0.append(body) } }

    /// The changes are stored, or are not going to be.
    func end() {
        let bodies = ending.withLock { bodies in
            defer { bodies = [] }
            return bodies
        }
        for body in bodies { body() }
    }

    /// The value as the handler has it; nil if it has neither read nor changed nor deleted it.
    func value(_ key: StateKey) -> PendingValue? {
        batch.withLock { $0.values[key] ?? ($0.forgotten.contains(key.scope) ? PendingValue(seen: nil, value: nil) : nil) }
    }

    /// The dialogue as the handler has it, nil for one that it has ended; nil if it has neither begun nor ended one.
    func dialogue(of scope: String) -> DialogueRecord?? {
        batch.withLock { $0.dialogues[scope] ?? ($0.forgotten.contains(scope) ? .some(nil) : nil) }
    }

    /// Remembers the value that a handler has found.
    func note(_ key: StateKey, _ seen: StateValue?) -> PendingValue {
        batch.withLock { batch in
            let pending = batch.values[key] ?? PendingValue(seen: seen, value: seen)
            batch.values[key] = pending
            return pending
        }
    }

    /// Changes a value that was read before. Changes of several tasks follow one another.
    ///
    /// - Parameter lasts: whether the change is stored also if the handler fails.
    func change<Result: Sendable>(
        _ key: StateKey, lasting lasts: Bool = false, _ apply: @escaping @Sendable (StateValue?) throws -> (StateValue?, Result)
    ) throws -> Result {
        try batch.withLock { batch in
            let seen = batch.values[key]?.seen, result = try batch.change(key, seen: seen, apply)
            if lasts { _ = try lasting.withLock { try $0.change(key, seen: seen, apply) } }
            return result
        }
    }

    func setDialogue(_ record: DialogueRecord?, of scope: String) { batch.withLock { $0.dialogues[scope] = .some(record) } }

    /// - Parameter lasts: whether the change is stored also if the handler fails.
    func add(_ timer: TimerChange, lasting lasts: Bool = false) {
        batch.withLock { $0.timers.append(timer) }
        if lasts { lasting.withLock { $0.timers.append(timer) } }
    }

    /// Deletes the values of a scope.
    func forget(_ scope: StateScope) {
        if case .named(let name) = scope.target { forget(name) }
    }

    /// Deletes the stored values of a person or a chat, including earlier changes by the handler.
    func forget(_ scope: String) {
        batch.withLock { batch in
            batch.forgotten.append(scope)
            for key in batch.values.keys where key.scope == scope { batch.values[key] = PendingValue(seen: nil, value: nil) }
            batch.dialogues.removeValue(forKey: scope)
            batch.timers.removeAll { $0.isAbout(scope) }
        }
    }
}

/// The record that an event is handled, stored when its handlers have ended.
enum HandledMark: Sendable {
    /// All items of a chat up to one are handled.
    case item(ChatItemID, chat: String)
    /// Something that happens once is handled.
    case once(HandledProgress.Kind, Int64)
    /// A timer has run.
    ///
    /// - Parameter next: the time of the next run; nil for a timer that runs once.
    case timer(Int64, next: Date?)
    /// The event is not reported again.
    case none
}
