import ChatAPI
import DequeModule

/// The order in which the commands of one connection are executed: a queue for each chat, and barriers between them.
///
/// A client may send commands without waiting for their answers, and means them in that order. Commands about messages touch one
/// chat each, so those of different chats run side by side; any other command waits for all before it and holds back all after it.
struct CommandQueues<Command: Sendable>: Sendable {
    /// Where a command belongs.
    enum Key: Hashable, Sendable {
        /// With the others of a chat.
        case chat(String)
        /// Alone.
        case exclusive
    }

    typealias Entry = (key: Key, command: Command)

    /// Commands behind a barrier.
    private enum Later: Sendable {
        case alone(Command)
        case sideBySide([Entry])
    }

    private var running: Set<Key> = []
    /// Commands that wait for one of their chat that runs.
    private var current: [Key: Deque<Command>] = [:]
    private var later: Deque<Later> = []

    /// Commands that run or wait.
    private(set) var count = 0

    /// Takes a command and returns those that can be started now.
    mutating func add(_ command: Command, to key: Key) -> [Entry] {
        count += 1
        if running.isEmpty {
            running.insert(key)
            return [(key, command)]
        }
        if key == .exclusive {
            later.append(.alone(command))
            return []
        }
        guard later.isEmpty, !running.contains(.exclusive) else {
            holdBack((key, command))
            return []
        }
        return start((key, command)).map { [$0] } ?? []
    }

    /// Takes those that wait for a chat's command that runs, to be executed with it and in their order.
    ///
    /// - Parameter limit: The most to be taken.
    mutating func join(_ key: Key, limit: Int) -> [Command] {
        guard running.contains(key), let waiting = current[key] else { return [] }
        let joined = Array(waiting.prefix(limit))
        current[key]?.removeFirst(joined.count)
        if current[key]?.isEmpty == true { current[key] = nil }
        return joined
    }

    /// Notes that a command has ended, and with it those that had joined it, and returns those that can be
    /// started now.
    mutating func end(_ key: Key, joined: Int = 0) -> [Entry] {
        guard running.remove(key) != nil else { return [] }
        count -= 1 + joined
        if let next = current[key]?.popFirst() {
            if current[key]?.isEmpty == true { current[key] = nil }
            running.insert(key)
            return [(key, next)]
        }
        guard running.isEmpty else { return [] }
        switch later.popFirst() {
        case nil: return []
        case .alone(let command):
            running.insert(.exclusive)
            return [(.exclusive, command)]
        case .sideBySide(let entries): return entries.compactMap { start($0) }
        }
    }

    /// The command if its chat has none that runs; otherwise it waits.
    private mutating func start(_ entry: Entry) -> Entry? {
        if running.insert(entry.key).inserted { return entry }
        current[entry.key, default: []].append(entry.command)
        return nil
    }

    private mutating func holdBack(_ entry: Entry) {
        if case .sideBySide(var entries) = later.last {
            // Taken out while it grows, so that it is not copied.
            later.removeLast()
            entries.append(entry)
            later.append(.sideBySide(entries))
        } else {
            later.append(.sideBySide([entry]))
        }
    }
}

extension CommandQueues.Key {
    init(_ command: ChatCommand) {
        guard case .messages(let command) = command else {
            self = .exclusive
            return
        }
        switch command {
        case .send(let target, _, _, _, _): self = .chat("\(target.chat)")
        case .update(let chat, _, _, _), .delete(let chat, _, _), .react(let chat, _, _, _): self = .chat("\(chat)")
        default: self = .exclusive
        }
    }
}
