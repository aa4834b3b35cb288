package import ChatAPI
package import ChatProtocol
package import ChatSocket
package import Logging
internal import Synchronization

/// The local socket of a process that runs bots, through which other programs of the same user send with its profiles, and read its status.
package final class HostSocket: Sendable {
    private let path: String
    private let logger: Logger
    private let server = Mutex<LocalSocketServer?>(nil)

    package init(_ folder: DataFolder, logger: Logger) {
        path = folder.socket
        self.logger = logger
    }

    /// Opens the socket. Bots run without it if that is not possible.
    package func open(_ core: any IdempotentChatCore, report: @escaping LocalSocketServer.Reporter) async {
        do throws(SocketFault) {
            let opened = try await LocalSocketServer.start(core, path: path, logger: logger, report: report)
            server.withLock { $0 = opened }
        } catch {
            logger.warning("other programs cannot send with these bots while they run", metadata: ["code": "socket.unavailable", "error": "\(error)"])
        }
    }

    package func close() async { await server.withLock { $0.take() }?.stop() }
}

/// The core of a process that runs bots on a data folder.
package struct RunningHost: Sendable {
    /// The core. Commands and events go through the other process.
    package let core: any IdempotentChatCore
    /// The folder that paths of received files are relative to; nil for none.
    package let filesFolder: String?
    private let connection: LocalSocketCore

    /// Connects to the process that runs bots on a folder.
    ///
    /// - Returns: nil if no process answers.
    package static func connect(_ folder: DataFolder) async -> RunningHost? {
        guard let connection = try? await LocalSocketCore.connect(path: folder.socket) else { return nil }
        return RunningHost(core: connection, filesFolder: folder.filesFolder, connection: connection)
    }

    /// Requests a report of the process.
    ///
    /// - Throws: `core.unsupported` for a report that the process does not support.
    package func report(_ name: String) async throws(ChatCoreError) -> JSONValue { try await connection.report(name) }

    /// Requests a report of the process with an argument.
    package func report(_ name: String, argument: String) async throws(ChatCoreError) -> JSONValue { try await connection.report(name, argument: argument) }

    /// Makes the process back up its databases, while the bots run.
    ///
    /// - Parameter target: The folder for the copies, as an absolute path; nil for `backups` in the data folder.
    /// - Returns: The paths of the copies.
    /// - Throws: `storage.…` if the backup fails; `core.unsupported` for a process of a version before backups of running bots.
    package func backUp(to target: String?) async throws(ChatCoreError) -> [String] {
        let answer = try await connection.report(HostBackup.request, argument: target)
        guard let paths = HostBackup.paths(answer) else { throw ChatCoreError(.invalidResponse, "the answer of the process has no paths of the copies") }
        return paths
    }

    /// Ends the connection.
    package func close() async { await connection.close() }
}
