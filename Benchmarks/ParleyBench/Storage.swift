internal import EncryptedSQLite
internal import Foundation
internal import GRDB

/// Databases, plain and encrypted, as the engine opens them: write-ahead log, `synchronous=FULL`.
enum Storage {
    static func measure(effort: Double) async throws -> [Figure] {
        var figures: [Figure] = []
        for (name, key) in [("plain", nil), ("encrypted", try DatabaseKey("a passphrase"))] {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("parley-bench-" + UUID().uuidString).path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            figures += try await measure(name, key, folder + "/a.db", effort)
        }
        return figures
    }

    private static func measure(_ name: String, _ key: DatabaseKey?, _ path: String, _ effort: Double) async throws -> [Figure] {
        let clock = ContinuousClock()
        var file: DatabaseFile?
        let making = try clock.measure { file = try open(path, key) }
        guard let made = file else { return [] }
        let single = Int(2_000 * effort), batches = Int(200 * effort), rows = 200

        let singles = try await clock.measure {
            for _ in 0..<single { try await made.write { try insert($0) } }
        }
        // As many as wait share a commit.
        let shared = try await clock.measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 { group.addTask { for _ in 0..<single / 4 { try await made.write { try insert($0) } } } }
                try await group.waitForAll()
            }
        }
        let batched = try await clock.measure {
            for _ in 0..<batches { try await made.write { db in for _ in 0..<rows { try insert(db) } } }
        }
        let count = try await made.read { try Int64.fetchOne($0, sql: "SELECT max(id) FROM entry") ?? 1 }
        let reads = Int(20_000 * effort)
        let reading = try await clock.measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for reader in 0..<4 {
                    group.addTask {
                        var random = UInt64(reader + 1)
                        for _ in 0..<reads / 4 {
                            random = random &* 6_364_136_223_846_793_005 &+ 1
                            let id = Int64(random >> 33) % count + 1
                            _ = try await made.read { try Data.fetchOne($0, sql: "SELECT data FROM entry WHERE id = ?", arguments: [id]) }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await made.close()
        let opening = try await clock.measure { try await open(path, key).close() }
        var figures = [
            Figure("\(name): rows of 1 KB, one a transaction", Double(single) / singles.seconds, .perSecond),
            Figure("\(name): rows of 1 KB, 16 writers", Double(single / 4 * 16) / shared.seconds, .perSecond),
            Figure("\(name): rows of 1 KB, \(rows) a transaction", Double(batches * rows) / batched.seconds, .perSecond),
            Figure("\(name): rows read, 4 readers", Double(reads) / reading.seconds, .perSecond),
            Figure("\(name): a database made", making.seconds * 1000, .milliseconds),
            Figure("\(name): opened and closed, keys derived", opening.seconds * 1000, .milliseconds),
        ]
        if key != nil {
            let another = try DatabaseKey("a passphrase")
            let deriving = try await clock.measure { try await open(path, another).close() }
            figures.append(Figure("\(name): opened and closed, keys not derived yet", deriving.seconds * 1000, .milliseconds))
        }
        return figures
    }

    private static func open(_ path: String, _ key: DatabaseKey?) throws -> DatabaseFile {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("entries") { db in
            try db.execute(
                sql: "CREATE TABLE entry (id INTEGER PRIMARY KEY, name TEXT NOT NULL, data BLOB NOT NULL) STRICT; CREATE INDEX names ON entry (name)")
        }
        return try DatabaseFile(path: path, label: "bench", migrator: migrator, key: key)
    }

    private static func insert(_ db: Database) throws {
        try db.cachedStatement(sql: "INSERT INTO entry (name, data) VALUES (hex(randomblob(8)), randomblob(1000))").execute()
    }
}
