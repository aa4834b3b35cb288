public import ChatAPI
package import EncryptedSQLite
public import GRDB

// Typed ids in statements and rows.

extension RecordID: DatabaseValueConvertible, StatementBinding {
    /// The number, as it is stored.
    public var databaseValue: DatabaseValue { rawValue.databaseValue }

    /// Reads a stored number; nil for anything else.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> RecordID? { Int64.fromDatabaseValue(value).map { RecordID($0) } }

    /// Binds the number to a parameter of a statement.
    public func bind(to statement: SQLiteStatement, at index: CInt) -> CInt { rawValue.bind(to: statement, at: index) }
}

extension RowReader {
    /// The id in the next column; 0 for null.
    package mutating func id<Record>(_ type: RecordID<Record>.Type = RecordID<Record>.self) -> RecordID<Record> { RecordID(int()) }

    /// The id in the next column; nil for null.
    package mutating func optionalID<Record>(_ type: RecordID<Record>.Type = RecordID<Record>.self) -> RecordID<Record>? {
        optionalInt().map { RecordID($0) }
    }
}

extension Database {
    /// Sets `updated_at` to a time, or just behind what it was: it tells what is known of a contact or group from later, also when the clock is set back.
    package static let updatedLater = "updated_at = max(?, updated_at + (updated_at < \(Int64.max)))"

    /// Runs a query for one id; nil for null or no row.
    package func firstID<Record>(_ sql: String, _ arguments: SQLArguments = SQLArguments()) throws -> RecordID<Record>? {
        try number(sql, arguments).map { RecordID($0) }
    }

    /// Runs an `INSERT` and returns the new row's id.
    package func insert<Record>(_ sql: String, _ arguments: SQLArguments) throws -> RecordID<Record> {
        RecordID(try insert(sql, arguments) as Int64)
    }
}
