package import SMPCrypto
package import SMPWire

/// Encrypts a file in pieces: an eight-byte length, the header, the content, `#` up to the size of all chunks without the tag, and the tag of
/// all that (xftp.md, "File encryption"). It holds no more than a piece.
package struct FileEncryptor: ~Copyable {
    private var stream: BoxStream
    /// Bytes of content that are still to come.
    private var contentLeft: Int64
    private var paddingLeft: Int64
    private var beginning: Bytes?

    /// Bytes of padding at a time.
    private static let step = 1 << 16

    package init(_ plan: FilePlan, key: BoxSecret, nonce: BoxNonce) {
        stream = BoxStream(key, nonce: nonce)
        contentLeft = plan.contentSize
        paddingLeft = plan.encryptedSize - Int64(XFTPLimits.tagSize) - 8 - plan.sizeWithHeader
        var writer = WireWriter()
        writer.write(plan.sizeWithHeader)
        writer.write(plan.header)
        beginning = writer.finish()
    }

    /// The first bytes of the encrypted file, before any content.
    package mutating func begin() -> Bytes {
        guard let bytes = beginning.take() else { return [] }
        return stream.encrypt(bytes)
    }

    /// Encrypts the next piece of the content in place.
    ///
    /// - Throws: ``FileFormatError`` `invalidSize` if there is more content than was planned.
    package mutating func encrypt(inPlace piece: UnsafeMutableRawBufferPointer) throws(FileFormatError) {
        guard Int64(piece.count) <= contentLeft else { throw FileFormatError(.invalidSize, "the file has become longer meanwhile") }
        contentLeft -= Int64(piece.count)
        stream.encrypt(inPlace: piece)
    }

    /// The next piece of the padding; nil when there is no more. To be called when all content is encrypted.
    ///
    /// - Throws: ``FileFormatError`` `invalidSize` if there was less content than was planned.
    package mutating func padding() throws(FileFormatError) -> Bytes? {
        guard contentLeft == 0 else { throw FileFormatError(.invalidSize, "the file has become shorter meanwhile") }
        guard paddingLeft > 0 else { return nil }
        let count = Int(min(paddingLeft, Int64(Self.step)))
        paddingLeft -= Int64(count)
        return stream.encrypt(Bytes(repeating: UInt8(ascii: "#"), count: count))
    }

    /// The last 16 bytes of the encrypted file.
    package consuming func tag() -> Bytes { stream.tag() }
}

/// Decrypts a file in pieces. Nothing that it gives is authentic before ``finish()``.
package struct FileDecryptor: ~Copyable {
    private var stream: BoxStream
    /// Bytes of the encrypted file, without the tag, that are still to come.
    private var left: Int64
    /// The beginning, until there is enough of it for the header.
    private var beginning: Bytes? = []
    /// Bytes of content that are still to come; known from the header on.
    private var contentLeft: Int64 = 0
    private var tag = Bytes()
    private let size: Int64

    /// The header, once enough has been decrypted.
    package private(set) var header: FileHeader?

    /// - Parameter size: bytes of the encrypted file.
    /// - Throws: ``FileFormatError`` `invalidSize` if that is less than any encrypted file has.
    package init(size: Int64, key: BoxSecret, nonce: BoxNonce) throws(FileFormatError) {
        guard size >= Int64(XFTPLimits.tagSize) + 10 else { throw FileFormatError(.invalidSize, "\(size) bytes are no encrypted file") }
        stream = BoxStream(key, nonce: nonce)
        left = size - Int64(XFTPLimits.tagSize)
        self.size = size
    }

    /// Decrypts the next piece of the encrypted file.
    ///
    /// - Returns: the content in it, which may be nothing.
    /// - Throws: ``FileFormatError``: `invalidHeader`; `invalidSize` if there is more than the size says.
    package mutating func decrypt(_ piece: consuming Bytes) throws(FileFormatError) -> Bytes {
        var piece = piece
        if Int64(piece.count) > left {
            tag += piece[Int(left)...]
            guard tag.count <= XFTPLimits.tagSize else { throw FileFormatError(.invalidSize, "the encrypted file is longer than \(size) bytes") }
            piece.removeSubrange(Int(left)...)
        }
        left -= Int64(piece.count)
        piece.withUnsafeMutableBytes { stream.decrypt(inPlace: $0) }
        if let start = beginning {
            let all = start + piece
            // The header ends somewhere in these bytes, or the file is shorter than they are.
            guard all.count >= 8 + FileHeader.maximumLength || left == 0 else {
                beginning = all
                return []
            }
            beginning = nil
            piece = try takeHeader(all)
        }
        if Int64(piece.count) > contentLeft { piece.removeSubrange(Int(contentLeft)...) }
        contentLeft -= Int64(piece.count)
        return piece
    }

    private mutating func takeHeader(_ bytes: Bytes) throws(FileFormatError) -> Bytes {
        var parser = WireParser(bytes)
        guard let declared = try? parser.read(Int64.self), declared >= 0, declared <= size - Int64(XFTPLimits.tagSize) - 8 else {
            throw FileFormatError(.invalidHeader, "the length in the encrypted file is wrong: it was made with another key, or is damaged")
        }
        guard let header = try? parser.read(FileHeader.self), Int64(parser.offset - 8) <= declared else {
            throw FileFormatError(.invalidHeader, "the header of the encrypted file is wrong: it was made with another key, or is damaged")
        }
        self.header = header
        contentLeft = declared - Int64(parser.offset - 8)
        return parser.rest()
    }

    /// Checks that all has been decrypted and that the tag is right.
    ///
    /// - Throws: ``FileFormatError``: `invalidSize`, `invalidTag`.
    package consuming func finish() throws(FileFormatError) {
        guard left == 0, contentLeft == 0, header != nil, tag.count == XFTPLimits.tagSize else {
            throw FileFormatError(.invalidSize, "the encrypted file is shorter than \(size) bytes")
        }
        do {
            try stream.verify(tag)
        } catch {
            throw FileFormatError(.invalidTag, "the encrypted file was made with another key, or is damaged")
        }
    }
}
