import ChatAPI
import ChatRules
import ChatStore
import EncryptedSQLite
import GRDB
import SMPAgent

extension ChatCoreError {
    /// The error for the caller of a command.
    init(thrown error: any Error) {
        switch error {
        case let error as ChatCoreError: self = error
        case let error as Refusal: self.init(error.error)
        case let error as StoreRefusal:
            switch error {
            case .duplicateName: self.init(.store(error: .duplicateName))
            }
        case let error as AgentError: self.init(error)
        case let error as StorageError where error.code == .closed: self.init(.closed, "The core is closed.", cause: error)
        case is CancellationError: self.init(.cancelled, "The task that waited was cancelled.")
        case let error as GRDB.DatabaseError where error.isClosed: self.init(.closed, "The core is closed.", cause: error)
        case let error as GRDB.DatabaseError:
            self.init(
                .store(error: .databaseException(message: "SQLite error \(error.resultCode.rawValue): \(error.message ?? "")")),
                isTemporary: error.isTemporary)
        default: self.init(.store(error: .internalError(message: String(describing: error))))
        }
    }
}

extension GRDB.DatabaseError {
    /// The database was closed while somebody waited for it.
    fileprivate var isClosed: Bool { resultCode == .SQLITE_MISUSE }

    /// True if the obstacle may go away: the same transaction can succeed later.
    var isTemporary: Bool {
        switch resultCode.primaryResultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_NOMEM, .SQLITE_READONLY, .SQLITE_INTERRUPT, .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN,
            .SQLITE_PROTOCOL:
            true
        default: false
        }
    }
}
