import EncryptedSQLite
import FoundationEssentials
import GRDB
import SMPCrypto
import SMPWire

extension Database {
    /// Runs a statement that is prepared once. Nothing keeps its arguments, nor are they copied: they may be secrets.
    func run(_ sql: String, _ arguments: (any DatabaseValueConvertible)?...) throws { try run(sql, SQLArguments(arguments)) }

    /// The results of `read` for each row of a query that is prepared once. The rows are read where SQLite holds them, so that secrets in them are not
    /// copied.
    func map<Value>(
        _ sql: String, _ arguments: (any DatabaseValueConvertible)?..., read: (Row) throws -> Value
    ) throws -> [Value] {
        let rows = try Row.fetchCursor(cachedStatement(sql: sql), arguments: StatementArguments(arguments))
        var values: [Value] = []
        while let row = try rows.next() { values.append(try read(row)) }
        return values
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

/// A secret as a column's value, in its place in memory: nothing is copied, and it lives as long as the value.
func blob(secret: SecretBytes?) -> Data? {
    guard let secret else { return nil }
    return secret.withBytes { bytes in
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return Data() }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
            deallocator: .custom { _, _ in withExtendedLifetime(secret) {} })
    }
}

extension Row {
    /// The result of `decode` for a column with a secret; faults tell the column.
    func secret<Value>(_ column: String, _ decode: (SecretBytes) throws -> Value) throws -> Value {
        do {
            return try decode(try secret(column) ?? SecretBytes([]))
        } catch {
            throw StorageError(.corrupt, "column \(column) cannot be read", cause: error)
        }
    }

    func optionalSecret<Value>(_ column: String, _ decode: (SecretBytes) throws -> Value) throws -> Value? {
        guard let secret = try secret(column) else { return nil }
        return try self.secret(column) { _ in try decode(secret) }
    }

    /// A column with a secret, from where the row holds it.
    func secret(_ column: String) throws -> SecretBytes? {
        try withUnsafeData(named: column) { data in data?.withUnsafeBytes { SecretBytes(copying: $0) } }
    }

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

    /// A column, parsed by `decode`; errors name the column.
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

/// The ranges of numbers in the store. Calculations with them cannot overflow then, also if somebody has changed the file.
enum StoredBounds {
    /// Milliseconds since 1970.
    static let times: ClosedRange<Int64> = UnixTime.range.lowerBound * 1000...UnixTime.range.upperBound * 1000 + 999
    static let versions: ClosedRange<Int64> = 0...Int64(UInt16.max)
    /// Numbers of messages in a chain of a ratchet.
    static let chain: ClosedRange<Int64> = 0...Int64(UInt32.max)
    /// Attempts, and other things that are counted one by one.
    static let counts: ClosedRange<Int64> = 0...Int64(Int32.max)
    /// Messages, commands and bytes of the statistics. The sum over all routers and users is stored like the number of one router.
    static let statistics: ClosedRange<Int64> = 0...(1 << 48)
    /// Milliseconds between attempts: up to a year.
    static let delays: ClosedRange<Int64> = 0...31_622_400_000
    /// Bytes that a message is padded to.
    static let paddedLengths: ClosedRange<Int64> = 0...16_384
    /// Bytes of the hash of a message.
    static let hashLength = 255
}
