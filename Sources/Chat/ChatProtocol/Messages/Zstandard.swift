internal import CZstd
internal import SMPWire

/// Zstandard frames (RFC 8878) that say how long their content is.
enum Zstandard {
    /// The level that official clients use.
    static let level: Int32 = 3

    static func compress(_ bytes: Bytes) throws(ChatProtocolError) -> Bytes {
        let capacity = ZSTD_compressBound(bytes.count)
        var size = 0
        let frame = Bytes(unsafeUninitializedCapacity: capacity) { buffer, count in
            size = ZSTD_compress(buffer.baseAddress, capacity, bytes, bytes.count, level)
            count = ZSTD_isError(size) == 0 ? size : 0
        }
        guard ZSTD_isError(size) == 0 else { throw failure(size, "compressing \(bytes.count) bytes") }
        return frame
    }

    /// The length of the content according to the frame; nil if the frame does not say it, or is not a frame.
    static func contentSize(of frame: Bytes) -> Int? {
        let size = ZSTD_getFrameContentSize(frame, frame.count)
        // The two largest numbers mean an unknown size and an error.
        guard size < UInt64(bitPattern: -2) else { return nil }
        return Int(exactly: size)
    }

    /// The content of a frame. No more memory is taken than `limit`, whatever the frame holds.
    static func decompress(_ frame: Bytes, limit: Int) throws(ChatProtocolError) -> Bytes {
        guard let expected = contentSize(of: frame) else {
            throw ChatProtocolError(.malformedCompression, "a frame without its size")
        }
        guard expected <= limit else {
            throw ChatProtocolError(.tooLarge, "\(expected) bytes after decompression where \(limit) are allowed")
        }
        var size = 0
        let bytes = Bytes(unsafeUninitializedCapacity: expected) { buffer, count in
            size = ZSTD_decompress(buffer.baseAddress, expected, frame, frame.count)
            count = ZSTD_isError(size) == 0 ? size : 0
        }
        guard ZSTD_isError(size) == 0 else { throw failure(size, "decompressing") }
        return bytes
    }

    private static func failure(_ code: Int, _ action: String) -> ChatProtocolError {
        ChatProtocolError(.malformedCompression, "\(action): \(String(cString: ZSTD_getErrorName(code)))")
    }
}
