import SMPWire
import Synchronization

/// Work that must be done even if the process ends before it is: in order per connection, with retries.
final class CommandRegistry: Sendable {
    private struct Inner {
        var waiting: [ConnectionID: [CommandRecord]] = [:]
        var running: Set<ConnectionID> = []
        var known: Set<RowID> = []
        /// Those that were added once more while they ran.
        var repeated: Set<RowID> = []
        /// Those that were done since the reading of stored commands began; nil while none are read.
        var doneWhileReading: Set<RowID>?

        /// Forgets the commands of a connection that have not begun and are of no use any more.
        mutating func forget(_ connection: ConnectionID, where isUseless: (CommandRecord) -> Bool) {
            guard let commands = waiting[connection] else { return }
            for command in commands where isUseless(command) { known.remove(command.row) }
            waiting[connection] = commands.filter { !isUseless($0) }
        }
    }

    private let inner = Mutex(Inner())

    /// Adds one, unless it is there already. Of those that secure one queue only the newest waits.
    ///
    /// - Returns: true if the caller must run the connection's commands.
    func add(_ command: CommandRecord, _ connection: ConnectionID) -> Bool {
        inner.withLock { inner in
            guard inner.doneWhileReading?.contains(command.row) != true else { return false }
            guard inner.known.insert(command.row).inserted else {
                inner.repeated.insert(command.row)
                return false
            }
            if let queue = command.kind.securedQueue { inner.forget(connection) { $0.kind.securedQueue == queue } }
            inner.waiting[connection, default: []].append(command)
            return inner.running.insert(connection).inserted
        }
    }

    /// The next one; nil ends the running.
    func next(_ connection: ConnectionID) -> CommandRecord? {
        inner.withLock { inner in
            guard var commands = inner.waiting[connection], !commands.isEmpty else {
                inner.waiting[connection] = nil
                inner.running.remove(connection)
                return nil
            }
            let next = commands.removeFirst()
            inner.waiting[connection] = commands
            return next
        }
    }

    /// Ends an attempt at a command.
    ///
    /// - Parameter isDone: false if the agent was stopped before the end.
    /// - Returns: true if the command must be tried again: the agent went on before the attempt had ended.
    func ended(_ command: CommandRecord, isDone: Bool) -> Bool {
        inner.withLock { inner in
            let isRepeated = inner.repeated.remove(command.row) != nil
            if !isDone, isRepeated { return true }
            inner.known.remove(command.row)
            if isDone { inner.doneWhileReading?.insert(command.row) }
            return false
        }
    }

    /// Begins to read stored commands. What is done until ``endReading()`` is not added, although it may be among those that are read.
    func beginReading() { inner.withLock { $0.doneWhileReading = [] } }

    func endReading() { inner.withLock { $0.doneWhileReading = nil } }

    /// Forgets a connection's commands that have not begun.
    func forget(_ connection: ConnectionID) {
        inner.withLock { inner in
            inner.forget(connection) { _ in true }
            inner.waiting[connection] = nil
        }
    }
}
