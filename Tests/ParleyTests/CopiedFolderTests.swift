import EncryptedSQLite
import Foundation
import Logging
import SystemSupport
import TestSupport
import Testing

@testable import Hosting
@testable import Parley

/// Data folders that were copied by other means than a backup.
@Suite struct CopiedFolderTests {
    private func restore(_ source: FolderParts, to target: FolderParts, replaces: Bool = false) throws -> String? {
        try target.data.locked { _ in try target.data.restore(source.data.path, key: target.key, replaces: replaces) }
    }

    private func emptied(_ folder: FolderParts) throws -> FolderParts {
        let copy = try folder.copy()
        for name in try FileManager.default.contentsOfDirectory(atPath: copy.data.path) { try FileManager.default.removeItem(atPath: copy(name)) }
        return copy
    }

    private func folderID(_ folder: FolderParts) throws -> String? { try folder.manifest()?.folder }

    @Test(arguments: [false, true])
    func aCopyIsNoticedAtItsFirstStartAndIsAFolderOfItsOwnFromThenOn(isEncrypted: Bool) async throws {
        let key = isEncrypted ? try DatabaseKey("x'" + String(repeating: "3c", count: 32) + "'") : nil
        let folder = try await FolderParts(key: key), before = try await folder.content(), id = try folderID(folder)
        let copy = try folder.copy(), log = RecordedLog()
        #expect(try await copy.content(logger: log.logger) == before)
        #expect(log.all.count { $0.metadata["code"] == "folder.copied" && $0.level == .warning } == 1)
        let manifest = try #require(try copy.manifest())
        #expect(manifest.folder != id && manifest.restoredAt != nil && manifest.isCopy == nil && !manifest.mustSynchronize)
        #expect(try copy.marks().count == 5 && copy.marks().values.allSatisfy { $0.folder == manifest.folder && $0.generation == manifest.generation })
        for _ in 1...2 {
            let later = RecordedLog()
            #expect(try await copy.content(logger: later.logger) == before)
            #expect(!later.all.contains { ["folder.copied", "folder.restored"].contains($0.metadata["code"]) })
        }
        #expect(try folderID(copy) == manifest.folder)
        // The original goes on as it was.
        #expect(try await folder.content() == before)
        #expect(try folderID(folder) == id && folder.manifest()?.restoredAt == nil)
    }

    @Test func aFolderThatIsMovedOrRenamedIsNoCopy() async throws {
        let folder = try await FolderParts(), before = try await folder.content(), id = try folderID(folder)
        let moved = try folder.moved()
        #expect(try await moved.content() == before)
        #expect(try folderID(moved) == id && moved.manifest()?.restoredAt == nil)
    }

