import SMPCrypto
import SMPWire
import Synchronization
import XFTPProtocol

/// The file of a chunk that is being uploaded. Calls block.
final class ChunkWriter: Sendable {
    /// Bytes written at a time, which is the memory that a stalled sender occupies.
    static let pieceSize = 64 << 10

    private struct State: ~Copyable {
        let hash = HashStream(.sha256)
        var left: Int
    }

    let path: String
    private let file: DiskFile
    private let state: Mutex<State>

    /// - Throws: ``FileFormatError`` `io`.
    init(path: String, size: UInt32) throws(FileFormatError) {
        self.path = path
        file = try DiskFile.create(path)
        state = Mutex(State(left: Int(size)))
    }

    /// - Throws: ``XFTPErrorType``: `size` if there are more bytes than announced, `fileIO`.
    func write(_ bytes: Bytes) throws(XFTPErrorType) {
        try state.withLock { state in
            Result { () throws(XFTPErrorType) in
                guard bytes.count <= state.left else { throw XFTPErrorType.size }
                state.left -= bytes.count
                state.hash.update(bytes)
                do throws(FileFormatError) { try file.write(bytes) } catch { throw .fileIO }
            }
        }.get()
    }

    /// Flushes the chunk to the disk if its size and digest are the announced ones.
    ///
    /// - Throws: ``XFTPErrorType``: `size`, `digest`, `fileIO`.
    func finish(digest: Bytes) throws(XFTPErrorType) {
        try state.withLock { state in
            Result { () throws(XFTPErrorType) in
                guard state.left == 0 else { throw XFTPErrorType.size }
                guard state.hash.finish() == digest else { throw XFTPErrorType.digest }
                do throws(FileFormatError) { try file.synchronize() } catch { throw .fileIO }
            }
        }.get()
    }

    func discard() { try? DiskFile.remove(path) }
}

/// The file of a chunk that is being downloaded, encrypted for its recipient. Calls block.
final class ChunkReader: Sendable {
    /// Bytes read at a time, which is the memory that a stalled recipient occupies.
    static let pieceSize = 64 << 10

    private struct State: ~Copyable {
        var stream: BoxStream?
        var left: Int
    }

    private let file: DiskFile
    private let state: Mutex<State>

    /// - Throws: ``FileFormatError`` `io`.
    init(path: String, size: UInt32, secret: BoxSecret, nonce: BoxNonce) throws(FileFormatError) {
        file = try DiskFile.open(path)
        state = Mutex(State(stream: BoxStream(secret, nonce: nonce), left: Int(size)))
    }

    /// Reads and encrypts the next bytes, the last of which are the tag; nil at the end.
    ///
    /// - Throws: ``FileFormatError``: `io`; `invalidSize` if the file is shorter than it was.
    func next() throws(FileFormatError) -> Bytes? {
        try state.withLock { state in
            Result { () throws(FileFormatError) -> Bytes? in
                guard state.left > 0 else { return state.stream.take()?.tag() }
                let count = min(state.left, Self.pieceSize)
                var piece = try file.read(count)
                guard count == piece.count else { throw FileFormatError(.invalidSize, "a chunk is shorter than it was") }
                state.left -= count
                piece.withUnsafeMutableBytes { state.stream?.encrypt(inPlace: $0) }
                return piece
            }
        }.get()
    }
}
