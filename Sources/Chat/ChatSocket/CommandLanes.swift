import ChatAPI
import DequeModule

/// The order in which the commands of one connection are carried out.
///
/// A client may send commands without waiting for their answers, and means them in that order. Commands about messages touch one
/// chat each, so those of different chats run side by side; any other command waits for all before it and holds back all after it.
struct CommandLanes<Command: Sendable>: Sendable {
    /// Where a command belongs.
    enum Lane: Hashable, Sendable {
        /// With the others of a chat.
        case chat(String)
        /// Alone.
        case exclusive
    }

    typealias Entry = (lane: Lane, command: Command)

    /// Commands behind a barrier.
    private enum Later: Sendable {
        case alone(Command)
        case sideBySide([Entry])
    }

    private var running: Set<Lane> = []
    /// Commands that wait for one of their chat that runs.
    private var current: [Lane: Deque<Command>] = [:]
    private var later: Deque<Later> = []

    /// Commands that run or wait.
    private(set) var count = 0

    /// Takes a command and returns those that can be started now.
    mutating func add(_ command: Command, to lane: Lane) -> [Entry] {
        count += 1
        if running.isEmpty {
            running.insert(lane)
            return [(lane, command)]
        }
        if lane == .exclusive {
            later.append(.alone(command))
            return []
        }
        guard later.isEmpty, !running.contains(.exclusive) else {
            holdBack((lane, command))
            return []
        }
        return start((lane, command)).map { [$0] } ?? []
    }

    /// Takes those that wait for a chat's command that runs, to be carried out with it and in their order.
    ///
    /// - Parameter limit: The most to be taken.
    mutating func join(_ lane: Lane, limit: Int) -> [Command] {
        guard running.contains(lane), let waiting = current[lane] else { return [] }
        let joined = Array(waiting.prefix(limit))
        current[lane]?.removeFirst(joined.count)
        if current[lane]?.isEmpty == true { current[lane] = nil }
        return joined
    }

    /// Notes that a command has ended, and with it those that had joined it, and returns those that can be
    /// started now.
    mutating func end(_ lane: Lane, joined: Int = 0) -> [Entry] {
        guard running.remove(lane) != nil else { return [] }
        count -= 1 + joined
        if let next = current[lane]?.popFirst() {
            if current[lane]?.isEmpty == true { current[lane] = nil }
            running.insert(lane)
            return [(lane, next)]
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
        if running.insert(entry.lane).inserted { return entry }
        current[entry.lane, default: []].append(entry.command)
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

extension CommandLanes.Lane {
    init(_ command: ChatCommand) {
        guard case .messages(let command) = command else {
            self = .exclusive
            return
        }
        switch command {
        case .send(let target, _, _, _): self = .chat("\(target.chat)")
        case .update(let chat, _, _, _), .delete(let chat, _, _), .react(let chat, _, _, _): self = .chat("\(chat)")
        default: self = .exclusive
        }
    }
}