    /// As `cp -r snapshot/. data` does: every file keeps its number, but for those that are new at each start.
    @Test func aCopyThatIsWrittenOverTheFilesOfTheFolderIsNoticed() async throws {
        let folder = try await FolderParts(), before = try await folder.content(), snapshot = try folder.copy(), id = try folderID(folder)
        _ = try await folder.content()
        for name in try snapshot.files() where !name.hasSuffix(".lock") {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: snapshot(name)))
            guard let handle = FileHandle(forWritingAtPath: folder(name)) else { continue }
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: bytes)
            try handle.close()
        }
        #expect(try await folder.content() == before)
        #expect(try folderID(folder) != id && folder.manifest()?.restoredAt != nil)
    }

    /// A database of the same run, which its generation does not tell from the one that it replaces.
    @Test(arguments: ["parley_chat.db", "parley_agent.db", "bots.db"])
    func aDatabaseThatIsReplacedByACopyOfTheSameRunIsNoticed(_ name: String) async throws {
        let folder = try await FolderParts(), before = try await folder.content(), id = try folderID(folder)
        try folder.replace(name, by: try folder.copy())
        #expect(try await folder.content() == before)
        #expect(try folderID(folder) != id)
    }

    @Test func anotherKeyAndABackupMakeNoCopyOfTheFolder() async throws {
        let key = try DatabaseKey("x'" + String(repeating: "3c", count: 32) + "'"), other = try DatabaseKey("x'" + String(repeating: "4d", count: 32) + "'")
        let folder = try await FolderParts(), before = try await folder.content(), id = try folderID(folder)
        _ = try folder.data.locked { _ in try folder.data.backUp(to: folder.folder.path + "/backups", key: nil) }
        var last: DatabaseKey?
        for next in [key, other, nil] {
            try folder.data.locked { databases in try databases.changeKey(from: last, to: next) }
            last = next
            let keyed = FolderParts(folder, key: next)
            #expect(try await keyed.content() == before)
            #expect(try folderID(keyed) == id && keyed.manifest()?.restoredAt == nil)
        }
    }

    @Test func aRestoredBackupIsNoCopyBesides() async throws {
        let folder = try await FolderParts(), empty = try emptied(folder), log = RecordedLog()
        let backup = try folder.data.locked { _ in try folder.data.backUp(to: folder.folder.path + "/backups", key: nil) }
        _ = try empty.data.locked { _ in try empty.data.restore(backup, key: nil, replaces: false) }
        for _ in 1...2 { _ = try await empty.content(logger: log.logger) }
        #expect(log.all.compactMap { $0.metadata["code"] }.filter { $0.hasPrefix("folder.") } == ["folder.restored"])
    }

    /// Earlier versions note no numbers.
    @Test func theFirstStartAfterAnUpdateNotesTheFilesAndChangesNothingElse() async throws {
        let folder = try await FolderParts(), before = try await folder.content(), id = try folderID(folder)
        try folder.forgetFiles()
        let copy = try folder.copy()
        #expect(try await copy.content() == before)
        #expect(try folderID(copy) == id && copy.manifest()?.restoredAt == nil)
        let second = try copy.copy()
        #expect(try await second.content() == before)
        #expect(try folderID(second) != id)
    }

    /// Such as a folder of another machine that is mounted anew before each start.
    @Test func aFileSystemThatGivesOtherInodesAtEachStartIsFoundOut() async throws {
        let folder = try await FolderParts(), before = try await folder.content()
        var ids: [String?] = [], codes: [[String]] = []
        for start in 1...5 {
            var manifest = try #require(try folder.manifest())
            manifest.file = FileIdentity(inode: .max - UInt64(start), birth: nil)
            try WholeFile.replace(folder.data.manifestPath, with: try SmallFile.bytes(of: manifest))
            let log = RecordedLog()
            #expect(try await folder.content(logger: log.logger) == before)
            ids.append(try folderID(folder))
            codes.append(log.all.compactMap { $0.metadata["code"] }.filter { $0.hasPrefix("folder.") })
        }
        #expect(codes == [["folder.copied"], ["folder.copied"], ["folder.copied"], ["folder.unsteadyInodes"], ["folder.unsteadyInodes"]])
        #expect(Set(ids).count == 3)
        // One start at which they are as they were, and the next copy is noticed.
        _ = try await folder.content()
        #expect(try folder.manifest()?.inodeChanges == nil)
        let copy = try folder.copy()
        _ = try await copy.content()
        #expect(try folderID(copy) != ids.last)
    }

    @Test func aFolderThatAPersonMarksAsACopyIsOne() async throws {
        let folder = try await FolderParts(), before = try await folder.content(), id = try folderID(folder), log = RecordedLog()
        try folder.data.locked { _ in try folder.data.noteCopy(key: nil) }
        for _ in 1...2 { #expect(try await folder.content(logger: log.logger) == before) }
        #expect(log.all.count { $0.metadata["code"] == "folder.copied" } == 1)
        #expect(try folderID(folder) != id && folder.manifest()?.restoredAt != nil)
        try FileManager.default.removeItem(atPath: folder("bots.db"))
        #expect { try folder.data.locked { _ in try folder.data.noteCopy(key: nil) } } throws: { ($0 as? HostError)?.code == .folderPartMissing }
    }

    /// The manifest is written first, and then each part.
    @Test func theFirstStartOfACopyIsFinishedByTheNextWhereverItEnded() async throws {
        let whole = try await FolderParts(), before = try await whole.content()
        let original = try #require(try whole.manifest())
        for count in 0...5 {
            let copy = try whole.copy()
            var starting = original
            (starting.previous, starting.folder, starting.generation) = (original.folder, "ab", original.generation + 1)
            (starting.isRaising, starting.mustSynchronize, starting.restoredAt) = (true, true, 1)
            try SmallFile.write(starting, to: copy.data.manifestPath)
            for part in FolderPart.allCases.prefix(count) { try copy.data.write(starting.mark, to: part, key: nil) }
            let log = RecordedLog()
            #expect(try await copy.content(logger: log.logger) == before, "\(count) parts are marked")
            #expect(log.all.contains { $0.metadata["code"] == "folder.copied" }, "\(count) parts are marked")
            let manifest = try #require(try copy.manifest())
            #expect(manifest.folder == "ab" && manifest.previous == nil && !manifest.isRaising && !manifest.mustSynchronize)
        }
    }

    // MARK: Restoring a copy

    @Test(arguments: [false, true])
    func aCopyWithoutAMarkIsRestoredLikeABackup(isEncrypted: Bool) async throws {
        let key = isEncrypted ? try DatabaseKey("x'" + String(repeating: "3c", count: 32) + "'") : nil
        let folder = try await FolderParts(key: key), before = try await folder.content(), copy = try folder.copy(), id = try folderID(folder)
        try FileManager.default.createDirectory(atPath: copy("backups/old"), withIntermediateDirectories: true)
        let content = try copy.files().map { try Data(contentsOf: URL(fileURLWithPath: copy($0))) }
        let empty = try emptied(folder), log = RecordedLog()
        #expect(try !DataFolder.isBackup(copy.data.path))
        #expect(try restore(copy, to: empty) == nil)
        #expect(!FileManager.default.fileExists(atPath: empty("backups")))
        #expect(try await empty.content(logger: log.logger) == before)
        #expect(log.all.count { $0.metadata["code"] == "folder.copied" } == 1)
        #expect(try folderID(empty) != id)
        // What was copied is as it was.
        #expect(try copy.files().map { try Data(contentsOf: URL(fileURLWithPath: copy($0))) } == content)
        let target = try folder.copy()
        #expect { try restore(copy, to: target) } throws: { ($0 as? HostError)?.code == .backup }
        let kept = try restore(copy, to: target, replaces: true)
        #expect(kept != nil)
        #expect(try await target.content() == before)
    }

    @Test func aCopyThatIsNotWholeMixedForeignOrInUseIsNotRestored() async throws {
        let folder = try await FolderParts(), earlier = try folder.copy(), other = try await FolderParts()
        _ = try await folder.content()
        let empty = try emptied(folder)
        @Sendable func refusal(_ copy: FolderParts) -> HostError? {
            do {
                _ = try restore(copy, to: empty)
                return nil
            } catch { return error as? HostError }
        }
        for name in FolderParts.parts {
            let partial = try folder.copy()
            try FileManager.default.removeItem(atPath: partial(name))
            let refused = refusal(partial)
            #expect(refused?.code == .backup && refused?.message.contains(partial(name)) == true, "\(name): \(String(describing: refused))")
            for source in [earlier, other] {
                let mixed = try folder.copy()
                try mixed.replace(name, by: source)
                let refused = refusal(mixed)
                #expect(refused?.code == .backup && refused?.message.contains(mixed(name)) == true, "\(name): \(String(describing: refused))")
            }
        }
        let unknown = try folder.copy()
        try FileManager.default.removeItem(atPath: unknown.data.manifestPath)
        #expect(refusal(unknown)?.code == .backup)
        let torn = try folder.copy(), bytes = try Data(contentsOf: URL(fileURLWithPath: torn("parley_chat.db")))
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: torn("parley_chat.db")))
        #expect { try restore(torn, to: empty) } throws: { $0 is HostError || ($0 as? StorageError)?.code == .corrupt }
        #expect(try FileManager.default.contentsOfDirectory(atPath: empty.data.path).allSatisfy { $0.hasSuffix(".lock") })
        let code = try await folder.start { _, _ in refusal(folder)?.code }
        #expect(code == .dataFolderInUse)
        #expect { try restore(folder, to: folder, replaces: true) } throws: { ($0 as? HostError)?.message.contains("mark-copy") == true }
    }

    @Test func whatARestoreHasReplacedIsACopyOnceItIsBack() async throws {
        let folder = try await FolderParts(), before = try await folder.content()
        let backup = try folder.data.locked { _ in try folder.data.backUp(to: folder.folder.path + "/backups", key: nil) }
        let kept = try folder.data.locked { _ in try folder.data.restore(backup, key: nil, replaces: true) }
        let other = try emptied(folder), log = RecordedLog()
        for name in try FileManager.default.contentsOfDirectory(atPath: try #require(kept)) {
            try FileManager.default.moveItem(atPath: try #require(kept) + "/" + name, toPath: other(name))
        }
        #expect(try await other.content(logger: log.logger) == before)
        #expect(log.all.count { $0.metadata["code"] == "folder.copied" } == 1)
    }
}
