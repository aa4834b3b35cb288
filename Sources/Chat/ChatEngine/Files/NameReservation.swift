import ChatAPI
import ChatRules
import ChatStore
import Logging
import Synchronization
import XFTPProtocol

/// A file name that is reserved in the transaction that stores it: a process that ends before the commit leaves an empty file at most.
///
/// An error does not prove that the transaction is not on disk. What is removed after one is therefore only what the store does not know.
final class NameReservation: Sendable {
    private let folders: FileFolders
    private let isHeld: Bool
    private let path = Mutex<String?>(nil)

    /// - Parameter isHeld: Whether the file is kept from being removed until it is released, as ``FileFolders/hold(_:)`` does.
    init(in folders: FileFolders, isHeld: Bool = false) {
        self.folders = folders
        self.isHeld = isHeld
    }

    /// Begins the transaction. One that could not be committed together with others is run again: its earlier name is free again.
    func begin() {
        guard let earlier = path.withLock({ $0.take() }) else { return }
        if isHeld { folders.release(earlier) }
        try? folders.remove(earlier)
    }

    /// Reserves a path.
    ///
    /// - Parameter wanted: A folder or a path; nil for the folder for files.
    /// - Returns: The path as it is stored.
    /// - Throws: As ``FileFolders/reserve(_:at:)``.
    func reserve(_ name: String, at wanted: String? = nil) throws(Refusal) -> String {
        let reserved = try folders.reserve(name, at: wanted)
        if isHeld { folders.hold(reserved) }
        path.withLock { $0 = reserved }
        return reserved
    }

    /// Removes the file after an error of the transaction, unless the store has its path. A file that cannot be removed, or of which that is not known,
    /// stays, empty.
    func withdraw(unlessStoredBy transactions: TransactionRunner, logger: Logger) async {
        guard let reserved = path.withLock({ $0.take() }) else { return }
        if isHeld { folders.release(reserved) }
        do {
            guard try await !transactions.query({ try $0.db.files.knows(reserved) }) else { return }
            try folders.remove(reserved)
        } catch {
            logger.warning("a file cannot be removed", metadata: ["reason": "\(error)"])
        }
    }
}
