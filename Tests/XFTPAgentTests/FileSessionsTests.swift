import NIOCore
import NIOPosix
import SMPAgent
import SMPClient
import SMPProtocol
import SMPTransport
import Synchronization
import TestSupport
import Testing
import XFTPClient
import XFTPProtocol
import XFTPServer

@testable import XFTPAgent

/// The sessions that descriptions have an agent open.
@Suite struct FileSessionsTests {
    @Test func sessionsThatNobodyUsesAreClosedOldestFirst() async throws {
        try await withRouter { router, servers in
            let sessions = FileSessions(try XFTPConnector()), server = servers.servers[0].server
            func use(_ user: Int64) async throws -> XFTPSession {
                try await sessions.with(.init(user: user, server: server)) { session throws(XFTPClientError) in session }
            }
            let first = try await use(0), second = try await use(1)
            for user in 2..<Int64(FileSessions.maximumUnused) { _ = try await use(user) }
            // The first is used again, and the second is the oldest one then.
            #expect(try await use(0) === first)
            _ = try await use(1_000)
            #expect(await sessions.count == FileSessions.maximumUnused)
            #expect(first.isOpen && !second.isOpen)
            await sessions.close()
        }
    }

    @Test func aRouterThatMustNotSeeTheAddressIsNotReachedOnceTheProxyIsGone() async throws {
        try await withRouter { router, servers in
            // A proxy that takes connections and says nothing.
            let proxy = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0).get()
            var client = XFTPClientConfiguration()
            client.network.socksProxy = SOCKSProxy(port: try #require(proxy.localAddress?.port), authentication: .none)
            let sessions = FileSessions(try XFTPConnector(client)), key = FileSessions.Key(user: 1, server: servers.servers[0].server)
            @Sendable func use() async -> XFTPClientError? {
                do throws(XFTPClientError) {
                    try await sessions.with(key, hidesAddress: true) { _ throws(XFTPClientError) in }
                    return nil
                } catch {
                    return error
                }
            }
            // The second waits for the session that the first has begun to make.
            async let first = use()
            try await eventually("the first connects") { await sessions.count == 1 }
            async let second = use()
            try await eventually("the second waits") { await sessions.useCount == 2 }
            await sessions.setConnector(try XFTPConnector())
            let errors = [await first, await second]
            #expect(errors.allSatisfy { $0 != nil } && errors[1]?.code == .visibleAddress)
            #expect(await sessions.count == 0)
            try await proxy.close()
            await sessions.close()
        }
    }

    @Test func aSessionInUseIsNotClosed() async throws {
        try await withRouter { router, servers in
            let sessions = FileSessions(try XFTPConnector()), server = servers.servers[0].server
            try await sessions.with(.init(user: -1, server: server)) { session throws(XFTPClientError) in
                for user in 0...Int64(2 * FileSessions.maximumUnused) {
                    try await sessions.with(.init(user: user, server: server)) { _ throws(XFTPClientError) in }
                }
                #expect(session.isOpen)
            }
            #expect(await sessions.count == FileSessions.maximumUnused)
            await sessions.close()
        }
    }
}

/// What an agent counts on file routers, and which connections it tells of.
@Suite struct FileServerStatisticsTests {
    @Test func transfersAreCountedForEachRouter() async throws {
        try await withRouter { router, servers in
            let party = try Party(servers), agent = try await party.start()
            let (file, bytes) = try party.folder.file("a.bin", size: 200_000)
            let upload = try await agent.sendFile(user: 1, file, name: "a.bin", recipients: 1)
            let (sender, recipients) = try await party.log.descriptions(of: upload)
            let download = try await agent.receiveFile(user: 1, recipients[0], to: LocalFile(party.folder("b.bin")), approvesServers: true)
            _ = try await party.log.file(of: download)
            #expect(try party.folder.contents("b.bin") == bytes)
            let chunks = Int64(sender.chunks.count), size = sender.size
            let key = FileServerKey(user: 1, server: router.address), summary = await agent.serversSummary()
            let counts = try #require(summary.statistics[key])
            #expect(counts[.uploads] == chunks && counts[.uploadAttempts] == chunks && counts[.uploadsSize] == size && counts[.uploadErrs] == 0)
            #expect(counts[.downloads] == chunks && counts[.downloadAttempts] == chunks && counts[.downloadsSize] == size && counts[.downloadErrs] == 0)
            #expect(summary.sessions[key]?.connected == 1 && summary.requests.isEmpty)
            try await agent.delete(upload)
            try await eventually("the chunks are deleted") { await agent.serversSummary().statistics[key]?[.deletions] == chunks }
            agent.resetServerStatistics()
            #expect(await agent.serversSummary().statistics.isEmpty)
            try await party.stop(agent)
        }
    }

    @Test func connectionsAreToldOfWhenTheyBeginAndEnd() async throws {
        try await withRouter { router, servers in
            let told = Mutex<[Bool]>([])
            let sessions = FileSessions(try XFTPConnector()) { server, isConnected in
                #expect(server == servers.servers[0].server)
                told.withLock { $0.append(isConnected) }
            }
            let key = FileSessions.Key(user: 1, server: servers.servers[0].server)
            for _ in 0..<3 { try await sessions.with(key) { session throws(XFTPClientError) in try await session.ping() } }
            #expect(told.withLock { $0 } == [true])
            await sessions.close()
            try await eventually("the end is told") { told.withLock { $0 } == [true, false] }
            await router.stop()
            await #expect(throws: XFTPClientError.self) { try await sessions.with(key) { _ throws(XFTPClientError) in } }
            #expect(await sessions.states[key]?.failed == 1)
        }
    }
}
