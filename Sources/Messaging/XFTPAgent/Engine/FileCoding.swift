import SMPCrypto
import SMPWire
import XFTPProtocol

/// The received chunks of a file.
enum ReceivedChunks: Sendable {
    /// A file for each chunk.
    case files([String])
    /// The only chunk, which is small.
    case memory(Bytes)
}

/// Encryption and decryption of whole files. Calls block, and hold at most a piece of a file or a small chunk in memory.
enum FileCoding {
    /// The maximum size in bytes of a file's only chunk that is held in memory. Larger files go through files of the work folder.
    static let smallChunk: UInt32 = 256 << 10

    /// Encrypts a file and hashes the result.
    ///
    /// - Parameter write: receives the encrypted file in pieces.
    /// - Returns: SHA-512 of the encrypted file, and SHA-256 of each chunk.
    /// - Throws: ``FileFormatError``.
    static func encrypt(
        _ source: LocalFile, _ plan: FilePlan, key: BoxSecret, nonce: BoxNonce, isCancelled: () -> Bool,
        write: (Bytes) throws(FileFormatError) -> Void
    ) throws(FileFormatError) -> (digest: Bytes, chunks: [Bytes]) {
        var digests = ChunkDigests(sizes: plan.chunks)
        try produce(source, plan, key: key, nonce: nonce, isCancelled: isCancelled) { piece throws(FileFormatError) in
            digests.update(piece)
            try write(piece)
        }
        return digests.finish()
    }

    /// Encrypts a file that has one small chunk.
    ///
    /// - Throws: ``FileFormatError``; `invalidDigest` if the file has changed since the digest was computed.
    static func encrypt(
        _ source: LocalFile, _ plan: FilePlan, key: BoxSecret, nonce: BoxNonce, digest: Bytes, isCancelled: () -> Bool
    ) throws(FileFormatError) -> Bytes {
        var chunk = Bytes()
        chunk.reserveCapacity(Int(plan.encryptedSize))
        try produce(source, plan, key: key, nonce: nonce, isCancelled: isCancelled) { chunk += $0 }
        // A changed file must not be sent: the router may already have the previous content, encrypted with the same key stream.
        guard Hash.sha256(chunk) == digest else { throw changed(source) }
        return chunk
    }

    private static func produce(
        _ source: LocalFile, _ plan: FilePlan, key: BoxSecret, nonce: BoxNonce, isCancelled: () -> Bool,
        write: (Bytes) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        var reader = try LocalFileReader(source)
        guard reader.contentSize == plan.contentSize else { throw FileFormatError(.invalidSize, "the size of \(source.path) has changed meanwhile") }
        var encryptor = FileEncryptor(plan, key: key, nonce: nonce)
        try write(encryptor.begin())
        while var piece = try reader.next() {
            guard !isCancelled() else { throw FileFormatError(.cancelled, "the upload was cancelled") }
            try piece.withUnsafeMutableBytes { buffer in Result { () throws(FileFormatError) in try encryptor.encrypt(inPlace: buffer) } }.get()
            try write(piece)
        }
        try reader.finish()
        while let padding = try encryptor.padding() { try write(padding) }
        try write(encryptor.tag())
    }

    /// Makes the error for a file that has changed since it was encrypted.
    static func changed(_ source: LocalFile) -> FileFormatError {
        FileFormatError(.invalidDigest, "\(source.path) has changed before it was uploaded")
    }

    /// Checks whether a part of a file has a digest.
    static func hasDigest(_ digest: Bytes, _ path: String, offset: Int64 = 0, size: UInt32) -> Bool {
        let hash = HashStream(.sha256)
        do throws(FileFormatError) {
            let file = try DiskFile.open(path)
            var done: Int64 = 0
            while done < Int64(size) {
                let piece = try file.read(Int(min(Int64(smallChunk), Int64(size) - done)), at: offset + done)
                guard !piece.isEmpty else { return false }
                hash.update(piece)
                done += Int64(piece.count)
            }
        } catch {
            return false
        }
        return hash.finish() == digest
    }

    /// Decrypts the chunks of a file, one after the other.
    ///
    /// - Parameter write: receives the content in pieces, which are authentic only after this function has returned.
    /// - Throws: ``FileFormatError``.
    static func decrypt(
        _ description: FileDescription, _ chunks: ReceivedChunks, isCancelled: () -> Bool, write: (consuming Bytes) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        var decryptor = try FileDecryptor(size: description.size, key: description.key, nonce: description.nonce)
        let hash = HashStream(.sha512)
        switch chunks {
        case .memory(let chunk):
            hash.update(chunk)
            try write(try decryptor.decrypt(chunk))
        case .files(let paths):
            for path in paths {
                var reader = try LocalFileReader(LocalFile(path))
                while let piece = try reader.next() {
                    guard !isCancelled() else { throw FileFormatError(.cancelled, "the download was cancelled") }
                    hash.update(piece)
                    // Decrypted in place.
                    try write(try decryptor.decrypt(consume piece))
                }
            }
        }
        guard hash.finish() == description.digest else {
            throw FileFormatError(.invalidDigest, "the received file is not the one of the description")
        }
        try decryptor.finish()
    }
}

/// The digests of an encrypted file and of its chunks, computed while it is encrypted.
private struct ChunkDigests {
    private let whole = HashStream(.sha512)
    private var chunk = HashStream(.sha256)
    private var digests: [Bytes] = []
    private var sizes: ArraySlice<UInt32>
    private var left: Int

    init(sizes: [UInt32]) {
        self.sizes = sizes.dropFirst()
        left = Int(sizes.first ?? 0)
    }

    mutating func update(_ bytes: Bytes) {
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
    }

    func finish() -> (digest: Bytes, chunks: [Bytes]) { (whole.finish(), digests) }
}
