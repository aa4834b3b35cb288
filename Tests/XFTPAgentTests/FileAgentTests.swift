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

@Suite struct FileAgentTests {
    @Test(arguments: [0, 1, 65_503, 65_536, 300_000, 5 << 20])
    func aFileIsSentToAllItsRecipientsAndNothingIsLeftBehind(_ size: Int) async throws {
        try await withRouter { router, servers in
            let (alice, bob) = (try Party(servers), try Party(servers))
            let (sending, receiving) = (try await alice.start(), try await bob.start())
            let (file, bytes) = try alice.folder.file("photo.jpg", size: size)
            let upload = try await sending.sendFile(user: 1, file, name: "photo.jpg", recipients: 2)
            let (sender, recipients) = try await alice.log.descriptions(of: upload)
            #expect(recipients.count == 2)
            #expect(sender.size == recipients[0].size)
            for (index, description) in recipients.enumerated() {
                let key: LocalFile.Key? = index == 0 ? nil : .random(SystemRandomSource())
                let target = LocalFile(bob.folder("received-\(index)"), key: key)
                let download = try await receiving.receiveFile(user: 1, try FileDescription(parsing: description.text), to: target)
                #expect(try await bob.log.file(of: download) == target)
                #expect(try target.contents(upTo: 10 << 20) == bytes)
                #expect((try bob.folder.contents("received-\(index)") == bytes) == (key == nil || size == 0 && key == nil))
                try await receiving.remove(download)
            }
            let total = ChunkPlan.total(recipients[0].chunks.map(\.size))
            for event in alice.log.all {
                guard case .uploadProgress(_, let sent, let all) = event else { continue }
                #expect(sent < total && all == total)
            }
            for event in bob.log.all {
                switch event {
                case .downloadProgress(_, let received, let all): #expect(received < total && all == total)
                case .downloadComplete(_, _, let size): #expect(size == total)
                default: break
                }
            }
            try await sending.delete(upload)
            try await eventually("the chunks are deleted from the router") { router.statistics.files == 0 }
            #expect(alice.folder.names(in: "work").isEmpty)
            #expect(bob.folder.names(in: "work").isEmpty)
            #expect(bob.folder.names(in: "").filter { $0.contains(".part-") }.isEmpty)
            try await alice.stop(sending)
            try await bob.stop(receiving)
        }
    }

    @Test func moreRecipientsThanACommandNamesGetDescriptionsToo() async throws {
        try await withRouter { _, servers in
            let party = try Party(servers)
            let agent = try await party.start()
            let (file, bytes) = try party.folder.file("a", size: 10)
            let upload = try await agent.sendFile(user: 1, file, name: "a", recipients: 450)
            let (_, recipients) = try await party.log.descriptions(of: upload)
            #expect(recipients.count == 450)
            for index in [0, 199, 200, 449] {
                let download = try await agent.receiveFile(user: 1, recipients[index], to: LocalFile(party.folder("r\(index)")))
                _ = try await party.log.file(of: download)
                #expect(try party.folder.contents("r\(index)") == bytes)
            }
            try await party.stop(agent)
        }
    }

    @Test func aShortDescriptionLeadsToALongOne() async throws {
        try await withRouter { _, servers in
            let party = try Party(servers)
            let agent = try await party.start()
            let (file, bytes) = try party.folder.file("a", size: 13 << 20)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            let (_, recipients) = try await party.log.descriptions(of: upload)
            let redirect = try await agent.sendDescription(user: 1, recipients[0])
            let (_, short) = try await party.log.descriptions(of: redirect)
            #expect(short[0].text.utf8.count < recipients[0].text.utf8.count)
            #expect(short[0].chunks.count == 1)
            let link = FileDescriptionLink(description: short[0]).wireString
            let download = try await agent.receiveFile(
                user: 1, try FileDescriptionLink(wireString: link).description, to: LocalFile(party.folder("received")))
            _ = try await party.log.file(of: download)
            #expect(try party.folder.contents("received") == bytes)
            // One that leads to another file than it says is refused.
            var wrong = short[0]
            wrong.redirect?.size += 1
            let refused = try await agent.receiveFile(user: 1, wrong, to: LocalFile(party.folder("none")))
            #expect(try await party.log.failure(of: refused).code == .redirect)
            #expect(!FileManager.default.fileExists(atPath: party.folder("none")))
            try await party.stop(agent)
        }
    }

