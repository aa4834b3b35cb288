import GRDB
import Synchronization
import Testing

@testable import EncryptedSQLite

@Suite struct DatabaseTemplateTests {
    @Test func databasesOfATemplateHaveTheSchemaOfTheMigrationsAndNothingInCommon() async throws {
        let runs = Mutex(0)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 entries") { db in
            runs.withLock { $0 += 1 }
            try db.execute(sql: "CREATE TABLE entries (name TEXT NOT NULL UNIQUE) STRICT; INSERT INTO entries VALUES ('first')")
        }
        migrator.registerMigration("2 times") { db in try db.execute(sql: "ALTER TABLE entries ADD COLUMN time INTEGER") }
        let template = DatabaseTemplate(migrator)
        let files = try (0..<3).map { _ in try DatabaseFile(path: nil, label: "test", migrator: migrator, template: template) }
        let plain = try DatabaseFile(path: nil, label: "test", migrator: migrator)
        #expect(runs.withLock(\.self) == 2)
        let names = migrator.migrations
        for file in files {
            let content = try await file.read { db in
                (
                    schema: try String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"),
                    applied: try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid"),
                    entries: try String.fetchAll(db, sql: "SELECT name FROM entries")
                )
            }
            let expected = try await plain.read { try String.fetchAll($0, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name") }
            #expect(content.schema == expected)
            #expect(content.applied == names)
            #expect(content.entries == ["first"])
            try await file.write { try $0.execute(sql: "INSERT INTO entries VALUES ('second', 1)") }
        }
    }
}
