import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import FileFaults
import Foundation
import SMPCrypto
import SMPWire
import TestSupport
import Testing
import XFTPProtocol

@testable import ChatEngine

/// Files of chats on a disk that fails: a person sends one, and another receives it, forwards it to the notes and deletes both. `PARLEY_FAULTS=all` goes
/// through all N.
@Suite("A disk that fails beneath the files of chats", .serialized)
struct FileFaultTests {
    private static let content = SeededRandomSource(seed: 7).bytes(100_000)

    /// A disk beneath the folders for files of both.
    private struct Disks {
        let all: [FileFaults]

        func fail(_ operation: DiskOperation, number: Int, times: Int) {
            for disk in all { disk.fail(operation, number: number, times: times) }
        }

        func heal() { for disk in all { disk.heal() } }
        var failures: Int { all.reduce(0) { $0 + $1.failures } }
    }

    /// Asks again after a refusal, as a person does.
    private func again(_ core: TestCore, _ command: String) async throws -> ChatResponse {
        for _ in 0..<10 {
            if let answer = try? await core.run(command) { return answer }
        }
        return try await core.run(command)
    }

    @Test(
        "for any N-th operation: what is shown as received is whole, what is not leaves nothing, and the rest goes on", .timeLimit(.minutes(10)),
        arguments: [DiskOperation.open, .read, .write, .synchronize, .remove], [false, true])
    func exchange(_ operation: DiskOperation, encrypts: Bool) async throws {
        let failed = try await FaultySweep.run(few: operation == .remove ? 1 : 2) { number in
            let scene = try await FileScene()
            let failures = try await FileFaults.with(below: scene.alice.filesFolder) { alices in
                try await FileFaults.with(below: scene.bob.filesFolder) { bobs in
                    try await exchange(scene, Disks(all: [alices, bobs]), operation, number, encrypts: encrypts)
                }
            }
            await scene.close()
            return failures > 0
        }
        #expect(failed > 0)
    }

    private func exchange(_ scene: FileScene, _ disks: Disks, _ operation: DiskOperation, _ number: Int, encrypts: Bool) async throws -> Int {
        let what: Comment = "\(operation) \(number)\(encrypts ? ", encrypted" : "")"
        let (alice, bob, atAlice, atBob) = (scene.alice, scene.bob, scene.bobAtAlice, scene.aliceAtBob)
        disks.fail(operation, number: number, times: [1, 3][number % 2])
        var received: ChatItem?
        for round in 1...8 where received == nil {
            let name = "\(round).bin"
            try alice.put(Self.content, name)
            for _ in 0..<10 {
                if (try? await scene.sendStored(name)) != nil { break }
            }
            let sent = try await alice.eventual("\(name) is sent or failed") { core -> ItemFileStatus? in
                let files = await core.files(with: atAlice).filter { $0.fileName == name }
                return files.count == 1 && files[0].status.isFinal ? files[0].status : nil
            }
            guard sent == .sendComplete else { continue }
            let offer = try await scene.offered(name)
            guard case .rcvFileAccepted = try await again(bob.core, "/freceive \(offer.fileID)\(encrypts ? " encrypt=on" : "")") else {
                throw UnexpectedAnswer()
            }
            let item = try await bob.eventual("\(name) is received or failed") { core -> ChatItem? in
                let item = await core.messages(with: atBob).last { $0.file?.fileName == name }
                return item?.file?.status.isFinal == true ? item : nil
            }
            if item.file?.status == .receiveComplete { received = item }
        }
        let original = try #require(received, what)
        #expect(try content(original, bob) == Self.content, what)
        guard case .newChatItems(_, let copies) = try await again(bob.core, "/_forward *1 @\(atBob) \(original.meta.itemID)"), let copy = copies.first?.chatItem
        else { throw UnexpectedAnswer() }
        #expect(try content(copy, bob) == Self.content, what)
        _ = try await again(bob.core, "/_delete item @\(atBob) \(original.meta.itemID) internal")
        #expect(try content(copy, bob) == Self.content, what)
        _ = try await again(bob.core, "/_delete item *1 \(copy.meta.itemID) internal")
        // Files are removed after the answer.
        await bob.eventually("the files of deleted items are removed, or cannot be") { core in
            if disks.failures > 0 { return true }
            return await core.leftovers() == 0
        }
        let failures = disks.failures
        disks.heal()
        // What could not be removed then is removed at the next start.
        await bob.kill()
        try await bob.restart()
        await bob.expectFiles([])
        await scene.nothingIsLeft()
        try await scene.settle()
        return failures
    }

    /// The content of an item's file as it is on the disk.
    private func content(_ item: ChatItem, _ person: TestPerson) throws -> Bytes {
        let source = try #require(item.file?.fileSource)
        let key = try source.cryptoArguments?.localKey
        let file = LocalFile(person.filesFolder + "/" + source.filePath, key: key)
        for _ in 0..<10 {
            // The disk may refuse this too.
            if let contents = try? file.contents(upTo: 1 << 20) { return contents }
        }
        return try file.contents(upTo: 1 << 20)
    }
}
