import ChatAPI
import ChatProtocol
import ChatRules
import SMPCrypto
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine

/// A file comes inside messages again and again, and the receiving core is killed at the steps of it: between chunks, before the file is written, and
/// while it is.
@Suite("A core that is killed while a file comes inside messages")
struct InlineFileCrashTests {
    /// Every so manieth step is tried, to save time; with 1 all are.
    private static let stride = 2

    @Test("loses and doubles nothing", arguments: [InlineFileMode.offer, .sent])
    func transfer(_ mode: InlineFileMode) async throws {
        let scene = try await InlineFileScene()
        let bob = scene.bob, contact = scene.aliceAtBob
        var step = 0
        var wasKilled = true
        while wasKilled {
            let name = "\(step).bin", id = SharedMessageID([1] + Bytes("\(step)".utf8)), what: Comment = "step \(step)"
            let content = SeededRandomSource(seed: UInt64(step)).bytes(20_000 + step)
            let restarting = bob.killAndRestart(afterSteps: step)
            try await scene.send([mode == .offer ? InlineFileScene.offer(content, name: name) : InlineFileScene.voice(content, name: name)], id: id)
            let offer = try await scene.offered(name)
            if mode == .offer {
                try await bob.persistently(restarting) { core -> Void in
                    let answer = await core.answer("/freceive \(offer.fileID)")
                    // The process may have ended after the commit.
                    let code = answer["chatError"]?["errorType"]?["type"]?.stringValue
                    guard answer["type"] == "rcvFileAccepted" || code == "fileAlreadyReceiving" else { throw UnexpectedAnswer() }
                }
            }
            try await scene.send(InlineFileScene.chunks(content, of: id))
            await scene.expect(.receiveComplete, name)
            wasKilled = try await bob.crash.settle(restarting)
            let file = try #require(await bob.core.files(with: contact).last, what)
            #expect(file.fileName == name && file.status == .receiveComplete, what)
            #expect(file.fileSource.flatMap { bob.contents($0.filePath) } == content, what)
            #expect(await bob.core.files(with: contact).count == step / Self.stride + 1, what)
            step += Self.stride
        }
        #expect(step > 10)
        // Neither names that were reserved nor parts of files are left.
        await scene.expectOnly(await bob.core.files(with: contact).compactMap { $0.fileSource?.filePath })
        await scene.close()
    }
}
