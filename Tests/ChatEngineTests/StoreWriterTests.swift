import Foundation
import GRDB
import Testing

@testable import ChatEngine

@Suite("Group commit")
struct StoreWriterTests {
    private func table() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in try db.execute(sql: "CREATE TABLE t (n INTEGER NOT NULL UNIQUE) STRICT") }
        return queue
    }

    @Test("writes are committed in the order in which they were asked for")
    func order() async throws {
        let queue = try table()
        let writer = StoreWriter(queue)
        let announced = Recorder<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for n in 0..<500 {
                group.addTask {
                    _ = try await writer.write { db in
                        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [n])
                        return n
                    } afterCommit: { n in
                        announced.append(n)
                    }
                }
            }
            try await group.waitForAll()
        }
        let stored = try await queue.read { db in try Int.fetchAll(db, sql: "SELECT n FROM t ORDER BY rowid") }
        #expect(stored.count == 500)
        #expect(announced.elements == stored)
    }

    @Test("a write that fails undoes itself and nothing else")
    func isolation() async throws {
        struct Refused: Error {}
        let queue = try table()
        let writer = StoreWriter(queue)
        let failures = Recorder<Int>()
        await withTaskGroup(of: Void.self) { group in
            for n in 0..<100 {
                group.addTask {
                    do {
                        try await writer.write { db in
                            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [n])
                            if n % 3 == 0 { throw Refused() }
                        }
                    } catch {
                        failures.append(n)
                    }
                }
            }
        }
        let stored = try await queue.read { db in try Int.fetchAll(db, sql: "SELECT n FROM t ORDER BY n") }
        #expect(stored == (0..<100).filter { $0 % 3 != 0 })
        #expect(failures.elements.count == 34)
    }

    @Test("a closed writer refuses")
    func closed() async throws {
        let writer = StoreWriter(try table())
        writer.close()
        await #expect(throws: ChatStoreError.self) { try await writer.write { _ in } }
    }
}

@Suite("Opening the chat store")
struct ChatStoreOpeningTests {
    private func folder() throws -> String {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("engine-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url.path
    }

    @Test("the file is private, in WAL mode and synchronous FULL on the writer")
    func pragmas() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try ChatStore(prefix: folder + "/a")
        let (synchronous, journal, keys) = try await store.write { db in
            (
                try Int.fetchOne(db, sql: "PRAGMA synchronous"), try String.fetchOne(db, sql: "PRAGMA journal_mode"),
                try Int.fetchOne(db, sql: "PRAGMA foreign_keys")
            )
        }
        #expect(synchronous == 2)
        #expect(journal == "wal")
        #expect(keys == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: folder + "/a_chat.db")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try await store.close()
        let log = try? FileManager.default.attributesOfItem(atPath: folder + "/a_chat.db-wal")[.size] as? Int
        #expect(log ?? 0 == 0)
    }

    @Test("a second store in the same folder is refused until the first is closed")
    func locked() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try ChatStore(prefix: folder + "/a")
        #expect { try ChatStore(prefix: folder + "/a") } throws: { ($0 as? ChatStoreError)?.code == .locked }
        try await first.close()
        let second = try ChatStore(prefix: folder + "/a")
        try await second.close()
    }

    @Test("a database of a newer version is refused and left as it is")
    func newer() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try ChatStore(prefix: folder + "/a")
        try await first.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 from the future')") }
        try await first.close()
        #expect { try ChatStore(prefix: folder + "/a") } throws: { ($0 as? ChatStoreError)?.code == .newerDatabase }
    }

    @Test("a file that is no database is refused with an error, not a crash")
    func garbage() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(repeating: 7, count: 8_192).write(to: URL(fileURLWithPath: folder + "/a_chat.db"))
        #expect { try ChatStore(prefix: folder + "/a") } throws: { ($0 as? ChatStoreError)?.code == .unavailable }
    }
}
