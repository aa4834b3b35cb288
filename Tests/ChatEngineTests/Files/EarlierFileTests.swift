import ChatAPI
import ChatProtocol
import ChatRules
import ChatSimulation
import EncryptedSQLite
import Foundation
import GRDB
import SMPWire
import TestSupport
import Testing
import XFTPProtocol

@testable import ChatEngine
@testable import ChatStore

/// Files that were offered to versions that could not receive any.
@Suite struct EarlierFileTests {
    private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/6a9f9cf/plain").path

    @Test func aFileThatWasOfferedBeforeFilesCouldBeReceivedIsReceivedNow() async throws {
        let folder = try TemporaryFolder()
        for database in ["chat", "agent"] {
            try FileManager.default.copyItem(atPath: "\(Self.fixture)/\(database).sqlite", toPath: folder("parley_\(database).db"))
        }
        let cloud = SimulatedFileStorage()
        let made = try cloud.put([1, 2, 3], recipients: 1)
        // As that version has stored what came: the item that the fixture has received, with a whole description, and one that was cut.
        let database = try DatabaseQueue(path: folder("parley_chat.db"))
        try await database.write { db in
            for (item, name, description) in [(10, "whole.bin", made.recipients[0].text), (9, "cut.bin", String(made.recipients[0].text.prefix(200)))] {
                try db.execute(
                    sql: """
                        INSERT INTO files (user_id, chat_item_id, file_name, file_size, protocol, status_json, invitation_json, description, created_at)
                        VALUES (1, ?, ?, 3, 'xftp', '{"type":"rcvInvitation"}', '{}', ?, 1795394826942229646)
                        """, arguments: [item, name, description])
            }
        }
        try database.close()
        let files = try TemporaryFolder()
        let service = SimulatedFileService(cloud)
        let alice = try await TestWorld().open(prefix: folder("parley"), files: service, configure: { $0.filesFolder = files.path })
        let bob = try #require(await alice.connected().last)
        let offered = await alice.files(with: bob)
        #expect(offered.map(\.fileName) == ["cut.bin", "whole.bin"])
        #expect(offered.map(\.status) == [.receiveInvitation, .receiveInvitation])
        #expect(await alice.refusal(of: "/freceive \(offered[0].fileID) approved_relays=on") == "invalidFileDescription")
        // The profile has no file routers of its own.
        #expect(await alice.refusal(of: "/freceive \(offered[1].fileID)") == "fileNotApproved")
        // Until the refused attempt has given up its name, another one gets a name beside it.
        try await eventually("the name is free") { try FileManager.default.contentsOfDirectory(atPath: files.path).isEmpty }
        _ = try await alice.run("/freceive \(offered[1].fileID) approved_relays=on")
        #expect(await alice.eventually { await alice.files(with: bob).last?.status == .receiveComplete })
        #expect(Bytes(try Data(contentsOf: URL(fileURLWithPath: files("whole.bin")))) == [1, 2, 3])
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path) == ["whole.bin"])
        await alice.close()
    }
}
