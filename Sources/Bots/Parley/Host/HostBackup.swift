internal import ChatAPI
internal import ChatEngine
internal import ChatProtocol
internal import EncryptedSQLite
internal import Foundation
internal import Logging

/// Backups of the databases of a process that runs bots.
enum HostBackup {
    /// The name of the request at the local socket; its argument is the folder for the copies.
    static let request = "backup"

    static func json(_ paths: [String]) -> JSONValue { ["paths": .array(paths.map { .string($0) })] }

    /// The paths of an answer; nil for one that has none.
    static func paths(_ answer: JSONValue) -> [String]? { answer["paths"]?.arrayValue?.compactMap(\.stringValue) }
}

extension CoreHost {
    /// Copies the databases of the core and those of the bots, as they are at one moment.
    ///
    /// - Parameter folder: The folder for the copies; nil for `backups` in the data folder.
    /// - Throws: `storage.…`, with the code of a `StorageError`.
    func backUp(to folder: String?, with bots: DatabaseFile) async throws(ChatCoreError) -> [String] {
        let start = ContinuousClock.now
        do throws(StorageError) {
            // Whoever asked may have another working folder.
            let folder = URL(fileURLWithPath: folder ?? dataFolder + "/backups").path
            let paths = try await native.backUp(to: folder, with: [bots])
            logger.notice("the databases are backed up", metadata: ["copies": "\(paths.count)", "duration": "\(start.duration(to: .now))"])
            return paths
        } catch {
            logger.error("the databases cannot be backed up", metadata: ["code": "storage.\(error.code.rawValue)", "error": "\(error.message)"])
            throw ChatCoreError(.init(rawValue: "storage.\(error.code.rawValue)"), error.message)
        }
    }
}
