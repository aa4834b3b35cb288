package import XFTPProtocol

/// The progress or the outcome of a file transfer.
///
/// `uploadComplete`, `downloadComplete` and the failures are repeated at every start until the transfer is removed with
/// ``FileAgent/remove(_:)`` or ``FileAgent/delete(_:)``; the receiver must recognise a repetition by its id.
package enum FileTransferEvent: Sendable {
    /// The bytes of chunks on routers, and of all chunks. `sent` is less than `total`, because the last chunk completes the upload.
    case uploadProgress(FileTransferID, sent: Int64, total: Int64)
    /// The description for the sender, and one for each recipient.
    case uploadComplete(FileTransferID, sender: FileDescription, recipients: [FileDescription])
    case uploadFailed(FileTransferID, FileTransferError)
    /// A chunk could not be uploaded several times in a row; the agent continues.
    case uploadWarning(FileTransferID, FileTransferError)
    /// The bytes of received chunks, and of all chunks. `received` is less than `total`, or a part of the file is still missing.
    case downloadProgress(FileTransferID, received: Int64, total: Int64)
    /// The file is complete, verified, and at its path. The size is that of all chunks, in bytes.
    case downloadComplete(FileTransferID, LocalFile, size: Int64)
    case downloadFailed(FileTransferID, FileTransferError)
    /// A chunk could not be downloaded several times in a row; the agent continues.
    case downloadWarning(FileTransferID, FileTransferError)

    package var id: FileTransferID {
        switch self {
        case .uploadProgress(let id, _, _), .uploadComplete(let id, _, _), .uploadFailed(let id, _), .uploadWarning(let id, _),
            .downloadProgress(let id, _, _), .downloadComplete(let id, _, _), .downloadFailed(let id, _), .downloadWarning(let id, _):
            id
        }
    }
}

/// The reason why a file could not be transferred.
package struct FileTransferError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. Stable and from a fixed set: usable as a metric label.
    package enum Code: String, Sendable, Hashable {
        /// The description names routers that are neither the user's nor approved: ``FileTransferError/servers``.
        case notApproved
        /// The file is too large.
        case size
        /// The description that a redirect leads to is not the announced one.
        case redirect
        /// A file of this machine could not be read or written, or a received one is damaged.
        case file
        /// The routers have no such chunk: it has expired, or the sender has deleted it.
        case noFile
        /// A router has refused the request: ``FileTransferError/router``.
        case router
        /// The user has no router for uploads.
        case noServers
        /// No router could be reached.
        case network
        /// There is no such transfer.
        case unknownTransfer
        /// The agent is stopped, or the store has failed.
        case storage
    }

    package let code: Code
    /// A description of the error, for a person.
    package let message: String
    /// The router's own error, if it has answered with one.
    package let router: XFTPErrorType?
    /// The addresses of the routers that the error concerns.
    package let servers: [String]

    package init(_ code: Code, _ message: String, router: XFTPErrorType? = nil, servers: [String] = []) {
        self.code = code
        self.message = message
        self.router = router
        self.servers = servers
    }

    package var description: String { "\(code.rawValue): \(message)" }
}
