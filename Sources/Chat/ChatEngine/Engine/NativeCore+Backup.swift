package import EncryptedSQLite
import Synchronization

extension NativeCore {
    /// Copies the databases of the core and others into a folder, as they are at one moment, under the key that they have.
    ///
    /// The core goes on: commands and messages that change something wait until the copies are on disk.
    ///
    /// - Parameter others: Open databases beside the core's under the same key, such as that of the bots.
    /// - Returns: The paths of the copies. If one cannot be made, none is left.
    /// - Throws: `StorageError` `closed` for a core that is closed or in memory; `diskFull`, `inputOutput` or `unavailable`.
    package func backUp(to folder: String, with others: [DatabaseFile]) async throws(StorageError) -> [String] {
        guard let agentDatabase else { throw StorageError(.unavailable, "the connections of this core are in no database") }
        return try await DatabaseFile.backUp([engine.store.file, agentDatabase] + others, to: folder, key: engine.storeKey.withLock(\.self))
    }
}
