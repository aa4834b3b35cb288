import Foundation
import NIOCore
import NIOPosix
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import TestSupport
import Testing
import XFTPProtocol

@testable import XFTPAgent
@testable import XFTPServer

@Suite struct FileServerTestTests {
    @Test func aRouterThatWorksPassesAndNothingIsLeftOnIt() async throws {
        try await withRouter { router, servers in
            let party = try Party(servers)
            let agent = try await party.start()
            try await agent.testServer(servers.servers[0], user: 1)
            #expect(router.statistics.files == 0)
            #expect(party.folder.names(in: "work").isEmpty)
            try await party.stop(agent)
        }
    }

    @Test func aRouterThatDoesNotTellsTheStep() async throws {
        try await withRouter {
            $0.basicAuth = BasicAuth(Bytes("secret".utf8))
        } _: { router, servers in
            let party = try Party(servers)
            let agent = try await party.start()
            func failure(_ server: XFTPServerWithAuth) async -> FileServerTestFailure? {
                do throws(FileServerTestFailure) {
                    try await agent.testServer(server, user: 1)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(await failure(servers.servers[0]) == nil)
            #expect(await failure(XFTPServerWithAuth(router.address)) == FileServerTestFailure(step: .createFile, reason: .router(.auth)))
            let wrong = try XFTPServerAddress(wireString: "xftp://\(router.address.keyHash)@127.0.0.1:1")
            let unreachable = await failure(XFTPServerWithAuth(wrong))
            #expect(unreachable?.step == .connect)
            if case .broker(.network)? = unreachable?.reason {} else { Issue.record("\(String(describing: unreachable))") }
            #expect(party.folder.names(in: "work").isEmpty)
            try await party.stop(agent)
        }
    }

    @Test func aRouterWithoutRoomFailsAtTheUploadOrBefore() async throws {
        try await withRouter {
            $0.quota = 65_536
        } _: { _, servers in
            let party = try Party(servers)
            let agent = try await party.start()
            let (file, _) = try party.folder.file("a", size: 10)
            _ = try await party.log.descriptions(of: try await agent.sendFile(user: 1, file, name: "a"))
            let error = await #expect(throws: FileServerTestFailure.self) { try await agent.testServer(servers.servers[0], user: 1) }
            #expect(error?.reason == .router(.quota))
            try await party.stop(agent)
        }
    }
}
