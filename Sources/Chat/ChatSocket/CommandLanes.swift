import ChatAPI

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

    private var waiting: [(lane: Lane, command: Command)] = []
    private var running: Set<Lane> = []

    /// Commands that run or wait.
    var count: Int { waiting.count + running.count }

    /// Takes a command and returns those that can be started now.
    mutating func add(_ command: Command, to lane: Lane) -> [(lane: Lane, command: Command)] {
        waiting.append((lane, command))
        return startable()
    }

    /// Notes that a command has ended and returns those that can be started now.
    mutating func end(_ lane: Lane) -> [(lane: Lane, command: Command)] {
        running.remove(lane)
        return startable()
    }

    private mutating func startable() -> [(lane: Lane, command: Command)] {
        var started: [(lane: Lane, command: Command)] = [], held: [(lane: Lane, command: Command)] = []
        var blocked: Set<Lane> = running, isBarred = running.contains(.exclusive)
        for entry in waiting {
            let mayStart = !isBarred && (entry.lane == .exclusive ? blocked.isEmpty : !blocked.contains(entry.lane))
            if mayStart {
                started.append(entry)
                running.insert(entry.lane)
            } else {
                held.append(entry)
            }
            blocked.insert(entry.lane)
            if entry.lane == .exclusive { isBarred = true }
        }
        waiting = held
        return started
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
