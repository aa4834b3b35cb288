package import SMPCrypto
package import SMPWire

/// A file of this machine, which may be encrypted: its bytes under a key of its own, then 16 bytes of tag, without any header.
package struct LocalFile: Hashable, Sendable {
    /// The key of one file, which is used for nothing else.
    package struct Key: Hashable, Sendable {
        package var key: BoxSecret
        package var nonce: BoxNonce

        package init(key: BoxSecret, nonce: BoxNonce) {
            self.key = key
            self.nonce = nonce
        }

        package static func random(_ source: any RandomSource) -> Key { Key(key: .random(source), nonce: .random(source)) }

        package func hash(into hasher: inout Hasher) { hasher.combine(nonce) }
    }

    package var path: String
    /// nil if it is not encrypted.
    package var key: Key?

    package init(_ path: String, key: Key? = nil) {
        self.path = path
        self.key = key
    }

    /// Bytes of the content.
    ///
    /// - Throws: ``FileFormatError``: `io`; `invalidSize` if the file is shorter than a tag.
    package func contentSize() throws(FileFormatError) -> Int64 { try LocalFileReader(self).contentSize }

    /// The whole content, once its tag has been checked.
    ///
    /// - Throws: ``FileFormatError``: `tooLarge` above the limit, and what ``LocalFileReader`` throws.
    package func contents(upTo limit: Int) throws(FileFormatError) -> Bytes {
        var reader = try LocalFileReader(self)
        guard reader.contentSize <= Int64(limit) else { throw FileFormatError(.tooLarge, "\(path) has more than \(limit) bytes") }
        var contents = Bytes()
        contents.reserveCapacity(Int(reader.contentSize))
        while let piece = try reader.next() { contents += piece }
        try reader.finish()
        return contents
    }

    /// Makes the file with this content.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package func write(_ contents: Bytes) throws(FileFormatError) {
        var writer = try LocalFileWriter(self)
        try writer.write(contents)
        try writer.finish()
    }
}

/// Reads a ``LocalFile`` in pieces. What an encrypted file gives is not authentic before ``finish()``.
package struct LocalFileReader: ~Copyable {
    private let file: DiskFile
    private let path: String
    private var stream: BoxStream?
    private var left: Int64

    /// Bytes of the content.
    package let contentSize: Int64

    /// Bytes of a piece.
    package static let pieceSize = 1 << 16

    /// - Throws: ``FileFormatError``: `io`; `invalidSize` if an encrypted file is shorter than its tag.
    package init(_ source: LocalFile) throws(FileFormatError) {
        let file = try DiskFile.open(source.path)
        let tagSize = source.key == nil ? 0 : Int64(XFTPLimits.tagSize)
        let size = file.size - tagSize
        guard size >= 0 else { throw FileFormatError(.invalidSize, "\(source.path) is shorter than an encrypted file is") }
        self.file = file
        path = source.path
        contentSize = size
        left = size
        if let key = source.key { stream = BoxStream(key.key, nonce: key.nonce) } else { stream = nil }
    }

    /// The next piece of the content; nil at its end.
    ///
    /// - Throws: ``FileFormatError``: `io`; `invalidSize` if the file has become shorter.
    package mutating func next() throws(FileFormatError) -> Bytes? {
        guard left > 0 else { return nil }
        let count = Int(min(left, Int64(Self.pieceSize)))
        var piece = try file.read(count)
        guard piece.count == count else { throw FileFormatError(.invalidSize, "\(path) has become shorter meanwhile") }
        left -= Int64(count)
        if stream != nil { piece.withUnsafeMutableBytes { stream?.decrypt(inPlace: $0) } }
        return piece
    }

    /// Checks the tag of an encrypted file that has been read to its end.
    ///
    /// - Throws: ``FileFormatError``: `invalidTag`, `io`.
    package consuming func finish() throws(FileFormatError) {
        let (file, path) = (file, path)
        var tag = Bytes(repeating: 0, count: XFTPLimits.tagSize)
        guard let stream = consume stream else { return }
        let done = try tag.withUnsafeMutableBytes { buffer in Result { () throws(FileFormatError) in try file.read(into: buffer) } }.get()
        do {
            guard done == tag.count else { throw CryptoError(.decryptionFailed, "no tag") }
            try stream.verify(tag)
        } catch {
            throw FileFormatError(.invalidTag, "\(path) was encrypted with another key, or is damaged")
        }
    }
}

/// Writes a ``LocalFile`` in pieces.
package struct LocalFileWriter: ~Copyable {
    private let file: DiskFile
    private var stream: BoxStream?

    /// Makes the file, which must not be there yet.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package init(_ target: LocalFile, replaces: Bool = false) throws(FileFormatError) {
        file = try DiskFile.create(target.path, replaces: replaces)
        if let key = target.key { stream = BoxStream(key.key, nonce: key.nonce) } else { stream = nil }
    }

    /// - Throws: ``FileFormatError`` `io`.
    package mutating func write(_ piece: consuming Bytes) throws(FileFormatError) {
        var piece = piece
        if stream != nil { piece.withUnsafeMutableBytes { stream?.encrypt(inPlace: $0) } }
        try file.write(piece)
    }

    /// Writes the tag of an encrypted file and puts all on the disk.
    ///
    /// - Throws: ``FileFormatError`` `io`.
    package consuming func finish() throws(FileFormatError) {
        let file = file
        if let stream = consume stream { try file.write(stream.tag()) }
        try file.synchronize()
    }
}
