import ChatAPI
import ChatProtocol
import ChatRules
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine

/// A file is sent and received again and again, and one of the cores is killed at the steps of it.
@Suite("A core that is killed while files are transferred")
struct FileCrashTests {
    enum Victim: String, CaseIterable, Sendable { case sender, receiver }

    /// Every so manieth step is tried, to save time; with 1 all are.
    private static let stride = 2

    @Test("loses and doubles nothing", arguments: Victim.allCases)
    func transfer(_ whose: Victim) async throws {
        let scene = try await FileScene()
        let victim = whose == .sender ? scene.alice : scene.bob
        var step = 0
        var wasKilled = true
        while wasKilled {
            let name = "\(step).bin"
            let what: Comment = "step \(step)"
            let content = Bytes(repeating: UInt8(truncatingIfNeeded: step), count: 1_000 + step)
            try scene.alice.put(content, name)
            let message: JSONValue = ["fileSource": ["filePath": .string(name)], "msgContent": ["type": "file", "text": .string(name)]]
            let command = try ChatCommand(parsing: "/_send @\(scene.bobAtAlice) json \(JSONValue.array([message]).text)")
            let restarting = victim.killAndRestart(afterSteps: step)
            let send: @Sendable (TestCore) async throws -> Void = { _ = try await $0.native.send(command, as: 1, onceAs: name) }
            if whose == .sender { try await scene.alice.persistently(restarting, send) } else { try await send(scene.alice.core) }
            let offer = try await scene.offered(name)
            let receive: @Sendable (TestCore) async throws -> Void = { core in
                let answer = await core.answer("/freceive \(offer.fileID)")
                // The process may have ended after the commit.
                let code = answer["chatError"]?["errorType"]?["type"]?.stringValue
                guard answer["type"] == "rcvFileAccepted" || code == "fileAlreadyReceiving" else { throw UnexpectedAnswer() }
            }
            if whose == .receiver { try await scene.bob.persistently(restarting, receive) } else { try await receive(scene.bob.core) }
            await scene.atBob(name, .receiveComplete)
            await scene.atAlice(name, .sendComplete)
            await scene.nothingIsLeft()
            wasKilled = try await victim.crash.settle(restarting)
            let received = try #require(await scene.bob.core.files(with: scene.aliceAtBob).last?.fileSource?.filePath, what)
            #expect(scene.bob.contents(received) == content, what)
            #expect(await scene.bob.core.received(from: scene.aliceAtBob).filter { $0 == name }.count == 1, what)
            #expect(await scene.alice.core.messages(with: scene.bobAtAlice).filter { $0.meta.text == name }.count == 1, what)
            step += Self.stride
        }
        #expect(step > 10)
        // Names that were reserved by a process that ended are released.
        let names = await scene.bob.core.files(with: scene.aliceAtBob).compactMap { $0.fileSource?.filePath }
        await scene.bob.expectFiles(names)
        await scene.close()
    }
}
