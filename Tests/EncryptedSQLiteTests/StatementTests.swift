import EncryptedSQLite
import Foundation
import GRDB
import GRDBSQLite
import Testing

@Suite struct StatementTests {
    private static func database() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE entry (id INTEGER PRIMARY KEY, value ANY, UNIQUE (value)) STRICT") }
        return queue
    }

    /// A statement with the arguments that it has now.
    private static func expanded(_ statement: Statement) -> String? {
        guard let text = sqlite3_expanded_sql(statement.sqliteStatement) else { return nil }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }

    @Test func argumentsOfEveryKindAreStoredAsTheyAre() throws {
        let values: [(any DatabaseValueConvertible)?] = [
            0, Int64.min, Int64.max, true, 0.5, "", "a", "übergroß \(String(repeating: "é", count: 100))",
            Data(), Data([0]), Data(repeating: 7, count: 20_000), nil,
        ]
        try Self.database().write { db in
            for (id, value) in values.enumerated() {
                try db.run("INSERT INTO entry (id, value) VALUES (?, ?)", [id, value])
                let stored = try DatabaseValue.fetchOne(db, sql: "SELECT value FROM entry WHERE id = ?", arguments: [id])
                #expect(stored == value?.databaseValue ?? .null, "\(String(describing: value))")
            }
        }
    }

    @Test func manyAndRepeatedParametersGetTheirArguments() throws {
        try Self.database().write { db in
            let numbers = (0..<40).map { "text \($0)" }
            let sum = try db.first("SELECT \((0..<40).map { _ in "?" }.joined(separator: " || "))", SQLArguments(numbers)) { $0.text() }
            #expect(sum == numbers.joined())
            let repeated = try db.first("SELECT ?1 || ?2 || ?1 || ?", ["a", "b"] + ["c"]) { $0.text() }
            #expect(repeated == "abac")
        }
    }

    @Test func aWrongNumberOfArgumentsIsRefused() throws {
        try Self.database().write { db in
            let sql = "INSERT INTO entry (id, value) VALUES (?, ?)"
            for arguments: SQLArguments in [[], [1], [1, 2, 3]] {
                let error = try #require(throws: DatabaseError.self) { try db.run(sql, arguments) }
                #expect(error.resultCode == .SQLITE_MISUSE)
            }
            try db.run(sql, [1, 2])
            #expect(try db.number("SELECT count(*) FROM entry") == 1)
        }
    }

    @Test func aStatementThatHasFailedCanBeRunAgain() throws {
        try Self.database().write { db in
            let sql = "INSERT INTO entry (id, value) VALUES (?, ?)"
            try db.run(sql, [1, "a"])
            let error = try #require(throws: DatabaseError.self) { try db.run(sql, [2, "a"]) }
            #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            try db.run(sql, [2, "b"])
            #expect(try db.all("SELECT value FROM entry ORDER BY id") { $0.text() } == ["a", "b"])
        }
    }

    @Test func noArgumentOutlivesTheRunOfItsStatement() throws {
        try Self.database().write { db in
            let insert = "INSERT INTO entry (value) VALUES (?)", query = "SELECT value FROM entry WHERE value = ?"
            try db.run(insert, ["kept by nothing"])
            #expect(try db.first(query, ["kept by nothing"]) { $0.text() } == "kept by nothing")
            // A parameter that nothing is bound to is null.
            for sql in [insert, query] { #expect(try Self.expanded(db.cachedStatement(sql: sql)) == sql.replacingOccurrences(of: "?", with: "NULL")) }
        }
    }

    @Test func aQueryInsideAnotherOneGoesOnWithItsOwnArguments() throws {
        try Self.database().write { db in
            for id in 1...3 { try db.run("INSERT INTO entry (id, value) VALUES (?, ?)", [id, "value \(id)"]) }
            let found = try db.all("SELECT id FROM entry WHERE id > ? ORDER BY id", [1]) { row in
                try db.first("SELECT value FROM entry WHERE id = ?", [row.int()]) { $0.text() }
            }
            #expect(found == ["value 2", "value 3"])
        }
    }
}
