import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import EncryptedSQLite

/// A database whose process was killed, and whose write-ahead log was lost since.
@Suite struct LogExtentTests {
    /// The folders of processes that were killed: each is there as long as the stage is.
    private final class Copies: Sendable {
        let folders = Mutex<[TemporaryFolder]>([])
    }

    private struct Stage {
        let folder: TemporaryFolder
        let path: String
        let key: DatabaseKey?
        let file: DatabaseFile
        private let copies = Copies()

        init(encrypted: Bool) throws {
            folder = try TemporaryFolder()
            path = folder.path + "/a.db"
            key = encrypted ? try DatabaseKey("x'" + String(repeating: "3c", count: 32) + "'") : nil
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, value BLOB)") }
            file = try DatabaseFile(path: path, label: "test", migrator: migrator, key: key)
        }

        func write(_ count: Int = 1, bytes: Int = 10) async throws {
            for _ in 0..<count {
                try await file.write { try $0.execute(sql: "INSERT INTO t (value) VALUES (?)", arguments: [Data(repeating: 7, count: bytes)]) }
            }
        }

        /// What a process leaves that is killed now.
        func killed(_ change: (String) throws -> Void = { _ in }) throws -> (folder: TemporaryFolder, member: DatabaseSet.Member) {
            let other = try TemporaryFolder()
            for suffix in ["", "-wal", "-extent"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: other.path + "/a.db" + suffix)
            }
            copies.folders.withLock { $0.append(other) }
            try change(other.path + "/a.db-wal")
            return (other, DatabaseSet.Member(label: "test", path: other.path + "/a.db"))
        }
    }

    private func cut(_ path: String, to share: Double) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try bytes.prefix(Int(Double(bytes.count) * share)).write(to: URL(fileURLWithPath: path))
    }

    @Test(arguments: [false, true])
    func aLogThatIsGoneOrCutShortAfterAKillIsMissedAndOneThatIsWholeIsNot(encrypted: Bool) async throws {
        let stage = try Stage(encrypted: encrypted)
        try await stage.write(5)
        #expect(try stage.killed().member.logLoss() == nil)
        #expect(try stage.killed { try FileManager.default.removeItem(atPath: $0) }.member.logLoss() == .missing)
        #expect(try stage.killed { try self.cut($0, to: 0) }.member.logLoss() == .missing)
        #expect(try stage.killed { try self.cut($0, to: 0.01) }.member.logLoss() != nil)
        #expect(try stage.killed { try self.cut($0, to: 0.9) }.member.logLoss() == .shorter)
        try await stage.file.close()
        #expect(try stage.killed().member.logLoss() == nil && !stage.folder.names().contains("a.db-extent"))
    }

    /// The log begins anew whenever all of it is folded into the database.
    @Test(arguments: [false, true])
    func theExtentIsRightWheneverTheProcessIsKilledWhileTheLogBeginsAnewManyTimes(encrypted: Bool) async throws {
        let stage = try Stage(encrypted: encrypted)
        for round in 0..<60 {
            try await stage.write(bytes: 400_000)
            if round % 3 == 0 { try await stage.write(2) }
            #expect(try stage.killed().member.logLoss() == nil, "\(round)")
            #expect(try stage.killed { try FileManager.default.removeItem(atPath: $0) }.member.logLoss() == .missing, "\(round)")
        }
        let log = try FileManager.default.attributesOfItem(atPath: stage.path + "-wal")[.size] as? Int ?? 0
        #expect(log < 60 * 400_000 / 2, "it is folded in as without a hook")
        try await stage.file.close()
    }

    @Test func anEarlierLogIsNotTakenForTheLast() async throws {
        let stage = try Stage(encrypted: false)
        try await stage.write(3)
        let early = try Data(contentsOf: URL(fileURLWithPath: stage.path + "-wal"))
        try await stage.write(20, bytes: 400_000)
        try await stage.write(20, bytes: 400_000)
        #expect(try stage.killed { try early.write(to: URL(fileURLWithPath: $0)) }.member.logLoss() != nil)
        try await stage.file.close()
    }

    @Test func whatWasFoldedInOrAcceptedIsNotMissed() async throws {
        let stage = try Stage(encrypted: false)
        try await stage.write(3)
        let (folder, member) = try stage.killed()
        // Opening it for a moment folds the log in.
        #expect(try member.presence(key: nil) == .present(nil))
        #expect(try member.logLoss() == nil && !folder.names().contains("a.db-extent"))
        let (lost, other) = try stage.killed { try FileManager.default.removeItem(atPath: $0) }
        #expect(try other.logLoss() == .missing)
        try other.acceptLogLoss()
        #expect(try other.logLoss() == nil && !lost.names().contains("a.db-extent"))
        try await stage.file.close()
    }

    /// A page that is mapped and has no file behind it would end the process.
    @Test func theExtentOfAnOpenDatabaseCanBeForgottenAndTheDatabaseIsWrittenOn() async throws {
        let stage = try Stage(encrypted: false)
        try await stage.write(3)
        try LogExtent.forget(stage.path)
        try await stage.write(3)
        let second = try #require(LogExtent(of: stage.path))
        try await stage.write(3)
        second.finish()
        try await stage.file.close()
        #expect(try !stage.folder.names().contains("a.db-extent"))
    }

    @Test func anExtentThatIsNotWholeSaysNothing() async throws {
        let stage = try Stage(encrypted: false)
        try await stage.write(3)
        for content in [Data(), Data("PARLEY".utf8), Data(repeating: 0xFF, count: 24)] {
            let (folder, member) = try stage.killed { try FileManager.default.removeItem(atPath: $0) }
            try content.write(to: URL(fileURLWithPath: folder.path + "/a.db-extent"))
            #expect(try member.logLoss() == nil)
        }
        try await stage.file.close()
    }
}

extension TemporaryFolder {
    fileprivate func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}
