package import GRDB
internal import GRDBSQLite

/// A reader of the columns of a row, one after another, in the order of the `SELECT`.
///
/// GRDB's `Row` makes a dictionary of the columns' names for each query, which costs more than a small query itself. This type reads
/// from the statement.
package struct RowReader {
    private let statement: SQLiteStatement
    private var index: CInt = 0

    fileprivate init(_ statement: SQLiteStatement) { self.statement = statement }

    /// Reads a whole number; 0 for null.
    package mutating func int() -> Int64 { sqlite3_column_int64(statement, advance()) }

    package mutating func optionalInt() -> Int64? {
        let index = advance()
        return isNull(index) ? nil : sqlite3_column_int64(statement, index)
    }

    /// Reads a text; empty for null.
    package mutating func text() -> String { optionalText() ?? "" }

    package mutating func optionalText() -> String? {
        let index = advance()
        guard let start = sqlite3_column_text(statement, index) else { return nil }
        return String(decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index))), as: UTF8.self)
    }

    /// Reads a number as a flag; false for 0 and null.
    package mutating func flag() -> Bool { int() != 0 }
    package mutating func optionalFlag() -> Bool? { optionalInt().map { $0 != 0 } }

    /// Reads bytes; empty for null.
    package mutating func bytes() -> [UInt8] { optionalBytes() ?? [] }

    package mutating func optionalBytes() -> [UInt8]? {
        let index = advance()
        guard !isNull(index) else { return nil }
        // An empty value has no address.
        guard let start = sqlite3_column_blob(statement, index) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index))))
    }

    private func isNull(_ index: CInt) -> Bool { sqlite3_column_type(statement, index) == SQLITE_NULL }

    private mutating func advance() -> CInt {
        defer { index += 1 }
        return index
    }
}

extension Database {
    /// Reads the rows of a query that is prepared once, each as a value.
    package func all<Value>(
        _ sql: String, _ arguments: SQLArguments = SQLArguments(), _ make: (inout RowReader) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try forEachRow(sql, arguments) { row in
            values.append(try make(&row))
            return true
        }
        return values
    }

    /// Reads the first row of a query that is prepared once, as a value; nil if there is no row.
    package func first<Value>(
        _ sql: String, _ arguments: SQLArguments = SQLArguments(), _ make: (inout RowReader) throws -> Value
    ) throws -> Value? {
        var value: Value?
        try forEachRow(sql, arguments) { row in
            value = try make(&row)
            return false
        }
        return value
    }

    /// Iterates over the rows of a query until `body` returns false.
    private func forEachRow(_ sql: String, _ arguments: SQLArguments, _ body: (inout RowReader) throws -> Bool) throws {
        let statement = try cachedStatement(sql: sql).sqliteStatement
        try arguments.bind(to: statement) {
            while true {
                let code = sqlite3_step(statement)
                switch code {
                case SQLITE_ROW:
                    var row = RowReader(statement)
                    guard try body(&row) else { return }
                case SQLITE_DONE: return
                default: throw DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage, sql: sql)
                }
            }
        }
    }

    /// Runs one statement that is prepared once. It must not begin or end a transaction or change the schema: GRDB must know of these.
    package func run(_ sql: String, _ arguments: SQLArguments = SQLArguments()) throws {
        try forEachRow(sql, arguments) { _ in true }
    }

    /// Runs a part of a transaction, and rolls the part back if it throws. Parts can be nested.
    ///
    /// GRDB's `inSavepoint` compiles its statements each time, and returns no value; these statements are compiled once.
    package func savepoint<T>(_ body: () throws -> T) throws -> T {
        try run("SAVEPOINT part")
        do {
            let value = try body()
            try run("RELEASE SAVEPOINT part")
            return value
        } catch {
            // Some errors, such as a full disk, have already ended the transaction with all savepoints.
            guard isInsideTransaction else { throw error }
            try run("ROLLBACK TRANSACTION TO SAVEPOINT part")
            try run("RELEASE SAVEPOINT part")
            throw error
        }
    }

    /// Runs an `INSERT` and returns the new row's id.
    package func insert(_ sql: String, _ arguments: SQLArguments) throws -> Int64 {
        try run(sql, arguments)
        return lastInsertedRowID
    }

    /// Reads the whole number that is the first column of the first row; nil for null or no row.
    package func number(_ sql: String, _ arguments: SQLArguments = SQLArguments()) throws -> Int64? {
        try first(sql, arguments) { $0.optionalInt() } ?? nil
    }
}
