import SMPCrypto
import SMPWire
import XFTPProtocol

/// Encrypts whole files into files, and back. Its calls block, and hold no more than a piece of a file.
enum FileCoding {
    /// Encrypts a file, and hashes what comes out.
    ///
    /// - Returns: SHA-512 of the encrypted file, and SHA-256 of each chunk.
    /// - Throws: ``FileFormatError``.
    static func encrypt(
        _ source: LocalFile, _ plan: FilePlan, key: BoxSecret, nonce: BoxNonce, to path: String, isCancelled: () -> Bool
    ) throws(FileFormatError) -> (digest: Bytes, chunks: [Bytes]) {
        var reader = try LocalFileReader(source)
        guard reader.contentSize == plan.contentSize else { throw FileFormatError(.invalidSize, "\(source.path) has changed its size meanwhile") }
        var output = ChunkedOutput(file: try DiskFile.create(path, replaces: true), sizes: plan.chunks)
        var encryptor = FileEncryptor(plan, key: key, nonce: nonce)
        try output.write(encryptor.begin())
        while var piece = try reader.next() {
            guard !isCancelled() else { throw FileFormatError(.cancelled, "the upload was cancelled") }
            try piece.withUnsafeMutableBytes { buffer in Result { () throws(FileFormatError) in try encryptor.encrypt(inPlace: buffer) } }.get()
            try output.write(piece)
        }
        try reader.finish()
        while let padding = try encryptor.padding() { try output.write(padding) }
        try output.write(encryptor.tag())
        return try output.finish()
    }

    /// Decrypts the chunks of a file, one after the other.
    ///
    /// - Parameter write: takes the content in pieces, which are not authentic before this returns.
    /// - Throws: ``FileFormatError``.
    static func decrypt(
        _ description: FileDescription, chunks: [String], isCancelled: () -> Bool, write: (consuming Bytes) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        var decryptor = try FileDecryptor(size: description.size, key: description.key, nonce: description.nonce)
        let hash = HashStream(.sha512)
        for path in chunks {
            var reader = try LocalFileReader(LocalFile(path))
            while let piece = try reader.next() {
                guard !isCancelled() else { throw FileFormatError(.cancelled, "the download was cancelled") }
                hash.update(piece)
                try write(try decryptor.decrypt(piece))
            }
        }
        guard hash.finish() == description.digest else {
            throw FileFormatError(.invalidDigest, "the received file is not the one of the description")
        }
        try decryptor.finish()
    }
}

/// A file whose digests are computed while it is written.
private struct ChunkedOutput {
    private let file: DiskFile
    private let whole = HashStream(.sha512)
    private var chunk = HashStream(.sha256)
    private var digests: [Bytes] = []
    private var sizes: ArraySlice<UInt32>
    private var left: Int

    init(file: DiskFile, sizes: [UInt32]) {
        self.file = file
        self.sizes = sizes.dropFirst()
        left = Int(sizes.first ?? 0)
    }

    mutating func write(_ bytes: Bytes) throws(FileFormatError) {
        whole.update(bytes)
        bytes.withUnsafeBytes { buffer in
            var start = 0
            while start < buffer.count {
                let count = min(left, buffer.count - start)
                chunk.update(UnsafeRawBufferPointer(rebasing: buffer[start..<start + count]))
                start += count
                left -= count
                guard left == 0 else { continue }
                digests.append(chunk.finish())
                chunk = HashStream(.sha256)
                guard let next = sizes.popFirst() else { return }
                left = Int(next)
            }
        }
        try file.write(bytes)
    }

    func finish() throws(FileFormatError) -> (digest: Bytes, chunks: [Bytes]) {
        try file.synchronize()
        return (whole.finish(), digests)
    }
}
