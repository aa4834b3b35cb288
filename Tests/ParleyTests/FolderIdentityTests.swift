import ChatAPI
import ChatProtocol
import EncryptedSQLite
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Hosting
@testable import Parley

/// Data folders of which a part is gone, damaged, older or of another folder, as they are found at a start.
@Suite struct FolderIdentityTests {
    private enum Damage: String, CaseIterable {
        case missing, empty, half, garbage

        func apply(to path: String) throws {
            let url = URL(fileURLWithPath: path), bytes = try Data(contentsOf: url)
            switch self {
            case .missing: try FileManager.default.removeItem(atPath: path)
            case .empty: try Data().write(to: url)
            case .half: try bytes.prefix(bytes.count / 2).write(to: url)
            case .garbage: try Data((0..<max(bytes.count, 64)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }).write(to: url)
            }
        }
    }

    /// Either a start is refused, with a code and the file's name or a way out, or nothing is lost.
    @Test(.timeLimit(.minutes(15)), arguments: [false, true])
    func whateverBecomesOfAFileTheStartIsRefusedOrNothingIsLost(isEncrypted: Bool) async throws {
        let key = isEncrypted ? try DatabaseKey("x'" + String(repeating: "3c", count: 32) + "'") : nil
        let whole = try await FolderParts(key: key)
        let before = try await whole.content()
        #expect(before.profiles == ["Ann"] && before.addresses.count == 1 && before.bots == ["ann": 1] && before.routers.count == 2)
        for file in try whole.files() where !file.hasSuffix(".lock") {
            for damage in Damage.allCases {
                // What an encrypted database holds of a salt cannot be told from a wrong key, and the routers know nothing of keys.
                guard !isEncrypted || file.hasSuffix(".db") else { continue }
                let folder = try whole.copy()
                try damage.apply(to: folder(file))
                let original = try? Data(contentsOf: URL(fileURLWithPath: folder(file)))
                switch await folder.outcome() {
                case .success(let content):
                    #expect(content == before, "\(file) \(damage)")
                    // Queues are nowhere else.
                    #expect(!file.hasPrefix("router/journal-"), "\(file) \(damage)")
                case .failure(let refused):
                    #expect(refused.code != "failed" && !refused.message.isEmpty, "\(file) \(damage): \(refused)")
                    // What was found is still there, for who looks into it.
                    if damage != .missing, !file.hasSuffix("-wal") {
                        #expect(try Data(contentsOf: URL(fileURLWithPath: folder(file))) == original, "\(file) \(damage)")
                    }
                }
            }
        }
    }

    @Test(arguments: FolderParts.parts)
    func aPartThatIsGoneIsRefusedUntilThatIsAccepted(_ part: String) async throws {
        let folder = try await FolderParts()
        let before = try await folder.content()
        try FileManager.default.removeItem(atPath: folder(part))
        guard case .failure(let refused) = await folder.outcome() else {
            Issue.record("\(part) is not missed")
            return
        }
        #expect(refused.code == "folderPartMissing" && refused.message.contains(part) && refused.message.contains("parley db accept"))
        #expect(!FileManager.default.fileExists(atPath: folder(part)))
        #expect(!(try folder.data.acceptParts(key: nil).isEmpty))
        let after = try await folder.content()
        // What the agent knew is not in the content.
        #expect(after != before || part == "parley_agent.db")
        // From then on all belongs together again.
        #expect(try await folder.content() == after)
        #expect(Set(try folder.marks().values.map(\.folder)).count == 1)
    }

    @Test(arguments: FolderParts.parts)
    func aPartOfAnEarlierStartOrOfAnotherFolderIsRefused(_ part: String) async throws {
        let folder = try await FolderParts()
        let earlier = try folder.copy(), other = try await FolderParts()
        _ = try await folder.content()
        for (source, code) in [(earlier, "folderPartOlder"), (other, "folderPartForeign")] {
            let mixed = try folder.copy()
            try mixed.replace(part, by: source)
            guard case .failure(let refused) = await mixed.outcome() else {
                Issue.record("\(part) is taken: \(code)")
                continue
            }
            #expect(refused.code == code && refused.message.contains(part), "\(refused)")
        }
    }

    /// What a process leaves that is killed: its last transactions are in the write-ahead logs only.
    @Test(arguments: ["parley_chat.db", "parley_agent.db", "bots.db"])
    func aWriteAheadLogThatIsGoneAfterAKillIsRefusedUntilThatIsAccepted(_ part: String) async throws {
        let folder = try await FolderParts()
        let (whole, lost) = try await folder.start { host, store in
            let profile = NewUser(profile: Profile(displayName: "Bea", fullName: ""), pastTimestamp: false, isChatRelay: false)
            guard case .activeUser(let user) = try await host.core.send(.users(.create(profile)), as: nil) else { throw CancellationError() }
            _ = try await host.core.send(.core(.start()), as: nil)
            _ = try await host.core.send(.address(.create(user: user.userID)), as: user.userID)
            try await store.database.write { db in try db.execute(sql: "INSERT INTO bot (bot_id, user_id) VALUES ('bob', 2)") }
            return (try folder.copy(), try folder.copy())
        }
        try FileManager.default.removeItem(atPath: lost(part + "-wal"))
        guard case .failure(let refused) = await lost.outcome() else {
            Issue.record("the log of \(part) is not missed")
            return
        }
        #expect(refused.code == "folderPartMissing" && refused.message.contains(part + "-wal") && refused.message.contains("parley db accept"))
        #expect(await lost.outcome() == .failure(refused), "nothing was changed")
        _ = try lost.data.acceptParts(key: nil)
        _ = try await lost.content()
        #expect(try await whole.content().bots == ["ann": 1, "bob": 2])
    }

