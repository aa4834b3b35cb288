package import AsyncPrimitives
package import SMPClient
package import SMPProtocol
import XFTPProtocol

/// The settings of file transfers. The defaults are those of the official clients.
package struct FileAgentConfiguration: Sendable {
    /// The folder for encrypted files and chunks that are under way. It belongs to the agent, which removes unknown files.
    package var folder: String
    /// The settings of the connections to file routers.
    package var network = NetworkConfiguration()
    /// Waits between attempts.
    package var retry = RetryInterval(initial: .seconds(1), increaseAfter: .seconds(5), maximum: .seconds(300))
    /// Failed attempts after which a warning is sent; the agent continues.
    package var attemptsBeforeWarning = 3
    /// The time after which an incomplete transfer fails.
    package var transferLifetime: Duration = .seconds(2 * 86_400)
    /// The time after which the deletion of a chunk is no longer attempted: the router has deleted it by then.
    package var deletionLifetime: Duration = .seconds(2 * 86_400)
    /// Chunks of one file that are transferred at the same time.
    package var chunksAtOnce = 3
    /// Chunks of all files that are transferred at the same time.
    package var chunksOfAllFilesAtOnce = 12

    /// A function that is called when a connection to a router is made, and again when it has ended. From any thread.
    package var onConnection: @Sendable (_ server: XFTPServerAddress, _ isConnected: Bool) -> Void = { _, _ in }

    package init(folder: String) { self.folder = folder }
}

/// The file routers of users.
package protocol FileServerSource: Sendable {
    /// Returns the routers for uploads of a user, with their passwords.
    func servers(of user: Int64) async -> [XFTPServerWithAuth]
    /// Checks whether files may be downloaded from a router without approval: it is the user's, or belongs to an operator that the user has accepted.
    func isKnown(_ server: XFTPServerAddress, to user: Int64) async -> Bool
}
