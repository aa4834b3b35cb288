internal import COpenSSL
internal import GRDBSQLite

/// A file without a name, encrypted with AES-256-CTR under a key that exists only as long as the file is open.
///
/// Connections to encrypted databases keep temporary data in memory. If another connection of the process writes temporary data to disk while an
/// encrypted database is open, its file is encrypted, too, because nothing distinguishes the two. The file is not authenticated: an attacker who
/// can change open files of the process can do worse.
final class TemporaryFile: FileLayer {
    private let file: any FileLayer
    private let context: OpaquePointer
    private var scratch = Scratch(PageLayout.pageSize)

    init(_ file: any FileLayer) throws(StorageError) {
        self.file = file
        let key = try SecretMemory(count: PageKeys.keySize) { (key) throws(StorageError) in
            guard let start = key.baseAddress, RAND_bytes(start.assumingMemoryBound(to: UInt8.self), CInt(key.count)) == 1 else {
                throw StorageError(.unavailable, "OpenSSL provides no random numbers")
            }
        }
        guard let context = EVP_CIPHER_CTX_new() else { throw StorageError(.unavailable, "there is no memory for a cipher") }
        let isReady = key.withBytes { key in
            EVP_CipherInit_ex(context, EVP_aes_256_ctr(), nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, 1) == 1
        }
        guard isReady else {
            EVP_CIPHER_CTX_free(context)
            throw StorageError(.unavailable, "OpenSSL has no AES-256")
        }
        self.context = context
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> CInt {
        let code = file.read(buffer, at: offset)
        guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ_CODE, let start = buffer.baseAddress else { return code }
        var present = buffer.count
        if code == SQLITE_IOERR_SHORT_READ_CODE {
            var size: Int64 = 0
            let sized = file.size(&size)
            guard sized == SQLITE_OK else { return sized }
            // The bytes after the end are zeros, and are not decrypted.
            present = Int(max(0, min(Int64(buffer.count), size - offset)))
        }
        return apply(start, count: present, into: start, at: offset) ? code : SQLITE_IOERR_READ_CODE
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> CInt {
        guard let source = bytes.baseAddress else { return SQLITE_OK }
        var done = 0
        while done < bytes.count {
            let count = min(PageLayout.pageSize, bytes.count - done)
            guard apply(source + done, count: count, into: scratch.start, at: offset + Int64(done)) else { return SQLITE_IOERR_WRITE_CODE }
            let code = file.write(UnsafeRawBufferPointer(start: scratch.start, count: count), at: offset + Int64(done))
            guard code == SQLITE_OK else { return code }
            done += count
        }
        return SQLITE_OK
    }

    /// Applies the key stream at an offset of the file.
    private func apply(_ source: UnsafeRawPointer, count: Int, into target: UnsafeMutableRawPointer, at offset: Int64) -> Bool {
        var counter = [UInt8](repeating: 0, count: 16)
        withUnsafeBytes(of: (offset / 16).bigEndian) { place in for index in 0..<8 { counter[8 + index] = place[index] } }
        var skipped = [UInt8](repeating: 0, count: 16)
        var written: CInt = 0
        return EVP_CipherInit_ex(context, nil, nil, nil, counter, 1) == 1
            && EVP_CipherUpdate(context, &skipped, &written, skipped, CInt(offset % 16)) == 1
            && EVP_CipherUpdate(
                context, target.assumingMemoryBound(to: UInt8.self), &written, source.assumingMemoryBound(to: UInt8.self), CInt(count)) == 1
    }

    func truncate(to size: Int64) -> CInt { file.truncate(to: size) }
    func sync(_ flags: CInt) -> CInt { file.sync(flags) }
    func size(_ size: inout Int64) -> CInt { file.size(&size) }
    func close() -> CInt { file.close() }
    func characteristics(_ device: CInt) -> CInt { encryptedCharacteristics }
}

/// Overwrites memory in a way that the compiler cannot omit.
func wipe(_ start: UnsafeMutableRawPointer, _ count: Int) { OPENSSL_cleanse(start, count) }
