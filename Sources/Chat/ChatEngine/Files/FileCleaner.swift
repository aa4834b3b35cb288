import AsyncPrimitives
import ChatAPI
import Logging
import XFTPAgent

/// Removes what deleted files have left behind: transfers, and copies in the folder for files.
///
/// A row for each stays in the store until that is done.
struct FileCleaner: Sendable {
    /// Files handled in one step.
    private static let batch = 100

    let transactions: TransactionRunner
    let service: any FileService
    let locks: KeyedLock<String>
    let logger: Logger

    func clean() async throws(ChatCoreError) {
        while true {
            let removed = try await transactions.query { try $0.db.removedFiles(limit: Self.batch) }
            guard !removed.isEmpty else { return }
            var done: [Int64] = []
            for file in removed where await remove(file) { done.append(file.number) }
            try await transactions.transaction { [done] transaction in
                for number in done { try transaction.db.deleteRemovedFile(number) }
            }
            // What could not be removed is tried again at the next cleaning.
            guard done.count == Self.batch else { return }
        }
    }

    /// - Returns: False if it must be tried again.
    private func remove(_ file: RemovedFile) async -> Bool {
        if let transfer = file.transfer {
            let isRemoved = await locks.withLock(FileTransferController.lock(of: transfer)) {
                do throws(FileTransferError) {
                    if file.isUnfinishedUpload { try await service.delete(transfer) } else { try await service.remove(transfer) }
                    return true
                } catch {
                    logger.warning("a transfer cannot be removed", metadata: ["error": "\(error.code.rawValue)"])
                    return false
                }
            }
            guard isRemoved else { return false }
        }
        if let path = file.path { transactions.folders.remove(path) }
        return true
    }
}
