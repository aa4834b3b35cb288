import Foundation
import GRDB
import TestSupport
import Testing

@testable import EncryptedSQLite

/// A database after a loss of power: what was not synchronised with the disk is lost from its files, in each as if the others were not there.
///
/// A commit has synchronised the log. The extent of the log is never synchronised while the database is open: the disk may have any of its earlier states, or
/// none. The database itself may be behind its log. Of the transaction that was being committed, the log may have any beginning.
@Suite struct PowerLossTests {
    /// The files after a commit.
    private struct Moment {
        var database, log: Data
        var extent: Data?
        var rows: Int

        /// The number of the log, which changes when it begins anew.
        var salt: Data { log.prefix(20).suffix(4) }
    }

    private struct Stage {
        let folder = try? TemporaryFolder()
        let key: DatabaseKey?
        var moments: [Moment] = []

        static func migrator() -> DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, value BLOB)") }
            return migrator
        }

        /// Commits of many sizes, so that the log begins anew several times.
        init(encrypted: Bool) async throws {
            key = encrypted ? try DatabaseKey("x'" + String(repeating: "3c", count: 32) + "'") : nil
            let path = try #require(folder).path + "/a.db"
            let file = try DatabaseFile(path: path, label: "test", migrator: Self.migrator(), key: key)
            for number in 1...26 {
                let bytes = number % 5 == 0 ? 1_500_000 : number % 3 == 0 ? 10 : 400_000
                try await file.write { try $0.execute(sql: "INSERT INTO t (value) VALUES (?)", arguments: [Data(repeating: 7, count: bytes)]) }
                moments.append(
                    Moment(
                        database: try Data(contentsOf: URL(fileURLWithPath: path)), log: try Data(contentsOf: URL(fileURLWithPath: path + "-wal")),
                        extent: try? Data(contentsOf: URL(fileURLWithPath: path + "-extent")), rows: number))
            }
            try await file.close()
        }
    }

    /// The states of the log on the disk after a commit, when power is lost before the next one has ended: it was written in order, over what an earlier log has
    /// left.
    private func logs(_ before: Data, _ next: Moment?) -> [(name: String, log: Data)] {
        guard let next else { return [("whole", before)] }
        let beginning = next.log.prefix(20).suffix(4) == before.prefix(20).suffix(4) ? before.count : 0
        let cuts = [0, 16, 32, 32 + 24, 32 + 24 + 4_096, 32 + 24 + 4_096 + 100].map { beginning + $0 } + [next.log.count / 2, next.log.count - 1]
        return [("whole", before)]
            + cuts.filter { $0 > beginning && $0 < next.log.count }.map { cut in
                ("next begun, \(cut) bytes", next.log.prefix(cut) + (cut < before.count ? before.suffix(from: cut) : Data()))
            }
    }

    @Test(arguments: [false, true])
    func afterALossOfPowerNoLogIsMissedThatIsThereAndEveryCommittedTransactionIsFound(encrypted: Bool) async throws {
        let stage = try await Stage(encrypted: encrypted)
        let starts = Set(stage.moments.map(\.salt))
        #expect(starts.count >= 3, "the log has begun anew")
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db", member = DatabaseSet.Member(label: "test", path: path)
        func write(_ data: Data?, _ suffix: String) throws {
            let url = URL(fileURLWithPath: path + suffix)
            if let data { try data.write(to: url) } else { try? FileManager.default.removeItem(at: url) }
        }
        for (number, moment) in stage.moments.enumerated() {
            let next = number + 1 < stage.moments.count ? stage.moments[number + 1] : nil
            for (name, log) in logs(moment.log, next) {
                try write(log, "-wal")
                // All that was noted before, and what a file is that was made and not written.
                let extents = stage.moments[...number].map(\.extent) + [nil, Data(), Data(repeating: 0, count: 24), moment.extent?.prefix(16)]
                for (index, extent) in extents.enumerated() {
                    try write(extent, "-extent")
                    #expect(try member.logLoss() == nil, "commit \(number), log \(name), extent \(index)")
                }
            }
            guard number % 4 == 3 || number + 1 == stage.moments.count || next?.salt != moment.salt else { continue }
            for (name, log) in logs(moment.log, next) {
                // The database may be as it was before the log was folded into it, as long as the log has not begun anew.
                let earlier = number > 0 && stage.moments[number - 1].salt == moment.salt ? stage.moments[number - 1].database : moment.database
                for database in name == "whole" ? [moment.database, earlier] : [moment.database] {
                    try write(database, "")
                    try write(log, "-wal")
                    try write(nil, "-shm")
                    try write(stage.moments[number / 2].extent, "-extent")
                    #expect(try member.logLoss() == nil)
                    let file = try DatabaseFile(path: path, label: "test", migrator: Stage.migrator(), key: stage.key)
                    let rows = try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") ?? 0 }
                    try await file.close()
                    #expect(rows == moment.rows || name != "whole" && rows == moment.rows + 1, "commit \(number), log \(name): \(rows) rows")
                    #expect(try member.logLoss() == nil)
                }
            }
        }
    }

    @Test func whatIsReallyLostWithTheExtentOnTheDiskIsStillMissed() async throws {
        let stage = try await Stage(encrypted: false), last = try #require(stage.moments.last)
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db", member = DatabaseSet.Member(label: "test", path: path)
        try last.database.write(to: URL(fileURLWithPath: path))
        try #require(last.extent).write(to: URL(fileURLWithPath: path + "-extent"))
        #expect(try member.logLoss() == .missing)
        try last.log.prefix(last.log.count / 2).write(to: URL(fileURLWithPath: path + "-wal"))
        // The log may be longer than what of it is committed.
        let committed = try #require(last.extent).suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & 0xFFFF_FFFF
        #expect(try member.logLoss() == (32 + Int(committed) * (24 + 4_096) > last.log.count / 2 ? .shorter : nil))
    }

    /// The next start makes the extent anew. The one before it must not come back once its log is folded in.
    @Test func anExtentOfAnEarlierProcessDoesNotComeBackAfterItsLogWasFoldedIn() async throws {
        let stage = try await Stage(encrypted: false), last = try #require(stage.moments.last)
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db", member = DatabaseSet.Member(label: "test", path: path)
        try last.database.write(to: URL(fileURLWithPath: path))
        try last.log.write(to: URL(fileURLWithPath: path + "-wal"))
        let extent = URL(fileURLWithPath: path + "-extent")
        try #require(last.extent).write(to: extent)
        // The name that was removed may come back: its content must say nothing by then.
        try FileManager.default.linkItem(at: extent, to: URL(fileURLWithPath: path + "-kept"))
        #expect(try member.presence(key: nil) == .present(nil))
        try FileManager.default.copyItem(at: URL(fileURLWithPath: path + "-kept"), to: extent)
        #expect(try member.logLoss() == nil)
        try FileManager.default.removeItem(at: extent)
        let file = try DatabaseFile(path: path, label: "test", migrator: Stage.migrator(), key: nil)
        try await file.write { try $0.execute(sql: "INSERT INTO t (value) VALUES (x'01')") }
        try await file.close()
        #expect(try member.logLoss() == nil)
    }
}
