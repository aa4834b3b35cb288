import AsyncPrimitives
import Logging
import SMPWire
import Synchronization
import SystemSupport

/// Limits the attempts at stored commands, records which are being tried, and knows on which of them processes crashed.
///
/// Messages of peers cause most commands, and name the routers and keys for them. A command that crashes the process is found again by
/// the next one, which tries it alone; after the third crash, it is quarantined.
final class CommandGuard: Sendable {
    private let table: InFlightTable?
    private let isLoaded = Atomic(false)
    private let suspects = Mutex(CrashSuspects())
    private let first: AsyncSemaphore
    private let again: AsyncSemaphore
    /// Suspected commands, on which processes may have crashed, are tried one at a time, so that the cause becomes known.
    private let alone = AsyncSemaphore(limit: 1)

    init(_ configuration: AgentConfiguration) {
        table = configuration.inFlight
        first = AsyncSemaphore(limit: configuration.concurrentCommands)
        again = AsyncSemaphore(limit: configuration.concurrentCommandRetries)
    }

    /// Counts the commands on which the previous process crashed, before any command is tried. A second call changes nothing.
    func load(_ commands: [CommandRecord], in store: any AgentStorage, log: Logger) async {
        guard !isLoaded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let counted = commands.compactMap { command in
            command.crashWeight > 0 ? command.key.map { CrashSuspects.Count(key: $0, weight: command.crashWeight) } : nil
        }
        var known = CrashSuspects(counted)
        let left = Set(table?.leftBehind ?? [])
        let died = commands.filter { command in command.key.map(left.contains) ?? false }
        if !died.isEmpty {
            let counts = known.processEnded(by: table?.previousEnd ?? .kill, with: died.compactMap(\.key))
            let weights = Dictionary(counts.map { ($0.key, $0.weight) }) { max($0, $1) }
            let changes = died.compactMap { command in
                command.key.flatMap { weights[$0] }.map { StoreChange.setCrashWeight(command: command.row, $0) }
            }
            log.warning(
                "the process before this one died while it did work of connections", metadata: ["code": "command.suspect", "commands": "\(died.count)"])
            do {
                try await store.apply(changes, isPersistent: false)
                table?.forgetLeftBehind()
            } catch {
                // The start does not wait for a disk that fails: this process knows what it has to.
                log.warning("the event on which the previous process crashed is not stored", metadata: ["error": "\(error)"])
            }
        } else if !left.isEmpty {
            table?.forgetLeftBehind()
        }
        suspects.withLock { $0 = known }
    }

    /// Runs an attempt at a command once there is a permit, and notes for the next process that it is being tried.
    ///
    /// - Throws: what the attempt throws, and `inactive` if the task is cancelled before it begins.
    func attempt(
        _ command: CommandRecord, isFirst: Bool, _ store: any AgentStorage, _ body: () async throws(AgentError) -> Void
    ) async throws(AgentError) {
        let permits = isFirst ? first : again, isSuspect = isSuspect(command)
        do {
            if isSuspect { try await alone.acquireUnlessCancelled() }
        } catch {
            throw AgentError(.inactive)
        }
        defer { if isSuspect { alone.release() } }
        do {
            try await permits.acquireUnlessCancelled()
        } catch {
            throw AgentError(.inactive)
        }
        defer { permits.release() }
        let entry = command.key.flatMap { table?.begin($0) }
        defer {
            table?.end(entry)
            if forget(command) { store.applyLater([.setCrashWeight(command: command.row, 0)]) }
        }
        try await body()
    }

    /// Tells whether a command is not to be tried.
    func isQuarantined(_ command: CommandRecord) -> Bool { command.key.map { key in suspects.withLock { $0.isQuarantined(key) } } ?? false }

    /// Deletes the counts of a command.
    ///
    /// - Returns: true if there was a count, which has to be removed from the store.
    @discardableResult
    func forget(_ command: CommandRecord) -> Bool {
        guard let key = command.key else { return false }
        return suspects.withLock { !$0.isEmpty && $0.clear(key) }
    }

    private func isSuspect(_ command: CommandRecord) -> Bool { command.key.map { key in suspects.withLock { $0.isSuspect(key) } } ?? false }
}

extension CommandRecord {
    /// The command's name, which is the same in the next process.
    var key: InFlightKey? { QuarantinedCommand(self).key }
}

extension AgentConfiguration {
    /// Commands that can be tried, and noted, at once.
    package var notedCommands: Int { concurrentCommands + concurrentCommandRetries }

    /// Tells whether the next attempt at a command is the last one. A command that was stored long ago still gets its time in this process: it may have
    /// stood still, or its clock may have been wrong.
    func endsCommand(_ command: CommandRecord, after attempts: Int, since beginning: Int64, now: Int64) -> Bool {
        attempts >= commandAttempts && .milliseconds(now - beginning) >= commandPatience && .milliseconds(now - command.createdAt) >= commandLifetime
    }
}
