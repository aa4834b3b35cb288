import AsyncPrimitives
import EncryptedSQLite
import Foundation
import GRDB
import Logging
import NIOPosix
import RouterSupport
import SMPAgent
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import TestSupport
import Testing
import XFTPProtocol
import XFTPServer

@testable import XFTPAgent

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension TemporaryFolder {
    /// Makes a file of bytes that depend on its size only.
    func file(_ name: String, size: Int) throws -> (LocalFile, Bytes) {
        let bytes = SeededRandomSource(seed: UInt64(size)).bytes(size)
        try Data(bytes).write(to: URL(fileURLWithPath: self(name)))
        return (LocalFile(self(name)), bytes)
    }

    func contents(_ name: String) throws -> Bytes { Bytes(try Data(contentsOf: URL(fileURLWithPath: self(name)))) }

    /// The names of all files in a folder and those below it.
    func names(in name: String) -> [String] {
        FileManager.default.subpaths(atPath: self(name)) ?? []
    }
}

/// The routers that an agent uses.
struct FixedServers: FileServerSource {
    var servers: [XFTPServerWithAuth]
    var isKnown = true

    func servers(of _: Int64) async -> [XFTPServerWithAuth] { servers }
    func isKnown(_: XFTPServerAddress, to _: Int64) async -> Bool { isKnown }
}

/// Routers of which only these are known.
struct KnownServers: FileServerSource {
    var servers: [XFTPServerWithAuth]

    func servers(of _: Int64) async -> [XFTPServerWithAuth] { servers }
    func isKnown(_ server: XFTPServerAddress, to _: Int64) async -> Bool { servers.contains { $0.server == server } }
}

/// The events of an agent, in order.
final class EventLog: Sendable {
    private let events = Mutex<[FileTransferEvent]>([])

    var all: [FileTransferEvent] { events.withLock { $0 } }
    func add(_ event: FileTransferEvent) { events.withLock { $0.append(event) } }

    /// The outcome of a transfer, once it is there.
    func outcome(of id: FileTransferID) async throws -> FileTransferEvent {
        var found: FileTransferEvent?
        try await eventually("the outcome of a transfer") {
            found = all.last { event in
                guard event.id == id else { return false }
                switch event {
                case .uploadComplete, .uploadFailed, .downloadComplete, .downloadFailed: return true
                default: return false
                }
            }
            return found != nil
        }
        return try #require(found)
    }

    func descriptions(of id: FileTransferID) async throws -> (sender: FileDescription, recipients: [FileDescription]) {
        let event = try await outcome(of: id)
        guard case .uploadComplete(_, let sender, let recipients) = event else { throw UnexpectedEvent(event: event) }
        return (sender, recipients)
    }

    func file(of id: FileTransferID) async throws -> LocalFile {
        let event = try await outcome(of: id)
        guard case .downloadComplete(_, let file, _) = event else { throw UnexpectedEvent(event: event) }
        return file
    }

    func failure(of id: FileTransferID) async throws -> FileTransferError {
        let event = try await outcome(of: id)
        switch event {
        case .uploadFailed(_, let error), .downloadFailed(_, let error): return error
        default: throw UnexpectedEvent(event: event)
        }
    }
}

struct UnexpectedEvent: Error { let event: FileTransferEvent }

/// An agent with its database and folder, which can be started again.
final class Party: Sendable {
    let folder: TemporaryFolder
    let servers: any FileServerSource
    let log = EventLog()
    private let stores = Mutex<AgentStore?>(nil)

    init(_ servers: any FileServerSource) throws {
        self.servers = servers
        folder = try TemporaryFolder()
    }

    func start(
        lifetime: Duration = .seconds(86_400), step: @escaping @Sendable (FileStep) throws -> Void = { _ in }
    ) async throws -> FileAgent {
        let store = try AgentStore(path: folder("agent.db"))
        stores.withLock { $0 = store }
        _ = try await store.write { try $0.execute(sql: "INSERT OR IGNORE INTO users (user_id) VALUES (1)") }
        var configuration = FileAgentConfiguration(folder: folder("work"))
        configuration.retry = RetryInterval(initial: .milliseconds(20), increaseAfter: .seconds(1), maximum: .milliseconds(100))
        configuration.transferLifetime = lifetime
        let agent = try FileAgent(
            configuration, store: store, servers: servers, group: MultiThreadedEventLoopGroup.singleton, random: SystemRandomSource(),
            now: RouterClock.now, clock: ContinuousClock(), logger: quiet, step: step
        ) { [log] in log.add($0) }
        try await agent.start()
        return agent
    }

    /// Stops an agent and closes its database.
    func stop(_ agent: FileAgent) async throws {
        await agent.stop()
        try await stores.withLock { $0.take() }?.close()
    }
}

/// Starts a file router for a test.
func withRouter(
    _ change: (inout FileRouterConfiguration) -> Void = { _ in }, _ body: (FileRouter, FixedServers) async throws -> Void
) async throws {
    let folder = try TemporaryFolder()
    var configuration = FileRouterConfiguration(folder: folder.path)
    configuration.port = 0
    change(&configuration)
    let router = try await FileRouter.start(configuration, logger: quiet)
    do {
        try await body(router, FixedServers(servers: [XFTPServerWithAuth(router.address, basicAuth: configuration.basicAuth)]))
    } catch {
        await router.stop()
        throw error
    }
    await router.stop()
}
