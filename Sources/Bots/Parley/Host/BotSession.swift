package import ChatAPI
package import Foundation
package import Logging

/// Bots at work on a core that the caller has opened, with a time of their own: for tests.
package final class BotSession: Sendable {
    private let session: HostSession
    private let store: BotStateStore
    /// The store of the folder, if the bots work on a copy of it.
    private let stored: BotStateStore?

    /// - Parameters:
    ///   - host: the core, open and not started. It stays open when the session ends.
    ///   - now: the time of timers and dialogues.
    ///   - sleep: waits; ends early if the task is cancelled.
    ///   - dryRun: takes the effects of the bots; nil if they happen.
    /// - Throws: `StorageError`; ``HandlerFault`` for handlers that cannot be used; ``HostError`` for bots that cannot run together.
    package init(
        _ bots: [Bot], on host: CoreHost, now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void, logger: Logger,
        dryRun: (@Sendable (SuppressedEffect) -> Void)? = nil
    ) async throws {
        try BotHost.check(bots)
        let stored = try BotStateStore(path: host.dataFolder + "/bots.db", key: host.key, logger: logger)
        store = dryRun == nil ? stored : try await stored.copyInMemory()
        self.stored = dryRun == nil ? nil : stored
        session = HostSession(
            core: host.core, bots: bots, store: store, maxConcurrentHandlers: 16, logger: logger, filesFolder: host.filesFolder,
            encryptsFiles: host.encryptsFiles, time: BotTime(now: now, sleep: sleep), dryRun: dryRun)
        host.answerChannelInvitations(of: bots, by: session)
    }

    /// Runs the bots until the task is cancelled.
    ///
    /// - Parameter onReady: called once every bot has started.
    package func run(onReady: @escaping @Sendable ([HostReady.Profile]) async -> Void) async throws { try await session.run(onReady: onReady) }

    /// Returns when no handler runs or waits, and no timer is due.
    package func settle() async {
        await session.settle()
        await session.settleTimers()
        await session.settle()
    }

    /// The number of handlers of all bots that were begun so far; nil while one runs or waits. Between two equal numbers none ran.
    package var countAtRest: Int? { session.countAtRest }

    /// Checks whether handlers were given everything that was received.
    package func isUpToDate(_ user: UserID) async -> Bool { await session.isUpToDate(user) }

    /// The time of the next timer that is not due yet; nil if there is none.
    package func nextTimer() async throws -> Date? { try await session.nextTimer() }

    /// Waits for running handlers, and closes the store of the bots.
    package func close() async throws {
        store.stopWaitingForDisk()
        await session.drain(within: .seconds(5))
        try await store.close()
        try await stored?.close()
    }
}
