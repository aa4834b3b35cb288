import NIOCore
import NIOPosix
import SMPClient
import SMPProtocol
import SMPTransport
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