    @Test func aFileOnUnknownRoutersIsReceivedOnlyIfThatIsApproved() async throws {
        try await withRouter { router, servers in
            let (alice, bob) = (try Party(servers), try Party(FixedServers(servers: [], isKnown: false)))
            let (sending, receiving) = (try await alice.start(), try await bob.start())
            let (file, bytes) = try alice.folder.file("a", size: 10)
            let upload = try await sending.sendFile(user: 1, file, name: "a")
            let description = try await alice.log.descriptions(of: upload).recipients[0]
            let error = await #expect(throws: FileTransferError.self) {
                _ = try await receiving.receiveFile(user: 1, description, to: LocalFile(bob.folder("b")))
            }
            #expect(error?.code == .notApproved)
            #expect(error?.servers == [router.address.wireString])
            let download = try await receiving.receiveFile(user: 1, description, to: LocalFile(bob.folder("b")), approvesServers: true)
            _ = try await bob.log.file(of: download)
            #expect(try bob.folder.contents("b") == bytes)
            // There is nothing to upload to.
            let none = await #expect(throws: FileTransferError.self) { _ = try await receiving.sendFile(user: 1, file, name: "a") }
            #expect(none?.code == .noServers)
            try await alice.stop(sending)
            try await bob.stop(receiving)
        }
    }

    @Test(arguments: [false, true]) func throughAProxyUnknownRoutersNeedNoApprovalUntilItIsSwitchedOff(isKnown: Bool) async throws {
        try await withRouter { router, servers in
            let alice = try Party(servers), bob = try Party(isKnown ? servers : FixedServers(servers: [], isKnown: false))
            let (sending, receiving) = (try await alice.start(), try await bob.start())
            let (file, bytes) = try alice.folder.file("a", size: 10)
            let upload = try await sending.sendFile(user: 1, file, name: "a")
            let description = try await alice.log.descriptions(of: upload).recipients[0]
            // A proxy that takes connections and says nothing.
            let proxy = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0).get()
            var network = NetworkConfiguration()
            network.socksProxy = SOCKSProxy(port: try #require(proxy.localAddress?.port), authentication: .none)
            try await receiving.setNetwork(network)
            let download = try await receiving.receiveFile(user: 1, description, to: LocalFile(bob.folder("b")))
            try await eventually("the router is asked") { await receiving.sessions.count == 1 }
            try await receiving.setNetwork(NetworkConfiguration())
            // The router is within reach now, and would see the address.
            if isKnown {
                _ = try await bob.log.file(of: download)
                #expect(try bob.folder.contents("b") == bytes)
            } else {
                #expect(try await bob.log.failure(of: download).code == .notApproved)
                #expect(!FileManager.default.fileExists(atPath: bob.folder("b")))
            }
            try await proxy.close()
            try await alice.stop(sending)
            try await bob.stop(receiving)
        }
    }

    @Test func whatCannotBeTransferredFailsAndSaysWhy() async throws {
        try await withRouter { router, servers in
            let party = try Party(servers)
            let agent = try await party.start()
            let absent = await #expect(throws: FileTransferError.self) {
                _ = try await agent.sendFile(user: 1, LocalFile(party.folder("none")), name: "a")
            }
            #expect(absent?.code == .file)
            let (file, _) = try party.folder.file("a", size: 70_000)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            let (sender, recipients) = try await party.log.descriptions(of: upload)
            // A file that is there already stays as it is.
            let occupied = try await agent.receiveFile(user: 1, recipients[0], to: file)
            #expect(try await party.log.failure(of: occupied).code == .file)
            #expect(try party.folder.contents("a").count == 70_000)
            // One whose description has another key, or another digest.
            var wrong = recipients[0]
            wrong.digest = Bytes(repeating: 1, count: 64)
            let damaged = try await agent.receiveFile(user: 1, wrong, to: LocalFile(party.folder("damaged")))
            #expect(try await party.log.failure(of: damaged).code == .file)
            // One that the sender has deleted.
            try await agent.deleteRemote(user: 1, sender)
            try await eventually("the chunks are deleted") { router.statistics.files == 0 }
            let gone = try await agent.receiveFile(user: 1, recipients[0], to: LocalFile(party.folder("gone")))
            let failure = try await party.log.failure(of: gone)
            #expect(failure.code == .noFile && failure.router == .auth)
            #expect(party.folder.names(in: "work").isEmpty)
            #expect(party.folder.names(in: "").filter { $0.contains(".part-") || $0 == "gone" || $0 == "damaged" }.isEmpty)
            // A failure is announced again until the transfer is removed.
            try await agent.remove(damaged)
            try await party.stop(agent)
            let before = party.log.all.count
            let again = try await party.start()
            _ = try await eventually("the failures come again") {
                party.log.all.dropFirst(before).contains { $0.id == gone } && party.log.all.dropFirst(before).contains { $0.id == occupied }
            }
            #expect(!party.log.all.dropFirst(before).contains { $0.id == damaged })
            try await party.stop(again)
        }
    }

    @Test func aTransferWaitsForARouterThatIsAwayAndWarns() async throws {
        let folder = try TemporaryFolder()
        var configuration = FileRouterConfiguration(folder: folder.path)
        configuration.port = 0
        let first = try await FileRouter.start(configuration, logger: quiet)
        await first.stop()
        configuration.port = first.port
        let party = try Party(FixedServers(servers: [XFTPServerWithAuth(first.address)]))
        let agent = try await party.start()
        let (file, bytes) = try party.folder.file("a", size: 10)
        let upload = try await agent.sendFile(user: 1, file, name: "a")
        try await eventually("a warning") { party.log.all.contains { if case .uploadWarning(upload, _) = $0 { true } else { false } } }
        let router = try await FileRouter.start(configuration, logger: quiet)
        let description = try await party.log.descriptions(of: upload).recipients[0]
        let download = try await agent.receiveFile(user: 1, description, to: LocalFile(party.folder("b")))
        _ = try await party.log.file(of: download)
        #expect(try party.folder.contents("b") == bytes)
        await router.stop()
        // After its time a transfer fails.
        try await party.stop(agent)
        let impatient = try await party.start(lifetime: .zero)
        let late = try await impatient.sendFile(user: 1, file, name: "a")
        #expect(try await party.log.failure(of: late).code == .network)
        try await party.stop(impatient)
    }

    @Test func anUploadThatARouterHasForgottenIsAnnouncedAgain() async throws {
        try await withRouter { router, servers in
            let party = try Party(servers)
            let isInterrupted = Mutex(false)
            let agent = try await party.start { moment in
                guard moment == .uploaded else { return }
                isInterrupted.withLock { $0 = true }
                throw CancellationError()
            }
            let (file, bytes) = try party.folder.file("a", size: 10)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            try await eventually("the transfer is interrupted") { isInterrupted.withLock { $0 } }
            let forgotten = try #require(try await agent.store.upload(upload)?.chunks[0].replica)
            try await party.stop(agent)
            _ = try await router.answer("delete \(forgotten.id.wireString)")
            let again = try await party.start()
            let (sender, recipients) = try await party.log.descriptions(of: upload)
            #expect(sender.chunks[0].replicas[0].id != forgotten.id)
            let download = try await again.receiveFile(user: 1, recipients[0], to: LocalFile(party.folder("b")))
            _ = try await party.log.file(of: download)
            #expect(try party.folder.contents("b") == bytes)
            try await party.stop(again)
        }
    }

    @Test func aTransferThatIsRemovedInTheMiddleLeavesNothing() async throws {
        try await withRouter { router, servers in
            let party = try Party(servers)
            let agent = try await party.start()
            let (file, _) = try party.folder.file("a", size: 13 << 20)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            try await eventually("the upload has begun") { router.statistics.uploadedFiles > 0 }
            try await agent.delete(upload)
            #expect(party.folder.names(in: "work").isEmpty)
            #expect(try await agent.store.uploads().isEmpty)
            // What was announced and not noted expires; the rest is deleted.
            try await eventually("the chunks are deleted") { router.statistics.uploadedFiles == 0 }
            try await party.stop(agent)
        }
    }
}
