import ChatAPI
import ChatRules
import EncryptedSQLite
import Logging
import Synchronization

// Commands about the databases.

/// Commands about the databases.
struct DatabaseCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands about the databases.
    var databaseCommands: DatabaseCommands { DatabaseCommands(runner: self) }
}

extension DatabaseCommands {
    func run(_ command: DatabaseCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .changeEncryption(let change):
            try await core.changeEncryption(from: change.currentKey, to: change.newKey)
            return .cmdOk(user: nil)
        case .testKey(let text):
            // Known without looking at the files: they may be open.
            let key = try core.key(text)
            guard let stored = core.storeKey.withLock(\.self), let key, stored.equals(key) else {
                throw Self.failure(.open(error: .notADatabase))
            }
            return .cmdOk(user: nil)
        case .exportArchive, .importArchive, .deleteStorage:
            guard !core.isRunning else { throw ChatCoreError(Refusal.chat(.chatNotStopped).error) }
            return try await refuse("this command on databases")
        case .slowQueries, .chatSQL, .agentSQL: return try await refuse("this command on databases")
        }
    }

    fileprivate static func failure(_ error: DatabaseError) -> ChatCoreError { ChatCoreError(.database(error: error)) }
}

extension EngineCore {
    /// Gives the databases another key; empty means none. The core must be stopped, and has to be opened anew with the new key.
    func changeEncryption(from current: String, to new: String) async throws(ChatCoreError) {
        try checkOpen()
        guard !isRunning else { throw ChatCoreError(Refusal.chat(.chatNotStopped).error) }
        guard let databases = configuration.databases else {
            throw ChatCoreError(Refusal.unsupported("encryption of a core in memory").error)
        }
        guard current != new else { return }
        let (given, wanted) = (try key(current), try key(new)), stored = storeKey.withLock(\.self)
        switch (stored, given) {
        case (nil, .some): throw DatabaseCommands.failure(.plaintext)
        case (.some, nil): throw DatabaseCommands.failure(.encrypted)
        case (let stored?, let given?) where !stored.equals(given): throw DatabaseCommands.failure(.export(error: .notADatabase))
        default: break
        }
        if lifecycle.replaceStore() { await closeStores() }
        do throws(StorageError) {
            try databases.changeKey(from: given, to: wanted)
        } catch {
            logger.error("the key could not be changed", metadata: ["code": "storage.\(error.code.rawValue)", "error": "\(error.message)"])
            throw DatabaseCommands.failure(.export(error: .failure(message: error.message)))
        }
        storeKey.withLock { $0 = wanted }
    }

    func key(_ text: String) throws(ChatCoreError) -> DatabaseKey? {
        guard !text.isEmpty else { return nil }
        do throws(StorageError) {
            return try DatabaseKey(text)
        } catch {
            throw ChatCoreError(Refusal.command(error.message).error)
        }
    }

    /// Refuses to continue when a command has closed the databases.
    func checkStoreUnchanged() throws(ChatCoreError) {
        guard !lifecycle.isStoreReplaced else { throw ChatCoreError(Refusal.chat(.chatStoreChanged).error) }
    }
}
