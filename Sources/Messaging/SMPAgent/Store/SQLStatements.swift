import EncryptedSQLite
import FoundationEssentials
import GRDB
import SMPWire

extension Database {
    /// Runs a statement that is prepared once.
    func run(_ sql: String, _ arguments: (any DatabaseValueConvertible)?...) throws {
        try cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
    }

    /// The rows of a query that is prepared once.
    func rows(_ sql: String, _ arguments: (any DatabaseValueConvertible)?...) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: StatementArguments(arguments))
    }

    /// The first row of a query that is prepared once.
    func row(_ sql: String, _ arguments: (any DatabaseValueConvertible)?...) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: StatementArguments(arguments))
    }
}

/// Bytes as a column's value.
func blob(_ bytes: Bytes?) -> Data? { bytes.map { Data($0) } }

extension Row {
    func bytes(_ column: String) -> Bytes { (self[column] as Data?).map { Bytes($0) } ?? [] }
    func optionalBytes(_ column: String) -> Bytes? { (self[column] as Data?).map { Bytes($0) } }

    /// What `decode` makes of a column; faults tell the column.
    func decode<Value>(_ column: String, _ decode: (Bytes) throws -> Value) throws -> Value {
        do {
            return try decode(bytes(column))
        } catch {
            throw StorageError(.corrupt, "column \(column) cannot be read", cause: error)
        }
    }

    func decodeOptional<Value>(_ column: String, _ decode: (Bytes) throws -> Value) throws -> Value? {
        guard let bytes = optionalBytes(column) else { return nil }
        do {
            return try decode(bytes)
        } catch {
            throw StorageError(.corrupt, "column \(column) cannot be read", cause: error)
        }
    }

    func text<Value: RawRepresentable<String>>(_ column: String, as type: Value.Type = Value.self) throws -> Value {
        guard let text = self[column] as String?, let value = Value(rawValue: text) else {
            throw StorageError(.corrupt, "column \(column) has a value that is not known")
        }
        return value
    }

    func optionalText<Value: RawRepresentable<String>>(_ column: String, as type: Value.Type = Value.self) throws -> Value? {
        guard self[column] as String? != nil else { return nil }
        return try text(column)
    }
}
