import SMPProtocol
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
