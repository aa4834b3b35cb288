import EncryptedSQLite
import Foundation
import GRDB
import TestSupport
import Testing

@testable import ChatStore

@Suite("Opening the chat store")
struct ChatStoreOpeningTests {
    @Test("the file is private, in WAL mode and synchronous FULL on the writer")
    func pragmas() async throws {
        let folder = try TemporaryFolder()
        let store = try ChatStore(prefix: folder("a"))
        let (synchronous, journal, keys) = try await store.write { db in
            (
                try Int.fetchOne(db, sql: "PRAGMA synchronous"), try String.fetchOne(db, sql: "PRAGMA journal_mode"),
                try Int.fetchOne(db, sql: "PRAGMA foreign_keys")
            )
        }
        #expect(synchronous == 2)
        #expect(journal == "wal")
        #expect(keys == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: folder("a_chat.db"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try await store.close()
        let log = try? FileManager.default.attributesOfItem(atPath: folder("a_chat.db-wal"))[.size] as? Int
        #expect(log ?? 0 == 0)
    }

    @Test("a database of a newer version is refused and left as it is")
    func newer() async throws {
        let folder = try TemporaryFolder()
        let first = try ChatStore(prefix: folder("a"))
        try await first.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 from the future')") }
        try await first.close()
        #expect { try ChatStore(prefix: folder("a")) } throws: { ($0 as? StorageError)?.code == .newerDatabase }
    }

    @Test("a file that is no database is refused with an error, not a crash")
    func garbage() async throws {
        let folder = try TemporaryFolder()
        // It may be an encrypted one.
        try Data(repeating: 7, count: 8_192).write(to: URL(fileURLWithPath: folder("a_chat.db")))
        #expect { try ChatStore(prefix: folder("a")) } throws: { ($0 as? StorageError)?.code == .keyNeeded }
        try Data("text".utf8).write(to: URL(fileURLWithPath: folder("a_chat.db")))
        #expect { try ChatStore(prefix: folder("a")) } throws: { ($0 as? StorageError)?.code == .corrupt }
    }
}
