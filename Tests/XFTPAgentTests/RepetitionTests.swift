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

@Suite struct RepetitionTests {
    @Test func aRequestThatIsRepeatedUnderItsIDChangesNothing() async throws {
        try await withRouter { router, servers in
            let party = try Party(servers)
            let agent = try await party.start()
            let (file, bytes) = try party.folder.file("a", size: 70_000)
            let (upload, download) = (FileTransferID(Bytes(repeating: 1, count: 16)), FileTransferID(Bytes(repeating: 2, count: 16)))
            for _ in 0..<2 { #expect(try await agent.sendFile(user: 1, file, name: "a", recipients: 2, as: upload) == upload) }
            let description = try await party.log.descriptions(of: upload).recipients[0]
            // The source is not needed any more, and another name or number of recipients makes no other upload.
            try FileManager.default.removeItem(atPath: file.path)
            try await agent.sendFile(user: 1, file, name: "b", recipients: 5, as: upload)
            #expect(try await agent.store.upload(upload)?.recipients == 2)
            for _ in 0..<3 { try await agent.receiveFile(user: 1, description, to: LocalFile(party.folder("b")), as: download) }
            _ = try await party.log.file(of: download)
            try await agent.receiveFile(user: 1, description, to: LocalFile(party.folder("c")), as: download)
            try await agent.remove(download)
            #expect(try party.folder.contents("b") == bytes)
            #expect(!FileManager.default.fileExists(atPath: party.folder("c")))
            #expect(router.statistics.files == 2)
            try await agent.delete(upload)
            try await eventually("the chunks are deleted") { router.statistics.files == 0 }
            try await party.stop(agent)
        }
    }

    @Test func transfersWaitWhileTheAgentIsStoppedAndGoOnWhenItIsStartedAgain() async throws {
        try await withRouter { router, servers in
            let party = try Party(servers)
            let agent = try await party.start()
            await agent.stop()
            let (file, bytes) = try party.folder.file("a", size: 70_000)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            #expect(router.statistics.files == 0)
            try await agent.start()
            let description = try await party.log.descriptions(of: upload).recipients[0]
            await agent.stop()
            let download = try await agent.receiveFile(user: 1, description, to: LocalFile(party.folder("b")))
            #expect(!party.log.all.contains { $0.id == download })
            try await agent.start()
            _ = try await party.log.file(of: download)
            #expect(try party.folder.contents("b") == bytes)
            try await party.stop(agent)
        }
    }

    @Test func aReservedNameIsFilledAndAnyOtherFileStays() async throws {
        try await withRouter { _, servers in
            let party = try Party(servers)
            let agent = try await party.start()
            let (file, bytes) = try party.folder.file("a", size: 10)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            let description = try await party.log.descriptions(of: upload).recipients[0]
            for (name, content) in [("reserved", Data()), ("taken", Data([1]))] { try content.write(to: URL(fileURLWithPath: party.folder(name))) }
            try FileManager.default.createSymbolicLink(atPath: party.folder("link"), withDestinationPath: party.folder("elsewhere"))
            let reserved = try await agent.receiveFile(user: 1, description, to: LocalFile(party.folder("reserved")))
            _ = try await party.log.file(of: reserved)
            #expect(try party.folder.contents("reserved") == bytes)
            for name in ["taken", "link"] {
                let refused = try await agent.receiveFile(user: 1, description, to: LocalFile(party.folder(name)))
                #expect(try await party.log.failure(of: refused).code == .file)
            }
            #expect(try party.folder.contents("taken") == [1])
            #expect(!FileManager.default.fileExists(atPath: party.folder("elsewhere")))
            #expect(party.folder.names(in: "").filter { $0.contains(".part-") }.isEmpty)
            try await party.stop(agent)
        }
    }

    @Test func theSameDescriptionServesSeveralDownloads() async throws {
        try await withRouter { _, servers in
            let (alice, bob) = (try Party(servers), try Party(servers))
            let (sending, receiving) = (try await alice.start(), try await bob.start())
            let (file, bytes) = try alice.folder.file("a", size: 70_000)
            let upload = try await sending.sendFile(user: 1, file, name: "a")
            let description = try await alice.log.descriptions(of: upload).recipients[0]
            // A member of a group passes on the description that it has used itself.
            for name in ["first", "second"] {
                let download = try await receiving.receiveFile(user: 1, description, to: LocalFile(bob.folder(name)))
                _ = try await bob.log.file(of: download)
                #expect(try bob.folder.contents(name) == bytes)
            }
            try await alice.stop(sending)
            try await bob.stop(receiving)
        }
    }

    @Test func aDownloadThatIsRemovedAtAnyMomentLeavesNoFile() async throws {
        for moment in [FileStep.received, .decrypted] {
            try await withRouter { _, servers in
                let party = try Party(servers)
                let isReached = Mutex(false)
                let agent = try await party.start { passed in
                    guard passed == moment else { return }
                    isReached.withLock { $0 = true }
                    throw CancellationError()
                }
                let (file, _) = try party.folder.file("a", size: 70_000)
                let upload = try await agent.sendFile(user: 1, file, name: "a")
                let description = try await party.log.descriptions(of: upload).recipients[0]
                let download = try await agent.receiveFile(user: 1, description, to: LocalFile(party.folder("b")))
                try await eventually("the download is at \(moment)") { isReached.withLock { $0 } }
                try await agent.remove(download)
                try await agent.remove(upload)
                #expect(party.folder.names(in: "").filter { $0.contains(".part-") || $0 == "b" }.isEmpty)
                #expect(party.folder.names(in: "work").isEmpty)
                #expect(try await agent.store.downloads().isEmpty)
                try await party.stop(agent)
            }
        }
    }

    @Test func aRedirectToRoutersThatAreNotApprovedIsNotFollowed() async throws {
        try await withRouter { router, servers in
            let alice = try Party(servers)
            let sending = try await alice.start()
            let (file, _) = try alice.folder.file("a", size: 10)
            let upload = try await sending.sendFile(user: 1, file, name: "a")
            var hidden = try await alice.log.descriptions(of: upload).recipients[0]
            let other = try XFTPServerAddress(wireString: "xftp://AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=@127.0.0.1:1")
            hidden.chunks[0].replicas[0].server = other
            let redirect = try await sending.sendDescription(user: 1, hidden)
            let description = try await alice.log.descriptions(of: redirect).recipients[0]
            let bob = try Party(KnownServers(servers: servers.servers))
            let receiving = try await bob.start()
            let download = try await receiving.receiveFile(user: 1, description, to: LocalFile(bob.folder("b")))
            let failure = try await bob.log.failure(of: download)
            #expect(failure.code == .notApproved)
            #expect(failure.servers == [other.wireString])
            try await alice.stop(sending)
            try await bob.stop(receiving)
        }
    }

    @Test func theSettingsOfTheNetworkHoldForTheNextSession() async throws {
        try await withRouter { _, servers in
            let party = try Party(servers)
            let agent = try await party.start()
            let (file, bytes) = try party.folder.file("a", size: 10)
            // A proxy that is not there.
            var network = NetworkConfiguration()
            network.socksProxy = SOCKSProxy(port: 1, authentication: .none)
            try await agent.setNetwork(network)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            try await eventually("a warning") { party.log.all.contains { if case .uploadWarning(upload, _) = $0 { true } else { false } } }
            try await agent.setNetwork(NetworkConfiguration())
            let description = try await party.log.descriptions(of: upload).recipients[0]
            let download = try await agent.receiveFile(user: 1, description, to: LocalFile(party.folder("b")))
            _ = try await party.log.file(of: download)
            #expect(try party.folder.contents("b") == bytes)
            try await party.stop(agent)
        }
    }
}
