import NIOPosix
package import SMPWire
package import XFTPProtocol

extension LocalFile {
    /// Writes the content to a path beside this one, flushes it and renames it to this path, which must have no file, or an empty one that reserves it.
    /// Runs on a thread pool. Can be repeated until ``removePart(of:)``.
    ///
    /// - Throws: ``FileFormatError`` `io`; `CancellationError`.
    package func keep(_ content: Bytes, of transfer: FileTransferID) async throws {
        let part = transfer.partPath(of: path)
        try await NIOThreadPool.singleton.runIfActive {
            // The process may have ended after the file got its name.
            guard !WorkFolder.isKept(part, as: path) else { return }
            var writer = try LocalFileWriter(LocalFile(part, key: key), replaces: true)
            try writer.write(content)
            try writer.finish()
            try WorkFolder.keep(part, as: path)
        }
    }

    /// Removes the file that ``keep(_:of:)`` has left beside the path.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package func removePart(of transfer: FileTransferID) throws(FileFormatError) { try DiskFile.remove(transfer.partPath(of: path)) }
}
