internal import FoundationEssentials
package import GRDB
internal import GRDBSQLite

/// Arguments for the parameters of a statement, in their order.
///
/// GRDB's `StatementArguments` are converted, checked against the names of parameters and copied, which costs more than a small statement itself. These
/// arguments are bound in place, and unbound when the statement is done: SQLite copies neither texts nor bytes, so that no copies of secrets are left.
package struct SQLArguments: ExpressibleByArrayLiteral {
    private var values: [(any DatabaseValueConvertible)?]

    /// Creates an empty list.
    package init() { values = [] }

    package init(arrayLiteral elements: (any DatabaseValueConvertible)?...) { values = elements }

    package init(_ values: [(any DatabaseValueConvertible)?]) { self.values = values }

    package init(_ values: some Sequence<some DatabaseValueConvertible>) { self.values = values.map { $0 } }

    package static func + (left: SQLArguments, right: SQLArguments) -> SQLArguments { SQLArguments(left.values + right.values) }

    package static func += (left: inout SQLArguments, right: SQLArguments) { left.values += right.values }

    /// Runs `body` while the parameters of a statement have these arguments.
    ///
    /// - Throws: `SQLITE_MISUSE` unless there is one argument for each parameter; a failure to bind; what `body` throws.
    func bind(to statement: SQLiteStatement, _ body: () throws -> Void) throws {
        let count = Int(sqlite3_bind_parameter_count(statement))
        guard values.count == count else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "\(values.count) arguments for \(count) parameters")
        }
        // A statement whose rows were not all read is still active.
        sqlite3_reset(statement)
        defer {
            // In this order: bound values stay in use until the reset.
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        try bind(to: statement, from: values.startIndex, body)
    }

    /// Binds the arguments from `start` on, within the access to the memory of the earlier ones.
    private func bind(to statement: SQLiteStatement, from start: Int, _ body: () throws -> Void) throws {
        for index in start..<values.count {
            let parameter = CInt(truncatingIfNeeded: index + 1)
            switch values[index]?.databaseValue.storage ?? .null {
            // Parameters without a value are null.
            case .null: break
            case .int64(let number): try Self.check(sqlite3_bind_int64(statement, parameter, number))
            case .double(let number): try Self.check(sqlite3_bind_double(statement, parameter, number))
            case .string(let text):
                return try text.withCString { characters in
                    try Self.check(sqlite3_bind_text(statement, parameter, characters, CInt(clamping: text.utf8.count), nil))
                    try bind(to: statement, from: index + 1, body)
                }
            case .blob(let data):
                return try data.withUnsafeBytes { bytes in
                    if let address = bytes.baseAddress, !bytes.isEmpty {
                        try Self.check(sqlite3_bind_blob(statement, parameter, address, CInt(clamping: bytes.count), nil))
                    } else {
                        try Self.check(sqlite3_bind_zeroblob(statement, parameter, 0))
                    }
                    try bind(to: statement, from: index + 1, body)
                }
            }
        }
        try body()
    }

    private static func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
