internal import EncryptedSQLite
internal import GRDB

extension BotStateStore {
    /// A copy in memory, for a run that is to change nothing.
    func copyInMemory() async throws -> BotStateStore {
        let copy = try BotStateStore(path: nil, logger: logger, original: self)
        let tables = try await database.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'grdb%' ORDER BY name
                    """)
        }
        for table in tables where !FolderMark.tables.contains(table) {
            let rows = try await database.read { db in
                try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { row in row.columnNames.map { (column: $0, value: row[$0] as DatabaseValue) } }
            }
            guard let columns = rows.first?.map(\.column) else { continue }
            let marks = columns.map { _ in "?" }.joined(separator: ",")
            try await copy.database.write { db in
                let insert = try db.makeStatement(sql: "INSERT INTO \(table) (\(columns.joined(separator: ","))) VALUES (\(marks))")
                for row in rows { try insert.execute(arguments: StatementArguments(row.map(\.value))) }
            }
        }
        return copy
    }
}
