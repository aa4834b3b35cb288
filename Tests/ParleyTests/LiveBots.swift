import ChatAPI
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Hosting
@testable import Parley

/// Bots of one process on a data folder, over the routers inside it.
struct LiveBots: Sendable {
    let folder: TemporaryFolder
    let host: CoreHost

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// - Parameter folder: The folder of earlier bots; nil for a new one.
    init(on folder: TemporaryFolder? = nil, encryptsFiles: Bool? = nil) async throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        var configuration = HostConfiguration(dataFolder: folder.path + "/data", logger: Self.logger)
        configuration.databaseKey = nil
        configuration.encryptsFiles = encryptsFiles
        host = try await CoreHost.open(configuration)
    }

    /// Runs bots until `body` ends, and closes the folder.
    ///
    /// - Parameter clock: the clock of waits.
    func run(
        _ bots: [Bot], clock: any Clock<Duration> = ContinuousClock(), _ body: @escaping @Sendable ([HostReady.Profile]) async throws -> Void
    ) async throws {
        let store = try BotStateStore(path: folder.path + "/data/bots.db", logger: Self.logger)
        let session = HostSession(
            core: host.core, bots: bots, store: store, maxConcurrentHandlers: 8, logger: Self.logger, filesFolder: host.filesFolder,
            encryptsFiles: host.encryptsFiles, clock: clock)
        let ready = AsyncStream<[HostReady.Profile]>.makeStream()
        let running = Task {
            defer { ready.continuation.finish() }
            try await session.run { ready.continuation.yield($0) }
        }
        var failure: (any Error)?, isReady = false
        for await profiles in ready.stream {
            isReady = true
            do { try await body(profiles) } catch { failure = error }
            break
        }
        running.cancel()
        let ending = await running.result
        await session.drain(within: .seconds(5))
        await host.close()
        try await store.close()
        if let failure { throw failure }
        if !isReady { try ending.get() }
    }

    /// Connects one bot to the address of another.
    func connect(_ profile: HostReady.Profile, to other: HostReady.Profile) async throws {
        let link = try #require(other.shortAddress ?? other.address)
        _ = try await host.core.send(.connections(.connectLink(link)), as: profile.chats.userID)
    }
}

/// What handlers have seen, in order.
final class EventLog<Element: Sendable>: Sendable {
    private let entries = Mutex<[Element]>([])
    func add(_ entry: Element) { entries.withLock { $0.append(entry) } }
    var all: [Element] { entries.withLock(\.self) }
}
