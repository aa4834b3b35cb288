import NIOPosix
package import XFTPProtocol

extension LocalFile {
    /// Copies the content into another file, which may be reserved by an empty one. The work is done on a thread that may block.
    ///
    /// - Throws: ``FileFormatError``: `io`, `invalidTag`, `invalidSize`. The other file is of no use then.
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
