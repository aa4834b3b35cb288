import EncryptedSQLite
import Synchronization

@testable import SMPAgent

/// A disk below a store that takes nothing while it is told to.
final class RefusingDisk: StoreInterceptor {
    private struct State {
        /// Transactions that are still made; nil for all.
        var left: Int?
        var code = StorageError.Code.diskFull
    }

    private let state = Mutex(State())

    /// Refuses all transactions from now on, but the next so many.
    func refuse(after count: Int = 0, _ code: StorageError.Code = .diskFull) { state.withLock { $0 = State(left: count, code: code) } }

    func heal() { state.withLock { $0.left = nil } }

    func willWrite() throws {
        let code = state.withLock { state -> StorageError.Code? in
            guard let left = state.left else { return nil }
            state.left = max(0, left - 1)
            return left > 0 ? nil : state.code
        }
        if let code { throw StorageError(code, "the disk refuses it") }
    }

    func didWrite() throws {}
}
