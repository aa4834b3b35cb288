import NIOCore
import NIOPosix
import SMPCrypto
package import SMPWire
import Synchronization
package import XFTPProtocol

/// The bytes of a chunk to upload: a part of a file, or memory.
package struct ChunkSource: Sendable {
    private enum Content: Sendable {
        case file(DiskFile, offset: Int64)
        case memory(Bytes)
    }

    /// Bytes read at a time.
    static let pieceSize = 128 << 10

    private let content: Content
    /// Bytes.
    package let size: Int

    /// A part of a file.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package init(path: String, offset: Int64 = 0, size: UInt32) throws(FileFormatError) {
        content = .file(try DiskFile.open(path), offset: offset)
        self.size = Int(size)
    }

    /// A small chunk in memory.
    package init(_ chunk: Bytes) {
        content = .memory(chunk)
        size = chunk.count
    }

    /// - Throws: ``FileFormatError``: `io`; `invalidSize` if the file has become shorter.
    func piece(at start: Int) async throws -> ByteBuffer {
        let count = min(Self.pieceSize, size - start)
        guard case .file(let file, let offset) = content else {
            guard case .memory(let chunk) = content else { return ByteBuffer() }
            return ByteBuffer(bytes: chunk[start..<start + count])
        }
        let piece = try await NIOThreadPool.singleton.runIfActive {
            var piece = ByteBufferAllocator().buffer(capacity: count)
            try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { buffer in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count)), at: offset + Int64(start))
            }
            return piece
        }
        guard piece.readableBytes == count else { throw FileFormatError(.invalidSize, "the file that is uploaded has become shorter") }
        return piece
    }
}

/// The target of a chunk that is downloaded: decrypted as it comes, and checked at its end.
final class ChunkReceiver: Sendable {
    /// Bytes that are decrypted and written at a time.
    static let pieceSize = 128 << 10

    private struct State: ~Copyable {
        var stream: BoxStream?
        let hash = HashStream(.sha256)
        var left: Int
        var tag = Bytes()
        /// The chunk, if it is to be in memory.
        var content = Bytes()

        init(_ stream: consuming BoxStream, left: Int) {
            self.stream = consume stream
            self.left = left
        }
    }

    private let state: Mutex<State>
    /// nil for a chunk that is to be in memory.
    private let file: (disk: DiskFile, path: String)?

    /// - Parameter path: of a file that is made, in the place of what is there; nil to have the chunk in memory.
    /// - Throws: ``FileFormatError`` `io`.
    init(path: String?, size: UInt32, secret: BoxSecret, nonce: BoxNonce) throws(FileFormatError) {
        file = try path.map { path throws(FileFormatError) in (try DiskFile.create(path, replaces: true), path) }
        state = Mutex(State(BoxStream(secret, nonce: nonce), left: Int(size)))
    }

    /// The chunk, once it is finished; nothing if it is in a file.
    func content() -> Bytes {
        state.withLock { state in
            defer { state.content = [] }
            return state.content
        }
    }

    /// True if what was decrypted must be given to ``write(_:)``, which blocks.
    var isForDisk: Bool { file != nil }

    /// Decrypts the next bytes in place.
    ///
    /// - Throws: ``XFTPClientError`` `response` if there is more than the chunk has.
    func decrypt(_ piece: inout Bytes) throws(XFTPClientError) {
        try state.withLock { state in
            Result { () throws(XFTPClientError) in
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
                if file == nil { if state.content.isEmpty { state.content = piece } else { state.content += piece } }
            }
        }.get()
    }

    /// - Throws: ``XFTPClientError`` `file`.
    func write(_ piece: Bytes) throws(XFTPClientError) {
        do throws(FileFormatError) { try file?.disk.write(piece) } catch { throw XFTPClientError(error) }
    }

    /// Checks the chunk.
    ///
    /// - Throws: ``XFTPClientError`` `response` if it is not the chunk.
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
            }
        }.get()
    }

    /// Removes what has been written.
    func discard() {
        if let file { try? DiskFile.remove(file.path) }
    }
}
