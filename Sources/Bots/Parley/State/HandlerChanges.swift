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
    }

    private let batch = Mutex(Batch())

    /// The changes so far.
    var current: Batch { batch.withLock(\.self) }

    /// Forgets the changes: the handler has failed.
    func discard() { batch.withLock { $0 = Batch() } }

    /// The value as the handler has it; nil if it has neither read nor changed it.
    func value(_ key: StateKey) -> PendingValue? { batch.withLock { $0.values[key] } }

    /// Remembers the value that a handler has found.
    func note(_ key: StateKey, _ seen: StateValue?) -> PendingValue {
        batch.withLock { batch in
            let pending = batch.values[key] ?? PendingValue(seen: seen, value: seen)
            batch.values[key] = pending
            return pending
        }
    }

    /// Adds a change.
    func add(_ key: StateKey, _ value: StateValue?, _ change: @escaping Change) {
        batch.withLock { batch in
            batch.values[key, default: PendingValue(seen: nil, value: nil)].value = value
            batch.values[key]?.changes.append(change)
        }
    }

    func setDialogue(_ record: DialogueRecord?, of scope: String) { batch.withLock { $0.dialogues[scope] = .some(record) } }

    func add(_ timer: TimerChange) { batch.withLock { $0.timers.append(timer) } }

    func forget(_ scope: String) { batch.withLock { $0.forgotten.append(scope) } }
}

/// The record that an event is handled, stored when its handlers have ended.
enum HandledMark: Sendable {
    /// All items of a chat up to one are handled.
    case item(ChatItemID, chat: String)
    /// Something that happens once is handled.
    case once(HandledProgress.Kind, Int64)
    /// A timer has run.
    ///
    /// - Parameter next: when it runs again; nil for one that runs once.
    case timer(Int64, next: Date?)
    /// The event is not told again.
    case none
}
