import NIOPosix
import SMPCrypto
import SMPWire
import Synchronization
package import XFTPProtocol

/// A part of a file that is uploaded as a chunk.
package struct ChunkSource: Sendable {
    /// Bytes read at a time.
    private static let pieceSize = 256 << 10

    private let file: DiskFile
    private let offset: Int64
    /// Bytes.
    package let size: Int

    /// - Throws: ``FileFormatError`` `io`.
    package init(path: String, offset: Int64 = 0, size: UInt32) throws(FileFormatError) {
        file = try DiskFile.open(path)
        self.offset = offset
        self.size = Int(size)
    }

    /// - Throws: ``FileFormatError``: `io`; `invalidSize` if the file has become shorter.
    func piece(at start: Int) async throws -> Bytes {
        let count = min(Self.pieceSize, size - start)
        let piece = try await NIOThreadPool.singleton.runIfActive { try file.read(count, at: offset + Int64(start)) }
        guard piece.count == count else { throw FileFormatError(.invalidSize, "the file that is uploaded has become shorter") }
        return piece
    }
}

/// A file into which a chunk is downloaded: decrypted as it comes, and checked at its end.
final class ChunkReceiver: Sendable {
    /// Bytes that are decrypted and written at a time.
    static let pieceSize = 256 << 10

    private struct State: ~Copyable {
        var stream: BoxStream?
        let hash = HashStream(.sha256)
        var left: Int
        var tag = Bytes()

        init(_ stream: consuming BoxStream, left: Int) {
            self.stream = consume stream
            self.left = left
        }
    }

    private let state: Mutex<State>
    private let file: DiskFile
    private let path: String

    init(path: String, size: UInt32, secret: BoxSecret, nonce: BoxNonce) throws(FileFormatError) {
        file = try DiskFile.create(path, replaces: true)
        self.path = path
        state = Mutex(State(BoxStream(secret, nonce: nonce), left: Int(size)))
    }

    /// Blocks.
    ///
    /// - Throws: ``XFTPClientError``: `response` if there is more than the chunk has, `file`.
    func write(_ bytes: Bytes) throws(XFTPClientError) {
        try state.withLock { state in
            Result { () throws(XFTPClientError) in
                var piece = bytes
                if piece.count > state.left {
                    state.tag += piece[state.left...]
                    piece.removeSubrange(state.left...)
                    guard state.tag.count <= XFTPLimits.tagSize else {
                        throw XFTPClientError(.response(.size), "the router sends more than the chunk has")
                    }
                }
                state.left -= piece.count
                piece.withUnsafeMutableBytes { state.stream?.decrypt(inPlace: $0) }
                state.hash.update(piece)
                do throws(FileFormatError) { try file.write(piece) } catch { throw XFTPClientError(error) }
            }
        }.get()
    }

    /// Checks the chunk and puts it on the disk. Blocks.
    ///
    /// - Throws: ``XFTPClientError``: `response` if it is not the chunk, `file`.
    func finish(digest: Bytes) throws(XFTPClientError) {
        try state.withLock { state in
            Result { () throws(XFTPClientError) in
                guard state.left == 0, state.tag.count == XFTPLimits.tagSize, let stream = state.stream.take() else {
                    throw XFTPClientError(.response(.size), "the router has sent less than the chunk has")
                }
                do throws(CryptoError) { try stream.verify(state.tag) } catch {
                    throw XFTPClientError(.response(.crypto), "the chunk was damaged on its way")
                }
                guard state.hash.finish() == digest else {
                    throw XFTPClientError(.response(.digest), "the router has another chunk than the description says")
                }
                do throws(FileFormatError) { try file.synchronize() } catch { throw XFTPClientError(error) }
            }
        }.get()
    }

    /// Removes what has been written.
    func discard() { try? DiskFile.remove(path) }
}