    @Test func allFilesOfAFolderHaveItsIdentityAndEveryStartRaisesTheGeneration() async throws {
        let folder = try await FolderParts()
        let first = try #require(try folder.manifest())
        #expect(first.parts.count == 5 && !first.isRaising && !first.mustSynchronize)
        for round in 1...3 as ClosedRange<Int64> {
            let marks = try folder.marks()
            #expect(marks.count == 5 && marks.values.allSatisfy { $0.folder == first.folder && $0.generation == first.generation + round - 1 })
            _ = try await folder.content()
        }
        #expect(try FileManager.default.attributesOfItem(atPath: folder.data.manifestPath)[.posixPermissions] as? Int == 0o600)
    }

    @Test func aFolderOfAnEarlierVersionIsAdoptedAndKeepsEverything() async throws {
        let folder = try await FolderParts()
        let before = try await folder.content()
        try folder.removeIdentity()
        #expect(try await folder.content() == before)
        #expect(try folder.marks().count == 5 && folder.manifest()?.parts.count == 5)
        // One of which a database is gone is not.
        for name in ["parley_chat.db", "parley_agent.db"] {
            let damaged = try folder.copy()
            try damaged.removeIdentity()
            try FileManager.default.removeItem(atPath: damaged(name))
            guard case .failure(let refused) = await damaged.outcome() else {
                Issue.record("\(name) is not missed")
                continue
            }
            #expect(refused.code == "folderPartMissing" && refused.message.contains(name))
        }
    }

    /// Adopting begins with the manifest; then parts are marked, in any order that a kill leaves.
    @Test func adoptingIsFinishedByTheNextStartWhereverItEnded() async throws {
        let whole = try await FolderParts()
        let before = try await whole.content()
        let manifest = FolderManifest(folder: "ab", generation: 1, isRaising: true, parts: [])
        for count in 0...5 {
            let folder = try whole.copy()
            try folder.removeIdentity()
            try SmallFile.write(manifest, to: folder.data.manifestPath)
            for part in FolderPart.allCases.prefix(count) { try folder.data.write(manifest.mark, to: part, key: nil) }
            #expect(try await folder.content() == before, "\(count) parts are marked")
            #expect(try folder.marks().count == 5 && folder.manifest()?.isRaising == false)
        }
    }

    @Test func raisingTheGenerationIsFinishedByTheNextStartWhereverItEnded() async throws {
        let whole = try await FolderParts()
        let before = try await whole.content()
        for count in 0...5 {
            let folder = try whole.twin()
            var manifest = try #require(try folder.manifest())
            manifest.generation += 1
            manifest.isRaising = true
            try SmallFile.write(manifest, to: folder.data.manifestPath)
            for part in FolderPart.allCases.prefix(count) { try folder.data.write(manifest.mark, to: part, key: nil) }
            #expect(try await folder.content() == before, "\(count) parts are marked")
            let marks = try folder.marks()
            #expect(marks.count == 5 && marks.values.allSatisfy { $0.generation == manifest.generation })
        }
    }

    @Test func aFolderThatIsDeletedAsAWholeBeginsAnew() async throws {
        let folder = try await FolderParts()
        try FileManager.default.removeItem(atPath: folder.folder.path + "/data")
        #expect(try await folder.content().profiles.isEmpty)
    }

    @Test func aManifestOfALaterVersionIsRefused() async throws {
        let folder = try await FolderParts()
        var manifest = try #require(try folder.manifest())
        manifest.format = 2
        try SmallFile.write(manifest, to: folder.data.manifestPath)
        guard case .failure(let refused) = await folder.outcome() else {
            Issue.record("it is opened")
            return
        }
        #expect(refused.code == "dataFolder" && refused.message.contains("newer version"))
    }

    /// As a program on the API has them.
    @Test func databasesThatAreNamedByTheirPrefixHaveAnIdentityToo() async throws {
        let folder = try TemporaryFolder()
        func open() async throws {
            var configuration = HostConfiguration(dataFolder: folder.path, logger: FolderParts.logger)
            configuration.databaseKey = nil
            configuration.databasePrefix = DataFolder(databasePrefix: folder("bot"))
            await (try await CoreHost.open(configuration)).close()
        }
        try await open()
        try await open()
        #expect(FileManager.default.fileExists(atPath: folder("bot.folder")))
        try FileManager.default.removeItem(atPath: folder("bot_agent.db"))
        let error = await #expect(throws: HostError.self) { try await open() }
        #expect(error?.code == .folderPartMissing && error?.message.contains("bot_agent.db") == true)
    }
}
