import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import Testing

@Suite(.enabled(if: PeerProgram.allCases.allSatisfy(\.isInstalled), "SIMPLEX_PEERS names no folder with the official programs"))
struct OfficialProgramsTests {
    @Test(.timeLimit(.minutes(3))) func `An official client keeps its profile over restarts and leaves nothing behind`() async throws {
        var folder = ""
        var process: ChildProcess?
        do {
            let router = try await OfficialRouter.start()
            let client = try await OfficialClient.start("alice", .init(servers: [router.address]))
            folder = client.folder.path
            #expect(try await client.send("/u")["user"]?["localDisplayName"] == "alice")
            await client.stop()
            #expect(client.process == nil)
            try await client.start()
            #expect(try await client.send("/u")["user"]?["localDisplayName"] == "alice")
            let invitation = try await client.send("/_connect 1")
            #expect(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue?.contains("127.0.0.1") == true)
            process = client.process
            await client.stop(.kill)
            await router.stop()
        }
        #expect(process?.isRunning == false)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test(.timeLimit(.minutes(3))) func `A refused command and a wait in vain are told apart`() async throws {
        let router = try await OfficialRouter.start()
        let client = try await OfficialClient.start("bob", .init(servers: [router.address]))
        await #expect { try await client.send("/nonsense") } throws: { ($0 as? PeerError)?.code == .refused }
        await #expect { try await client.event("newChatItems", within: .milliseconds(50)) } throws: {
            ($0 as? PeerError)?.code == .timeout
        }
        await client.stop()
        await #expect { try await client.send("/u") } throws: { ($0 as? PeerError)?.code == .ended }
        await router.stop()
    }
}
