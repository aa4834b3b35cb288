import EncryptedSQLite
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Hosting
@testable import Parley

/// Backups of whole data folders.
@Suite struct FolderRestoreTests {
    private func backUp(_ folder: FolderParts) throws -> String {
        try folder.data.locked { _ in try folder.data.backUp(to: folder.folder.path + "/backups", key: folder.key) }
    }

    private func restore(_ backup: String, to folder: FolderParts, replaces: Bool = false) throws -> String? {
        try folder.data.locked { _ in try folder.data.restore(backup, key: folder.key, replaces: replaces) }
    }

    private func emptied(_ folder: FolderParts) throws -> FolderParts {
        let copy = try folder.copy()
        for name in try FileManager.default.contentsOfDirectory(atPath: copy.data.path) { try FileManager.default.removeItem(atPath: copy(name)) }
        return copy
    }

    @Test(arguments: [false, true])
    func aBackupHoldsEverythingAndIsPutBackInAnEmptyFolder(isEncrypted: Bool) async throws {
        let key = isEncrypted ? try DatabaseKey("x'" + String(repeating: "3c", count: 32) + "'") : nil
        let folder = try await FolderParts(key: key)
        let before = try await folder.content()
        try Data("a file".utf8).write(to: URL(fileURLWithPath: folder("files/received.txt")))
        let backup = try backUp(folder)
        // Nothing of the folder itself has changed.
        #expect(try await folder.content() == before)
        let empty = try emptied(folder)
        #expect(try restore(backup, to: empty) == nil)
        #expect(try empty.manifest()?.backup != nil)
        #expect(try await empty.content() == before)
        #expect(try Data(contentsOf: URL(fileURLWithPath: empty("files/received.txt"))) == Data("a file".utf8))
        // It is a folder of its own now: no part of it fits the one that it was made of.
        let manifest = try #require(try empty.manifest())
        #expect(try manifest.folder != folder.manifest()?.folder && manifest.backup == nil && manifest.restoredAt != nil && !manifest.mustSynchronize)
        #expect(try empty.marks().values.allSatisfy { $0.folder == manifest.folder && $0.backup == nil })
        #expect(try await empty.content() == before)
    }

    @Test func aBackupOfARunningFolderHoldsEverything() async throws {
        let folder = try await FolderParts()
        let before = try await folder.content()
        let target = folder.folder.path + "/copies"
        let paths = try await folder.start { host, store in try await host.backUp(to: target, with: store.database) }
        let empty = try emptied(folder)
        _ = try restore(try #require(paths.first), to: empty)
        #expect(try await empty.content() == before)
    }

    @Test func aFolderWithDataIsRefusedAndKeptAsideWhereThatIsAskedFor() async throws {
        let folder = try await FolderParts()
        let backup = try backUp(folder)
        try await folder.start { _, store in
            try await store.database.write { db in try db.execute(sql: "INSERT INTO bot (bot_id, user_id) VALUES ('ben', 2)") }
        }
        let newer = try await folder.content()
        #expect { try restore(backup, to: folder) } throws: { ($0 as? HostError)?.code == .backup }
        #expect(try await folder.content() == newer)
        let kept = try #require(try restore(backup, to: folder, replaces: true))
        #expect(try await folder.content().bots == ["ann": 1])
        // What was there before can be used as it was.
        let other = try folder.copy()
        for name in FolderParts.parts + ["parley.folder"] {
            try FileManager.default.removeItem(atPath: other(name))
            try FileManager.default.copyItem(atPath: kept + "/" + name, toPath: other(name))
        }
        #expect(try await other.content() == newer)
    }

    @Test func oneCopyAmongPartsThatAreInUseIsRefused() async throws {
        let folder = try await FolderParts()
        let backup = try backUp(folder)
        for name in ["parley_chat.db", "parley_agent.db", "bots.db"] {
            let mixed = try folder.copy()
            try FileManager.default.removeItem(atPath: mixed(name))
            try FileManager.default.copyItem(atPath: backup + "/" + name, toPath: mixed(name))
            guard case .failure(let refused) = await mixed.outcome() else {
                Issue.record("\(name) is taken")
                continue
            }
            #expect(refused.code == "folderPartOlder" && refused.message.contains(name))
        }
    }

    @Test func aBackupThatIsNotWholeIsNotRestored() async throws {
        let folder = try await FolderParts()
        let backup = try backUp(folder)
        let empty = try emptied(folder)
        for name in FolderParts.parts + ["parley.folder"] {
            let partial = folder.folder.path + "/partial"
            try FileManager.default.copyItem(atPath: backup, toPath: partial)
            try FileManager.default.removeItem(atPath: partial + "/" + name)
            #expect("\(name)") { try restore(partial, to: empty) } throws: { ($0 as? HostError)?.code == .backup }
            try FileManager.default.removeItem(atPath: partial)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: empty.data.path).allSatisfy { $0.hasSuffix(".lock") })
    }

    /// The steps of a restore, as a kill leaves them: staged, decided, cleared in part, filled in part.
    @Test func aRestoreThatEndsAnywhereIsDoneOrNotDone() async throws {
        let folder = try await FolderParts()
        let before = try await folder.content()
        let backup = try backUp(folder)
        try await folder.start { _, store in
            try await store.database.write { db in try db.execute(sql: "INSERT INTO bot (bot_id, user_id) VALUES ('ben', 2)") }
        }
        let newer = try await folder.content(), manager = FileManager.default

        let staged = try folder.copy()
        try manager.copyItem(atPath: backup, toPath: staged("restore.partial"))
        #expect(try await staged.content() == newer)
        #expect(!manager.fileExists(atPath: staged("restore.partial")))

        let names = FolderParts.parts + ["parley.folder", "files"]
        for moved in 0...names.count {
            let clearing = try folder.copy()
            try manager.copyItem(atPath: backup, toPath: clearing("restoring.T"))
            try manager.createDirectory(atPath: clearing("replaced.T"), withIntermediateDirectories: false)
            for name in names.prefix(moved) { try manager.moveItem(atPath: clearing(name), toPath: clearing("replaced.T/" + name)) }
            #expect(try await clearing.content() == before, "\(moved) parts are kept aside")
            #expect(manager.fileExists(atPath: clearing("replaced.T/bots.db")) && !manager.fileExists(atPath: clearing("restored.T")))

            let filling = try folder.copy()
            try manager.createDirectory(atPath: filling("replaced.T"), withIntermediateDirectories: false)
            for name in names { try manager.moveItem(atPath: filling(name), toPath: filling("replaced.T/" + name)) }
            try manager.copyItem(atPath: backup, toPath: filling("restored.T"))
            for name in names.prefix(moved) { try manager.moveItem(atPath: filling("restored.T/" + name), toPath: filling(name)) }
            #expect(try await filling.content() == before, "\(moved) parts are in their place")
        }
    }
}
