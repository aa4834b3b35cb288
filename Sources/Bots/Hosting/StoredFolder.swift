package import ChatAPI
package import ChatEngine
internal import EncryptedSQLite
internal import Foundation

/// The messages of a data folder, for commands that only read: no router runs, and nothing is sent, received or created.
package enum StoredFolder {
    /// Opens the folder for the time of `body`. If bots run on it, uses the core of their process.
    ///
    /// The databases are opened as at any start: those of an older version are migrated first. Nothing else in them changes.
    ///
    /// - Throws: ``HostError`` `dataFolder` if the folder is missing or empty, `dataFolderInUse` if another process uses it and does not answer at its
    ///   socket; `StorageError` for databases that cannot be used, or that the key does not open.
    package static func read(_ configuration: HostConfiguration, _ body: @Sendable (any ChatCore) async throws -> Void) async throws {
        do {
            try await withStoppedCore(configuration, body)
        } catch let error as HostError where error.code == .dataFolderInUse {
            guard let running = await RunningHost.connect(configuration.data) else { throw error }
            do {
                try await body(running.core)
                await running.close()
            } catch {
                await running.close()
                throw error
            }
        }
    }

    /// Opens the folder for the time of `body`, without starting anything.
    ///
    /// - Throws: As ``read(_:_:)``; ``HostError`` `dataFolderInUse` if another process uses the folder.
    package static func withStoppedCore<Result: Sendable>(
        _ configuration: HostConfiguration, _ body: @Sendable (NativeCore) async throws -> Result
    ) async throws -> Result {
        let data = configuration.data
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: data.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw HostError.noDataFolder("there is no data folder \(data.path): name it with --data or PARLEY_DATA")
        }
        guard data.hasDatabases else {
            throw HostError.noDataFolder("there are no messages in \(data.path): name the data folder with --data or PARLEY_DATA")
        }
        let key = try configuration.databaseKey?.load()
        let lock = try data.lock()
        defer { lock.release() }
        try FolderRestore.recover(data)
        // Only inspected: this changes nothing in the folder.
        _ = try FolderIdentity.open(data, key: key)
        var setup = NativeCoreConfiguration(prefix: data.corePrefix, servers: [], logger: configuration.logger)
        setup.key = key
        setup.companions = data.companions
        let core = try NativeCore.open(setup)
        do {
            // The core is not started: it neither sends nor receives.
            let result = try await body(core)
            await core.close()
            return result
        } catch {
            await core.close()
            throw error
        }
    }
}
