import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import Foundation
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Folders made by earlier versions. A folder has a profile, alice, with an address and a contact, bob; two messages sent, one received, and three
/// written while the core was stopped.
@Suite("Data folders of earlier versions")
struct EarlierFolderTests {
    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures").path

    @Test(
        "open, keep everything, send what waited and make new connections",
        arguments: [("6a9f9cf/plain", nil), ("6a9f9cf/encrypted", "fixture key")])
    func opens(_ name: String, _ key: String?) async throws {
        let folder = try TemporaryFolder()
        for database in ["chat", "agent"] {
            try FileManager.default.copyItem(atPath: "\(Self.fixtures)/\(name)/\(database).sqlite", toPath: "\(folder.path)/parley_\(database).db")
        }
        let world = TestWorld()
        let alice = try await world.open(prefix: folder.path + "/parley", key: try key.map { try DatabaseKey($0) })

        let bob = try #require(await alice.connected().last)
        let waiting = ["waiting 1", "waiting 2", "waiting 3"]
        #expect(await alice.messages(with: bob).map(\.meta.text) == ["hello bob", "the second", "hello alice"] + waiting)
        // bob's router is gone: the agent keeps what it was given until it is back.
        let isHandedOver = await alice.eventually {
            let store = alice.native.engine.store
            return
                (try? await store.read { db in
                    try db.number("SELECT count(*) FROM deliveries WHERE done = 0") == 0 && db.number("SELECT count(*) FROM delivery_bodies") == 0
                }) ?? false
        }
        #expect(isHandedOver)

        let carol = try await world.core("carol")
        try await carol.join(try await alice.invite())
        let isConnected = await alice.eventually { await alice.connected().count == 2 }
        try #require(isConnected)
        let atAlice = try #require(await alice.connected().last)
        _ = try await alice.send("hello carol", to: atAlice)
        let arrived = await carol.eventually { await carol.connected().isEmpty == false }
        try #require(arrived)
        let atCarol = try #require(await carol.connected().last)
        #expect(await carol.eventually { await carol.received(from: atCarol) == ["hello carol"] })
        await alice.close()
        await carol.close()
    }
}
