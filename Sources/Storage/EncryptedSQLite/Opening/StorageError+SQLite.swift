package import GRDB
internal import GRDBSQLite

extension StorageError {
    /// Converts an SQLite error into one for the owner of the database.
    ///
    /// - Parameter what: the failed operation, as the beginning of a sentence.
    static func wrapping(_ error: any Error, _ what: String) -> StorageError {
        switch error {
        case let error as StorageError: return error
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_NOTADB, .SQLITE_CORRUPT:
                return StorageError(.corrupt, "\(what): the file is damaged. See parley db check, and restore a backup", cause: error)
            case .SQLITE_FULL: return StorageError(.diskFull, "\(what): the disk is full. Free some space", cause: error)
            case .SQLITE_IOERR where error.extendedResultCode.rawValue == SQLITE_IOERR_DATA_CODE:
                return StorageError(.corrupt, "\(what): a page is not as it was written. See parley db check, and restore a backup", cause: error)
            case .SQLITE_IOERR: return StorageError(.inputOutput, "\(what): the disk fails to read or write. See the system's log", cause: error)
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                return StorageError(.locked, "\(what): another program uses it. Stop that program", cause: error)
            default: return StorageError(.unavailable, what, cause: error)
            }
        default: return StorageError(.unavailable, what, cause: error)
        }
    }

    /// Checks whether an error comes from the disk and may be temporary: the disk is full, or fails to read or write.
    package static func isOfDisk(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.isOfDisk ?? false
    }
}

extension DatabaseError {
    /// True if the disk is full, or fails to open, read or write a file: the operation may succeed later. False for a damaged page.
    package var isOfDisk: Bool {
        switch resultCode {
        case .SQLITE_IOERR: extendedResultCode.rawValue != SQLITE_IOERR_DATA_CODE
        case .SQLITE_FULL, .SQLITE_CANTOPEN, .SQLITE_READONLY: true
        default: false
        }
    }
}
