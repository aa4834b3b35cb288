package import ChatAPI
internal import ChatEngine
package import ChatProtocol
package import EncryptedSQLite
internal import Foundation
internal import Logging

/// Backups of the data folder of a process that runs bots.
package enum HostBackup {
    /// The name of the request at the local socket, whose argument is the folder for the copies.
    package static let request = "backup"

    package static func json(_ paths: [String]) -> JSONValue { ["paths": .array(paths.map { .string($0) })] }

    /// Reads the paths of an answer; nil for an answer without paths.
    package static func paths(_ answer: JSONValue) -> [String]? { answer["paths"]?.arrayValue?.compactMap(\.stringValue) }
}

extension CoreHost {
    /// Copies the data folder as it is at one moment.
    ///
    /// - Parameter target: The folder in which the backup's folder is created; nil for `backups` in the data folder.
    /// - Returns: the path of the backup's folder.
    /// - Throws: `storage.…`, with the code of a `StorageError`.
    package func backUp(to target: String?, with bots: DatabaseFile) async throws(ChatCoreError) -> [String] {
        let start = ContinuousClock.now
        do {
            // The requesting program may have another working folder, so the path becomes absolute.
            let target = URL(fileURLWithPath: target ?? dataFolder + "/backups").path
            let backup = FolderBackup(of: data, in: target, key: native.databaseKey)
            guard let agent = native.databases["agent"], let chat = native.databases["chat"] else {
                throw StorageError(.unavailable, "this core has no databases to copy")
            }
            try await backup.make(await manifest, databases: [chat, agent, bots], routers: copyRouters)
            logger.notice("the data folder is backed up", metadata: ["path": "\(backup.path)", "duration": "\(start.duration(to: .now))"])
            return [backup.path]
        } catch {
            let fault = error as? StorageError ?? StorageError(.unavailable, "the data folder cannot be backed up: \(error)")
            logger.error("the data folder cannot be backed up", metadata: ["code": "storage.\(fault.code.rawValue)", "error": "\(fault.message)"])
            throw ChatCoreError(.init(rawValue: "storage.\(fault.code.rawValue)"), fault.message)
        }
    }
}
