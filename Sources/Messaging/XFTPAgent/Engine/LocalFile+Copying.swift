import NIOPosix
package import XFTPProtocol

extension LocalFile {
    /// Copies the content into another file, whose path may have an empty file. Runs on a thread pool.
    ///
    /// - Throws: ``FileFormatError``: `io`, `invalidTag`, `invalidSize`. The other file is incomplete then.
    package func copy(to target: LocalFile) async throws {
        try await NIOThreadPool.singleton.runIfActive {
            var reader = try LocalFileReader(self)
            var writer = try LocalFileWriter(target, replaces: true)
            while let piece = try reader.next() { try writer.write(piece) }
            try reader.finish()
            try writer.finish()
        }
    }
}
