#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import GRDB

/// Reads the columns of a row one after another, in the order of the `SELECT` that made it.
struct RowReader {
    private let row: Row
    private var index = 0

    init(_ row: Row) { self.row = row }

    mutating func int() -> Int64 { row[advance()] }
    mutating func optionalInt() -> Int64? { row[advance()] }
    mutating func text() -> String { row[advance()] }
    mutating func optionalText() -> String? { row[advance()] }
    mutating func flag() -> Bool { row[advance()] as Int64 != 0 }
    mutating func optionalFlag() -> Bool? { (row[advance()] as Int64?).map { $0 != 0 } }

    mutating func optionalBytes() -> [UInt8]? { (row[advance()] as Data?).map { [UInt8]($0) } }

    mutating func bytes() -> [UInt8] { optionalBytes() ?? [] }

    private mutating func advance() -> Int {
        defer { index += 1 }
        return index
    }
}

extension Database {
    /// The rows of a query, each made into a value.
    func all<T>(_ sql: String, _ arguments: StatementArguments = StatementArguments(), _ make: (inout RowReader) throws -> T) throws -> [T] {
        let statement = try cachedStatement(sql: sql)
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        var values: [T] = []
        while let row = try rows.next() {
            var reader = RowReader(row)
            values.append(try make(&reader))
        }
        return values
    }

    /// The first row of a query, made into a value.
    func first<T>(_ sql: String, _ arguments: StatementArguments = StatementArguments(), _ make: (inout RowReader) throws -> T) throws -> T? {
        let statement = try cachedStatement(sql: sql)
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        guard let row = try rows.next() else { return nil }
        var reader = RowReader(row)
        return try make(&reader)
    }

    /// Runs one statement, prepared once per connection.
    func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// Runs an `INSERT` and returns the new row's id.
    func insert(_ sql: String, _ arguments: StatementArguments) throws -> Int64 {
        try run(sql, arguments)
        return lastInsertedRowID
    }

    /// A question with a whole number for an answer.
    func number(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Int64? {
        try first(sql, arguments) { $0.optionalInt() } ?? nil
    }
}

extension [UInt8] {
    /// The form in which SQLite takes bytes.
    var blob: Data { Data(self) }
}
