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

    /// A number, which is refused if it is not one that was ever stored.
    func number<Value: FixedWidthInteger>(_ column: String, in bounds: ClosedRange<Int64>, as type: Value.Type = Value.self) throws -> Value {
        guard let number = try optionalNumber(column, in: bounds, as: type) else {
            throw StorageError(.corrupt, "column \(column) lacks a number")
        }
        return number
    }

    /// A number, which is refused if it is not one that was ever stored; nil if there is none.
    func optionalNumber<Value: FixedWidthInteger>(
        _ column: String, in bounds: ClosedRange<Int64>, as type: Value.Type = Value.self
    ) throws -> Value? {
        let stored: DatabaseValue? = self[column]
        guard let stored, !stored.isNull else { return nil }
        guard let number = Int64.fromDatabaseValue(stored), bounds.contains(number), let value = Value(exactly: number) else {
            throw StorageError(.corrupt, "column \(column) has a number that is out of bounds")
        }
        return value
    }

    /// The hash of a message, which is refused if it is longer than one that a peer can name.
    func messageHash(_ column: String) throws -> Bytes {
        let hash = bytes(column)
        guard hash.count <= StoredBounds.hashLength else { throw StorageError(.corrupt, "column \(column) is too long") }
        return hash
    }

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

/// What numbers in the store can be. Calculations with them cannot overflow then, also if somebody has changed the file.
enum StoredBounds {
    /// Milliseconds since 1970.
    static let times: ClosedRange<Int64> = AgentLimits.routerTimes.lowerBound * 1000...AgentLimits.routerTimes.upperBound * 1000 + 999
    static let versions: ClosedRange<Int64> = 0...Int64(UInt16.max)
    /// Numbers of messages in a chain of a ratchet.
    static let chain: ClosedRange<Int64> = 0...Int64(UInt32.max)
    /// Attempts, and other things that are counted one by one.
    static let counts: ClosedRange<Int64> = 0...Int64(Int32.max)
    /// Messages, commands and bytes of the statistics: the sum of all routers of all users is a number too.
    static let statistics: ClosedRange<Int64> = 0...(1 << 48)
    /// Milliseconds between attempts: up to a year.
    static let delays: ClosedRange<Int64> = 0...31_622_400_000
    /// Bytes that a message is padded to.
    static let paddedLengths: ClosedRange<Int64> = 0...16_384
    /// Bytes of the hash of a message.
    static let hashLength = 255
}
