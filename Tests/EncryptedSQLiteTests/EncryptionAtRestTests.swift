import Foundation
import GRDB
import StorageFaults
import TestSupport
import Testing

@testable import EncryptedSQLite

@Suite("An encrypted database on disk", .serialized)
struct EncryptionAtRestTests {
    /// What must not be found.
    private static let secret = "the quick brown fox jumps over the lazy dog"

    /// The texts that are in the bytes.
    private static func find(_ texts: [String], in bytes: [UInt8]) -> [String] { texts.filter { bytes.contains($0) } }

    @Test("shows nothing of what is in it, while it is open and after")
    func noPlaintext() async throws {
        let folder = try TemporaryFolder()
        for key in [nil, try DatabaseKey.raw(1)] {
            let name = key == nil ? "plain.db" : "secret.db"
            let file = try DatabaseFile.entries(folder(name), key: key)
            for number in 0..<200 { try await file.add("\(number) \(Self.secret)") }
            // Overwrites, spills and large values, in the log.
            try await file.write { db in
                try db.execute(sql: "UPDATE entry SET name = name || ?", arguments: [String(repeating: Self.secret, count: 20)])
                try db.execute(sql: "PRAGMA cache_size = 10")
                try db.execute(sql: "UPDATE entry SET name = name || ' again'")
            }
            #expect(try await file.names().count == 200)
            let open = try folder.files().filter { $0.key.hasPrefix(name) }
            #expect(open.keys.contains(name + "-wal"))
            try await file.close()
            let closed = try folder.files().filter { $0.key.hasPrefix(name) }
            let files = Array(open) + Array(closed)
            guard key != nil else {
                #expect(files.contains { Self.find(["brown fox"], in: $0.value) == ["brown fox"] }, "the search finds what is there")
                continue
            }
            for (path, bytes) in files {
                #expect(Self.find(["brown fox", "CREATE TABLE", "SQLite format", "entry", "again"], in: bytes) == [], "\(path)")
            }
        }
    }

    @Test("shows nothing in its rollback journal, and is rolled back from it after a crash")
    func journal() throws {
        let folder = try TemporaryFolder()
        let key = try DatabaseKey.raw(1)
        let (queue, registration) = try SQLCipherVectorTests.queue(folder("a.db"), key)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE entry (id INTEGER PRIMARY KEY, name TEXT, data BLOB)")
            for _ in 0..<50 { try db.execute(sql: "INSERT INTO entry (name, data) VALUES (?, zeroblob(3000))", arguments: [Self.secret]) }
        }
        // A transaction that does not fit into memory has its journal and its pages on disk before it ends.
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: "PRAGMA cache_size = 5; BEGIN; UPDATE entry SET name = 'changed', data = zeroblob(2000); INSERT INTO entry (name) VALUES ('more')")
            let (database, journal) = (try folder.contents("a.db"), try folder.contents("a.db-journal"))
            #expect(journal.count > 20 * 4096)
            for bytes in [database, journal] { #expect(Self.find(["brown fox", "CREATE TABLE", "changed"], in: bytes) == []) }
            // As a crash would leave them.
            try folder.write(database, to: "b.db")
            try folder.write(journal, to: "b.db-journal")
            try db.execute(sql: "ROLLBACK")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM entry WHERE name = ?", arguments: [Self.secret]) == 50)
        }
        try queue.close()
        let (crashed, other) = try SQLCipherVectorTests.queue(folder("b.db"), key)
        #expect(try crashed.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry WHERE name = ?", arguments: [Self.secret]) } == 50)
        #expect(try crashed.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        try crashed.close()
        withExtendedLifetime((registration, other)) {}
    }

    @Test("is whole after a crash: what was committed is read from the log")
    func logAfterCrash() async throws {
        let folder = try TemporaryFolder()
        let key = try DatabaseKey.raw(1)
        let file = try DatabaseFile.entries(folder("a.db"), key: key)
        for number in 0..<30 { try await file.add("\(number)") }
        let (database, log) = (try folder.contents("a.db"), try folder.contents("a.db-wal"))
        try await file.close()
        try folder.write(database, to: "b.db")
        try folder.write(log, to: "b.db-wal")
        let crashed = try DatabaseFile.entries(folder("b.db"), key: key)
        #expect(try await crashed.names() == (0..<30).map(String.init))
        try await crashed.close()
        #expect((try? folder.contents("b.db-wal"))?.isEmpty ?? true)
    }

    @Test("never writes anything but a database and its log, whatever is sorted or undone")
    func noTemporaryFiles() async throws {
        let folder = try TemporaryFolder()
        let disk = try StorageFaults(below: folder.path)
        let file = try DatabaseFile.entries(folder("a.db"), key: try DatabaseKey.raw(1))
        try await file.write { db in
            try db.execute(sql: "PRAGMA cache_size = 10")
            for number in 0..<3000 {
                try db.execute(sql: "INSERT INTO entry (name) VALUES (?)", arguments: ["\(number * 7919 % 3001) \(String(repeating: "x", count: 500))"])
            }
        }
        let sorted = try await file.read { db in
            try db.execute(sql: "PRAGMA cache_size = 10")
            return try String.fetchAll(db, sql: "SELECT DISTINCT a.name || b.name FROM entry a JOIN entry b ON b.id = a.id + 1 ORDER BY a.name DESC")
        }
        #expect(sorted.count == 2999)
        try? await file.write { db in
            // Many pages to undo within one statement.
            try db.execute(sql: "UPDATE entry SET name = name || 'y', id = CASE WHEN id = 2999 THEN 1 ELSE id END")
        }
        try await file.close()
        #expect(Set(disk.opened.map { $0.dropFirst(folder.path.count + 1) }).isSubset(of: ["a.db", "a.db-wal", "a.db-journal"]))
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let opened = descriptors.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
        #expect(!opened.contains { $0.contains("etilqs_") })
    }

    @Test("files without a name are encrypted too while one is open")
    func temporaryFiles() throws {
        let folder = try TemporaryFolder()
        let (secret, registration) = try SQLCipherVectorTests.queue(folder("a.db"), try DatabaseKey.raw(1))
        try secret.write { try $0.execute(sql: "CREATE TABLE entry (id)") }
        let plain = try DatabaseQueue(path: folder("plain.db"))
        try plain.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA temp_store = FILE; PRAGMA temp.cache_size = 5; CREATE TEMP TABLE t (a TEXT)")
            for number in 0..<2000 { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["\(number) \(Self.secret)"]) }
            var found = 0
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                let link = "/proc/self/fd/" + name
                guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link), path.contains("etilqs_"),
                    let bytes = try? Data(contentsOf: URL(fileURLWithPath: link)), !bytes.isEmpty
                else { continue }
                found += 1
                #expect(Self.find(["brown fox"], in: Array(bytes)) == [])
            }
            #expect(found > 0)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE a LIKE '%' || ?", arguments: [Self.secret]) == 2000)
        }
        try plain.close()
        try secret.close()
        withExtendedLifetime(registration) {}
    }
}
