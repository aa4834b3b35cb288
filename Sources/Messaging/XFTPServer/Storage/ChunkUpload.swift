import SMPProtocol
import SMPWire
import Synchronization
import XFTPProtocol

/// An upload under way. It has room in the quota for the received bytes, and a file from the first byte on.
final class ChunkUpload: Sendable {
    private struct State {
        var writer: ChunkWriter?
        var reserved: Int64 = 0
    }

    let id: EntityID
    let info: FileInfo
    private let state = Mutex(State())

    init(_ id: EntityID, _ info: FileInfo) {
        self.id = id
        self.info = info
    }

    /// Bytes of the quota that are reserved for it.
    var reserved: Int64 { state.withLock { $0.reserved } }
    var writer: ChunkWriter? { state.withLock { $0.writer } }

    func note(reserved bytes: Int64) { state.withLock { $0.reserved += bytes } }

    /// Returns the writer of the chunk's file, which is created if necessary. Blocks.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    func openWriter(_ path: () -> String) throws(FileFormatError) -> ChunkWriter {
        try state.withLock { state in
            Result { () throws(FileFormatError) in
                if let writer = state.writer { return writer }
                let writer = try ChunkWriter(path: path(), size: info.size)
                state.writer = writer
                return writer
            }
        }.get()
    }
}
