import Foundation
import SMPCrypto
import SMPWire
import TestSupport
import Testing
import XFTPProtocol

@testable import XFTPAgent
@testable import XFTPServer

/// Routers, and senders of descriptions, that are not honest.
@Suite struct HostileRouterTests {
    @Test func aChunkThatIsNotTheOneOfTheDescriptionIsRefusedAndLeavesNothing() async throws {
        try await withRouter { router, servers in
            let party = try Party(servers)
            let agent = try await party.start()
            let (file, _) = try party.folder.file("a", size: 100_000)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            let recipient = try await party.log.descriptions(of: upload).recipients[0]
            let chunks = router.fileCore.configuration.folder + "/files"
            for name in try FileManager.default.contentsOfDirectory(atPath: chunks) {
                let size = try Data(contentsOf: URL(fileURLWithPath: chunks + "/" + name)).count
                try Data(repeating: 7, count: size).write(to: URL(fileURLWithPath: chunks + "/" + name))
            }
            let download = try await agent.receiveFile(user: 1, recipient, to: LocalFile(party.folder("b")))
            let failure = try await party.log.failure(of: download)
            #expect(failure.code == .router && failure.router == .digest)
            try await agent.remove(download)
            #expect(party.folder.names(in: "work").isEmpty)
            #expect(party.folder.names(in: "").filter { $0 == "b" || $0.contains(".part-") }.isEmpty)
            try await party.stop(agent)
        }
    }

    @Test func aDescriptionWithAnotherKeyOrOtherChunksNeverMakesAFile() async throws {
        try await withRouter { _, servers in
            let party = try Party(servers)
            // A chunk of another size is tried again while the time of the transfer lasts: here, not at all.
            let agent = try await party.start(lifetime: .zero)
            let (file, _) = try party.folder.file("a", size: 400_000)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            let recipient = try await party.log.descriptions(of: upload).recipients[0]
            try #require(recipient.chunks.count > 1)
            var descriptions: [FileDescription] = []
            func change(_ body: (inout FileDescription) -> Void) {
                var changed = recipient
                body(&changed)
                descriptions.append(changed)
            }
            change { $0.key = BoxSecret.random(SystemRandomSource()) }
            change { $0.size = 1 << 20 }
            change { $0.size = 70_000 }
            change { $0.chunks.removeLast() }
            change { description in
                // In the other order, each with its own digest.
                (description.chunks[0].replicas, description.chunks[1].replicas) = (description.chunks[1].replicas, description.chunks[0].replicas)
                (description.chunks[0].digest, description.chunks[1].digest) = (description.chunks[1].digest, description.chunks[0].digest)
            }
            change { $0.chunks[0].digest = Hash.sha256([1]) }
            change { $0.chunks[0].replicas = [] }
            change { $0.size = .max }
            var refused = 0
            for (index, changed) in descriptions.enumerated() {
                let target = "b\(index)"
                // Descriptions come as texts.
                guard let description = try? FileDescription(parsing: changed.text) else {
                    refused += 1
                    continue
                }
                do {
                    let download = try await agent.receiveFile(user: 1, description, to: LocalFile(party.folder(target)))
                    _ = try await party.log.failure(of: download)
                    try await agent.remove(download)
                } catch let error as FileTransferError {
                    #expect(error.code == .size)
                }
                #expect(party.folder.names(in: "").filter { $0.hasPrefix(target) }.isEmpty, "description \(index)")
            }
            #expect(refused < descriptions.count)
            #expect(party.folder.names(in: "work").isEmpty)
            try await party.stop(agent)
        }
    }
}
