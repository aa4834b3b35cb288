import AsyncPrimitives
import ChatAPI
import ChatStore
import Logging
import XFTPAgent
import XFTPProtocol

/// Removes the remains of deleted files: transfers, and copies in the folder for files.
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
        var last: Int64 = 0
        while true {
            let removed = try await transactions.query { [last] in try $0.db.files.removedFiles(after: last, limit: Self.batch) }
            guard let end = removed.last else { return }
            last = end.number
            var released: [RemovedFile] = []
            for file in removed where await isTransferRemoved(of: file) { released.append(file) }
            // Anyone who needs a file of that name has said so in an earlier transaction, or comes later and finds none. What could not be removed is tried
            // again at the next cleaning.
            let failures = try await transactions.transaction { [released, folders = transactions.folders] transaction in
                var failures: [String] = []
                for file in released {
                    if let path = file.path, folders.isHeld(path) { continue }
                    do {
                        if let path = file.path, try !transaction.fileTransfers.needsFile(at: path) { try folders.remove(path) }
                        try transaction.db.files.deleteRemovedFile(file.number)
                    } catch let error as FileFormatError {
                        failures.append(error.message)
                    }
                }
                return failures
            }
            for failure in failures { logger.warning("a file cannot be removed", metadata: ["reason": "\(failure)"]) }
        }
    }

    /// Has the service forget the transfer of a removed file.
    ///
    /// - Returns: False if it must be tried again.
    private func isTransferRemoved(of file: RemovedFile) async -> Bool {
        guard let transfer = file.transfer else { return true }
        return await locks.withLock(FileTransferController.lock(of: transfer)) {
            do throws(FileTransferError) {
                if file.isUnfinishedUpload { try await service.delete(transfer) } else { try await service.remove(transfer) }
                return true
            } catch {
                logger.warning("a transfer cannot be removed", metadata: ["error": "\(error.code.rawValue)"])
                return false
            }
        }
    }
}
